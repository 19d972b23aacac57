/** A form of settings: its tabs, groups and fields as the server lists them, and the bar of the draft. */
import { useEffect } from 'preact/hooks';
import { appliedVersion, changes, faultOf } from '../core/draft.js';
import { place } from '../core/location.js';
import { useResource } from '../core/resource.js';
import { idOfTab, type ListedSetting, type SettingGroup } from '../core/setting.js';
import { may } from '../core/state.js';
import { Note } from './alert.js';
import { ConfigNotes, type ConfigState } from './config-notes.js';
import { DraftBar } from './draft-bar.js';
import { SettingField } from './setting-field.js';
import { currentTab, Tabs } from './tabs.js';
import { Empty, View } from './view.js';

interface FormAnswer {
  /** Of the set that the settings show. */
  readonly stored_version: number;
  readonly groups: readonly SettingGroup[];
  readonly settings: readonly ListedSetting[];
}

interface FormProps {
  /** As in src/server/console/setting-forms. */
  readonly form: string;
  /** Of the tabs. */
  readonly title: string;
}

export function SettingsForm({ form, title }: FormProps) {
  const config = useResource<ConfigState>('/api/config');
  const settings = useResource<FormAnswer>(`/api/settings?form=${form}`);
  const applied = appliedVersion.value;
  useEffect(() => {
    if (applied > 0) void Promise.all([config.reload(), settings.reload()]);
  }, [applied]);
  // What is in use is known once the processes have followed, also what another operator has changed.
  const newest = config.data?.version;
  const isFollowed = config.data?.processes.every((one) => one.version === newest);
  const isBehind = settings.data !== undefined && newest !== undefined && settings.data.stored_version < newest;
  useEffect(() => {
    if (isBehind || (applied > 0 && isFollowed)) void settings.reload(true);
  }, [isFollowed, isBehind]);
  return (
    <>
      <View of={settings} rows={10}>
        {(data) => (
          <>
            {config.data !== undefined && <ConfigNotes state={config.data} put={config.put} />}
            {!may('admin') && (
              <Note>
                <p>Changing settings needs the role admin.</p>
              </Note>
            )}
            <Groups {...data} title={title} />
          </>
        )}
      </View>
      <DraftBar />
    </>
  );
}

function Groups({ groups, settings, stored_version, title }: FormAnswer & { readonly title: string }) {
  const shown = settings.filter(({ storable }) => storable);
  if (shown.length === 0) return <Empty title="Nothing can be set here" />;
  const titles = [...new Set(groups.map(({ tab }) => tab))];
  const tabs = titles.map((one) => ({ id: idOfTab(one), title: one, count: countChanges(shown, one) }));
  const tab = tabs.length < 2 ? tabs[0] : tabs.find(({ id }) => id === currentTab(tabs));
  return (
    <>
      {tabs.length > 1 && <Tabs label={title} tabs={tabs} />}
      {groups
        .filter((group) => group.tab === tab?.title)
        .map((group) => (
          <Group
            key={group.tab + group.title}
            group={group}
            version={stored_version}
            settings={shown
              .filter(({ form }) => form?.tab === group.tab && form.group === group.title)
              .sort((a, b) => a.form!.order - b.form!.order)}
          />
        ))}
    </>
  );
}

const countChanges = (settings: readonly ListedSetting[], tab: string): number =>
  settings.filter(({ name, form }) => form?.tab === tab && changes.value[name] !== undefined).length;

interface GroupProps {
  readonly group: SettingGroup;
  readonly settings: readonly ListedSetting[];
  readonly version: number;
}

function Group({ group: { title, about, is_folded }, settings, version }: GroupProps) {
  if (settings.length === 0) return null;
  const fields = (
    <>
      {about !== null && <p class="muted">{about}</p>}
      <div class="settings">
        {settings.map((setting) => (
          <SettingField key={setting.name} setting={setting} version={version} />
        ))}
      </div>
    </>
  );
  if (!is_folded) {
    return (
      <section class="card">
        <h2>{title}</h2>
        {fields}
      </section>
    );
  }
  const isUsed = settings.some(
    ({ name, is_set }) =>
      is_set ||
      changes.value[name] !== undefined ||
      faultOf(name) !== undefined ||
      place.value.query.get('setting') === name,
  );
  return (
    <details class="card" open={isUsed}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {fields}
    </details>
  );
}
