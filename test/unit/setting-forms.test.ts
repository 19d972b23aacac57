/** Every setting that can be changed in the console stands on one form of it. */
import { allSettings, mainNameOf, placeCustomSettings } from '../../src/server/config/settings.js';
import { isStorable } from '../../src/server/config/storable.js';
import { placeOnForm, settingForms } from '../../src/server/console/setting-forms/index.js';
import { t } from '../support/tap.js';

const forms = Object.entries(settingForms);
const groups = forms.flatMap(([form, tabs]) => tabs.flatMap((tab) => tab.groups.map((group) => ({ form, group }))));
const changeable = [...allSettings, ...placeCustomSettings('ACME')].filter(({ setting }) => isStorable(setting));
const nameOf = ({ setting }: (typeof changeable)[number]): string => mainNameOf(setting).replace(/^AUTH_/, '');

t.test('each has a form, a group and a label', async (t) => {
  t.ok(changeable.length > 500);
  const without = changeable.filter((placed) => !/^\p{L}/u.test(placeOnForm(placed)?.label ?? ''));
  t.same(without.map(nameOf), []);
});

t.test('the table names nothing twice, and nothing that does not exist', async (t) => {
  const names = groups.flatMap(({ group }) => Object.keys(group.settings ?? {}));
  t.same(names, [...new Set(names)]);
  const known = new Set(changeable.map(nameOf));
  t.same(
    names.filter((name) => !known.has(name)),
    [],
  );
  const sections = groups.flatMap(({ group }) => group.sections ?? []);
  t.same(sections, [...new Set(sections)]);
  const beginnings = groups.flatMap(({ group }) => group.beginnings ?? []);
  t.same(beginnings, [...new Set(beginnings)]);
});

t.test('no group is empty, and labels of a group differ', async (t) => {
  const empty: string[] = [];
  const alike: string[] = [];
  const places = changeable.map((placed) => ({ placed, at: placeOnForm(placed)! }));
  for (const { form, group } of groups) {
    const labels = places.filter(({ at }) => at.form === form && at.group === group.title).map(({ at }) => at.label);
    if (labels.length === 0) empty.push(`${form}, ${group.title}`);
    if (new Set(labels).size < labels.length) alike.push(`${form}, ${group.title}`);
  }
  t.same(empty, []);
  t.same(alike, []);
});

t.test('a new setting goes where its section goes, or where its name begins', async (t) => {
  const setting = { variable: 'X', kind: 'bool', default: 'false', doc: '', example: 'true' } as const;
  const at = (section: string, variable: string) => placeOnForm({ section, setting: { ...setting, variable } });
  t.match(at('Passwords', 'PASSWORD_NEVER_REUSED'), {
    form: 'sign-in',
    tab: 'Passwords',
    group: 'New passwords',
    label: 'Password never reused',
  });
  t.match(at('Second factors', 'MFA_TOTP_ISSUER'), { group: 'Authenticator apps', label: 'Issuer' });
  t.match(at('External providers', 'EXTERNAL_SLACK_OIDC_URL'), { group: 'slack_oidc', label: 'URL' });
  t.equal(at('A section of tomorrow', 'TOMORROW'), null);
});
