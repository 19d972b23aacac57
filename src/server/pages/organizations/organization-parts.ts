/** Parts that the pages of organizations share. */
import { html, type Markup } from '../../../html.js';
import { readOrganizationFields } from '../../organizations/organization-fields.js';
import { isAllowed } from '../../organizations/rules.js';
import { accountPath } from '../continue.js';
import type { TextKey } from '../contract.js';
import { attributesOf, field, form, hidden } from '../form.js';
import type { Visit } from '../visit.js';

/** Entries of a list on one page. */
const PAGE_ENTRIES = '20';

/** Limits and place of a list, as the lists of organizations/ take them. */
export const cursorQueryOf = (
  { query }: Pick<Visit, 'query'>,
  ...more: readonly string[]
): ReadonlyMap<string, string> =>
  new Map([['limit', PAGE_ENTRIES], ...['cursor', ...more].map((name) => [name, query.get(name) ?? ''] as const)]);

/** To the entries after those that are shown. @param to address of the page */
export const moreLink = ({ words }: Pick<Visit, 'words'>, to: string, cursor: string | null): Markup | null =>
  cursor === null
    ? null
    : html`<p><a class="button plain" href="${to}&cursor=${encodeURIComponent(cursor)}">${words('organizations.more')}</a></p>`;

const roleTexts: Readonly<Record<string, TextKey>> = {
  owner: 'organizations.role_owner',
  admin: 'organizations.role_admin',
  member: 'organizations.role_member',
};

/** Built-in roles have a name in each language, others the one that they were given. */
export const nameOfRole = ({ words }: Pick<Visit, 'words'>, role: string): string =>
  Object.hasOwn(roleTexts, role) ? words(roleTexts[role]!) : role;

export const namesOfRoles = (visit: Pick<Visit, 'words' | 'language'>, roles: readonly string[]): string =>
  new Intl.ListFormat(visit.language.tag, { type: 'unit', style: 'short' }).format(
    roles.map((role) => nameOfRole(visit, role)),
  );

/** Boxes of which several may be ticked. */
export interface BoxGroup {
  readonly name: string;
  readonly legend: string;
  /** Values, and what they are called. */
  readonly options: readonly (readonly [string, string])[];
  readonly checked: readonly string[];
  readonly isWrong: boolean;
}

export function boxGroup({ name, legend, options, checked, isWrong }: BoxGroup): Markup {
  const box = ([value, label]: readonly [string, string]): Markup => {
    const attributes = {
      type: 'checkbox',
      name,
      value,
      ...(checked.includes(value) && { checked: true as const }),
      ...(isWrong && { 'aria-invalid': 'true', 'aria-describedby': 'problem' }),
    };
    return html`<label><input${attributesOf(attributes)}> <bdi>${label}</bdi></label>`;
  };
  return html`<fieldset class="field"><legend>${legend}</legend>${options.map(box)}</fieldset>`;
}

/** A box for each role. @param checked those that are chosen at first */
export const roleBoxes = (
  visit: Pick<Visit, 'words'>,
  roles: readonly string[],
  checked: readonly string[],
  isWrong: boolean,
  legend = visit.words('organizations.roles'),
): Markup =>
  boxGroup({
    name: 'roles',
    legend,
    options: roles.map((role) => [role, nameOfRole(visit, role)] as const),
    checked,
    isWrong,
  });

/** Whether the form that was sent is this one, and was refused. */
export const isRefused = ({ error, form: sent }: Visit, action: string, name = '', value = ''): boolean =>
  error !== null && sent.get('action') === action && (name === '' || sent.get(name) === value);

/** Name and short name of an organization. @param given what they are; null: it is a new one */
export function organizationFields(
  visit: Visit,
  action: string,
  given: { readonly name: string; readonly slug: string } | null,
): Markup {
  const { words, error, form: sent } = visit;
  const isSent = isRefused(visit, action);
  const value = (name: 'name' | 'slug') => (isSent ? sent.get(name) : given?.[name]) ?? '';
  const isWrong = (name: 'name' | 'slug') =>
    isSent &&
    (error?.entry === 'organizationSlugTaken'
      ? name === 'slug'
      : error?.entry === 'organizationFieldInvalid' &&
        (name === 'name' || value('slug') !== '') &&
        !isAllowed(() => readOrganizationFields({ [name]: value(name) })));
  const hint = html`<span class="muted" id="slug-hint">${words(given === null ? 'organizations.slug_new' : 'organizations.slug_hint')}</span>`;
  const common = { autocomplete: 'off', ...(given !== null && { required: true as const }) } as const;
  return html`${field(
    'name',
    words('profile.name'),
    { ...common, required: true, maxlength: '100', value: value('name') },
    isWrong('name'),
  )}${field(
    'slug',
    words('organizations.slug'),
    {
      ...common,
      autocapitalize: 'none',
      spellcheck: 'false',
      dir: 'ltr',
      maxlength: '63',
      value: value('slug'),
      'aria-describedby': 'slug-hint',
    },
    isWrong('slug'),
    hint,
  )}`;
}

/** Makes another organization the active one. @param isActive it is that already: the button makes none the active one */
export function switchForm(visit: Visit, id: string, name: string, isActive: boolean): Markup {
  const { words } = visit;
  const [label, ariaLabel] = isActive
    ? [words('organizations.stop'), words('organizations.stop_named', { name })]
    : [words('organizations.switch'), words('organizations.switch_named', { name })];
  return form(
    visit,
    accountPath('organizations'),
    html`${hidden('action', 'switch')}${hidden('entry_id', isActive ? '' : id)}
<button type="submit" class="link" aria-label="${ariaLabel}">${label}</button>`,
  );
}
