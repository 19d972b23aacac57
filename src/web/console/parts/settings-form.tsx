/** A form of settings: its tabs, groups and fields as the server lists them, and the bar of the draft. */
import type { ComponentChildren } from 'preact';
import { changes, faultOf } from '../core/draft.js';
import { place } from '../core/location.js';
import { idOfTab, type ListedSetting, type SettingGroup } from '../core/setting.js';
import { DraftBar } from './draft-bar.js';
import { SettingField } from './setting-field.js';
import { StoredForm, type StoredSettings } from './stored-form.js';
import { currentTab, Tabs } from './tabs.js';
import { Empty } from './view.js';

export interface FormAnswer extends StoredSettings {
  readonly groups: readonly SettingGroup[];
}

interface FormProps {
  /** As in src/server/console/setting-forms. */
  readonly form: string;
  /** Of the tabs. */
  readonly title: string;
  /** In place of its groups. */
  readonly show?: (data: FormAnswer) => ComponentChildren;
}

export const SettingsForm = ({ form, title, show }: FormProps) => (
  <>
    <StoredForm<FormAnswer> path={`/api/settings?form=${form}`}>
      {(data) => show?.(data) ?? <SettingGroups {...data} title={title} />}
    </StoredForm>
    <DraftBar />
  </>
);

export function SettingGroups({ groups, settings, stored_version, title }: FormAnswer & { readonly title: string }) {
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
