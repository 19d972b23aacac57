/** Setting a provider up: what to do there, and the form with what comes back. */
import { useEffect } from 'preact/hooks';
import { changeSetting, changes, undoChange } from '../../core/draft.js';
import { isLocked, type ListedSetting, mayChange } from '../../core/setting.js';
import { Note } from '../../parts/alert.js';
import { Copy } from '../../parts/details.js';
import { SettingField } from '../../parts/setting-field.js';
import { StoredForm } from '../../parts/stored-form.js';
import { Marked } from './marked.js';
import { fieldsOf, type SetupField, type ShownSetup } from './shown-setup.js';

interface SetupProps {
  readonly name: string;
  readonly title: string;
  /** Of an application at the provider, as it is set; null: as usual. */
  readonly callback: string | null;
  /** There is none of the name yet. */
  readonly isNew: boolean;
  readonly onFollowed: () => void;
}

export const Setup = ({ name, title, callback, isNew, onFollowed }: SetupProps) => (
  <StoredForm<ShownSetup> path={`/api/providers/${encodeURIComponent(name)}/setup`} onFollowed={onFollowed}>
    {(setup) => (
      <>
        <Registration setup={setup} callback={callback ?? setup.callback_url} title={title} />
        <Fields
          fields={fieldsOf(name, title, setup.settings)}
          callback={setup.callback_url}
          version={setup.stored_version}
          isOwn={name.startsWith('custom:')}
          isNew={isNew}
        />
      </>
    )}
  </StoredForm>
);

interface RegistrationProps {
  readonly setup: ShownSetup;
  readonly callback: string;
  readonly title: string;
}

const Registration = ({ setup: { register_at, steps, notes }, callback, title }: RegistrationProps) => (
  <section class="card">
    <div class="row">
      <h2>Register this server there</h2>
      {register_at !== null && (
        <a class="button plain" href={register_at} target="_blank" rel="noopener noreferrer">
          Open {title}
        </a>
      )}
    </div>
    <p>
      Redirect address, to be entered letter by letter:
      <br />
      <Copy text={callback} what="the redirect address" />
    </p>
    <ol class="rules">
      {steps.map((step) => (
        <li key={step}>
          <Marked text={step} />
        </li>
      ))}
    </ol>
    {notes.length > 0 && (
      <ul class="rules small">
        {notes.map((note) => (
          <li key={note}>
            <Marked text={note} />
          </li>
        ))}
      </ul>
    )}
    <p class="small muted">
      More in <code>docs/provider-setup.md</code> and <code>docs/providers.md</code>.
    </p>
  </section>
);

interface FieldsProps {
  readonly fields: readonly SetupField[];
  readonly callback: string;
  readonly version: number;
  readonly isOwn: boolean;
  readonly isNew: boolean;
}

function Fields({ fields, callback, version, isOwn, isNew }: FieldsProps) {
  const settingOf = (end: string) => fields.find((field) => field.end === end)?.setting;
  const enabled = settingOf('ENABLED');
  const stored = fields.map(({ setting }) => setting).filter((setting) => setting.stored);
  const isRemoved = isOwn && stored.length > 0 && stored.every(({ name }) => changes.value[name]?.text === null);
  const isTurnedOn = enabled !== undefined && changes.value[enabled.name]?.text === 'true';
  // A built-in provider cannot be used without its redirect address, which is nearly always this one.
  useEffect(() => {
    const redirect = settingOf('REDIRECT_URI');
    if (isOwn || !isTurnedOn || redirect === undefined || redirect.text || isLocked(redirect)) return;
    if (changes.peek()[redirect.name] === undefined) changeSetting(redirect, version, callback);
  }, [isTurnedOn]);
  return (
    <section class="card">
      <div class="row">
        <h2>{isNew ? 'What you have from there' : 'Settings'}</h2>
        {isOwn && !isNew && <Remove {...{ fields, stored, isRemoved, version }} />}
      </div>
      {isRemoved && (
        <Note tone="warn">
          <p>
            It goes with the draft. Accounts stay, and so do their identities there: a provider of the same name has
            them again.
          </p>
        </Note>
      )}
      <div class="settings">
        {fields.map(({ label, setting }) => (
          <SettingField key={setting.name} setting={setting} version={version} label={label} />
        ))}
      </div>
    </section>
  );
}

interface RemoveProps extends Pick<FieldsProps, 'fields' | 'version'> {
  readonly stored: readonly ListedSetting[];
  readonly isRemoved: boolean;
}

/** Takes all that is set for an own provider out of the database, with the draft. */
function Remove({ fields, stored, isRemoved, version }: RemoveProps) {
  const isElsewhere = fields.some(({ setting }) => isLocked(setting));
  if (stored.length === 0 || isElsewhere || !stored.every(mayChange)) return null;
  const keep = () => {
    for (const { name } of stored) undoChange(name);
  };
  const remove = () => {
    for (const { setting } of fields) undoChange(setting.name);
    for (const setting of stored) changeSetting(setting, version, null);
  };
  return (
    <button type="button" class={isRemoved ? 'plain' : 'danger'} onClick={isRemoved ? keep : remove}>
      {isRemoved ? 'Keep it' : 'Remove it'}
    </button>
  );
}
