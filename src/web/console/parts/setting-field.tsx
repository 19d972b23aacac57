/** One setting in a form: what it means, where it is set, and its value, which goes to the draft. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { changeSetting, changes, faultOf, undoChange } from '../core/draft.js';
import { place } from '../core/location.js';
import { isLocked, type ListedSetting, mayChange, sayPlace } from '../core/setting.js';
import { may } from '../core/state.js';
import { Badge } from './details.js';
import { SettingControl } from './setting-control.js';

interface SettingFieldProps {
  readonly setting: ListedSetting;
  /** `stored_version` of the answer that has the setting. */
  readonly version: number;
  /** In place of that of the form. */
  readonly label?: string;
}

export function SettingField({ setting, version, label = setting.form?.label ?? setting.name }: SettingFieldProps) {
  const { name, doc, stored } = setting;
  const change = changes.value[name];
  const text = change === undefined ? setting.text : change.text;
  const fault = faultOf(name);
  const row = useRef<HTMLDivElement>(null);
  const isWanted = place.value.query.get('setting') === name;
  useLayoutEffect(() => {
    if (!isWanted) return;
    row.current?.scrollIntoView({ block: 'center' });
    row.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  }, [isWanted]);
  const isOff = isLocked(setting) || !mayChange(setting);
  const put = (next: string | null) => {
    if (isSame(setting, next)) undoChange(name);
    else changeSetting(setting, version, next);
  };
  return (
    <div ref={row} class={`setting${change === undefined ? '' : ' changed'}${isWanted ? ' wanted' : ''}`}>
      <div class="about">
        <label for={name}>{label}</label>
        <p id={`${name}-doc`} class="small muted">
          <Doc text={doc} />
        </p>
        <code class="name">{name}</code>
      </div>
      <div class="control">
        <SettingControl {...{ setting, label, change, text, isOff, put }} isWrong={fault !== undefined} />
        {fault !== undefined && (
          <p id={`${name}-fault`} class="fault small">
            {name} {fault.problem}
            {fault.example !== undefined && (
              <>
                , such as <code>{fault.example}</code>
              </>
            )}
          </p>
        )}
        <State setting={setting} isChanged={change !== undefined}>
          {change !== undefined && (
            <button type="button" class="link small" aria-label={`Undo: ${label}`} onClick={() => undoChange(name)}>
              Undo
            </button>
          )}
          {change === undefined && stored && !isOff && !isRequired(setting) && (
            <button
              type="button"
              class="link small"
              aria-label={`${setting.is_hidden ? 'Remove' : 'Back to the default'}: ${label}`}
              onClick={() => put(null)}
            >
              {setting.is_hidden ? 'Remove' : 'Back to the default'}
            </button>
          )}
        </State>
      </div>
    </div>
  );
}

const isRequired = (setting: ListedSetting): boolean =>
  setting.default === null && /^AUTH_(SITE|API_EXTERNAL)_URL$/.test(setting.name);

/** Nothing would change. */
function isSame({ text: before, stored, default: usual, is_hidden }: ListedSetting, text: string | null): boolean {
  if (is_hidden) return text === null && !stored;
  return text === before || (!stored && (text === null || (before === null && text === usual)));
}

/** What stands between backticks has letters of one width. */
const Doc = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);

interface StateProps {
  readonly setting: ListedSetting;
  readonly isChanged: boolean;
  readonly children: ComponentChildren;
}

/** Where the value comes from, and who could change it. */
function State({ setting, isChanged, children }: StateProps) {
  const { name, source, stored } = setting;
  if (isLocked(setting)) {
    return (
      <details class="small">
        <summary>
          <Badge>set in {sayPlace(source!)}</Badge>
        </summary>
        <p class="muted">
          It comes before what is set here. To change it here, run <code>latchkey config import --only {name}</code> on
          the server and then remove it there.
        </p>
      </details>
    );
  }
  return (
    <p class="state small">
      {isChanged ? <Badge tone="warn">changed</Badge> : stored && <Badge tone="ok">set here</Badge>}
      {may('admin') && !mayChange(setting) && <span class="muted">Owners change it.</span>}
      {children}
    </p>
  );
}
