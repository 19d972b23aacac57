/** Which roles those get of whom an identity provider says something: the rules of any kind of provider. */
import type { MappedRoles, SsoProviderRow } from '../../../db/sso-providers.js';
import { html, type Markup } from '../../../html.js';
import { attributesOf, button, field, form, hidden, PLAIN } from '../form.js';
import { folded } from './organization-leave.js';
import { isRefused, namesOfRoles, roleBoxes } from './organization-parts.js';
import { type OrganizationVisit, organizationPath } from './organization-place.js';

/** A form about a provider. */
export const providerForm = (visit: OrganizationVisit, providerId: string, content: Markup): Markup =>
  form(visit, organizationPath(visit, 'sso'), html`${hidden('entry_id', providerId)}${content}`);

export function showRule(visit: OrganizationVisit, providerId: string, rule: MappedRoles, mayChange: boolean): Markup {
  const { words } = visit;
  const { attribute, value, roles } = rule;
  const name = `${attribute} = ${value}`;
  const label = attributesOf({ class: 'link', 'aria-label': words('sso.unmap_named', { name }) });
  const content = html`${hidden('attribute', attribute)}${hidden('value', value)}${button(words('passkeys.remove'), 'unmap', label)}`;
  return html`<li class="row"><div><bdi dir="ltr">${name}</bdi>: ${namesOfRoles(visit, roles)}</div>
${mayChange && providerForm(visit, providerId, content)}</li>`;
}

export function mappingForm(visit: OrganizationVisit, { id, roles }: Pick<SsoProviderRow, 'id' | 'roles'>): Markup {
  const { words, own, error, form: sent, request } = visit;
  const isSent = isRefused(visit, 'map', 'entry_id', id);
  const isFieldWrong = isSent && error?.entry === 'organizationFieldInvalid';
  const chosen = isSent ? request.allValues('roles') : roles;
  const text = (name: 'attribute' | 'value') =>
    field(
      name,
      words(`sso.${name}`),
      {
        id: `${name}-${id}`,
        autocomplete: 'off',
        autocapitalize: 'none',
        spellcheck: 'false',
        dir: 'ltr',
        required: true,
        maxlength: '512',
        value: isSent ? (sent.get(name) ?? '') : '',
      },
      isFieldWrong && (sent.get(name) ?? '').trim() === '',
    );
  const boxes = roleBoxes(visit, own.rolesToProvide, chosen, isFieldWrong && chosen.length === 0);
  const content = html`${text('attribute')}${text('value')}${boxes}${button(words('sso.map_add'), 'map', PLAIN)}`;
  return folded(words('sso.map'), isSent, providerForm(visit, id, content));
}
