/** A provider of OpenID Connect on the page of its organization, and the fields of one. */
import type { CustomProviderRow } from '../../../db/custom-providers.js';
import { html, type Markup } from '../../../html.js';
import { DEFAULT_ROLES } from '../../organizations/change-members.js';
import { ageOf } from '../account/age.js';
import { attributesOf, button, checkbox, field, hidden, PLAIN } from '../form.js';
import { folded } from './organization-leave.js';
import { isRefused, namesOfRoles, roleBoxes } from './organization-parts.js';
import type { OrganizationVisit } from './organization-place.js';
import { mappingForm, providerForm, showRule } from './organization-sso-rules.js';

const names = ['name', 'client_id', 'client_secret'] as const;

/**
 * The fields of a provider.
 * @param row null: it is new
 * @param isSent this form was refused: it shows what was typed, the secret excepted
 */
export function openidFields(visit: OrganizationVisit, row: CustomProviderRow | null, isSent: boolean): Markup {
  const { words, own, error, form: sent, request } = visit;
  const reason = isSent && error?.entry === 'invalidParameter' ? error.message : '';
  // The reason begins with the field; what the provider answers is about its issuer.
  const wrong = reason === '' ? '' : (names.find((name) => reason.startsWith(`${name} `)) ?? 'issuer');
  const key = row?.id ?? 'openid';
  const given = { name: row?.settings.name ?? '', issuer: '', client_id: '', client_secret: '' };
  const text = (name: keyof typeof given, label: string, type: 'text' | 'url' | 'password' = 'text') =>
    field(
      name,
      label,
      {
        id: `${name}-${key}`,
        type,
        autocomplete: 'off',
        ...(name !== 'name' && { autocapitalize: 'none', spellcheck: 'false', dir: 'ltr' as const }),
        ...((row === null || name === 'name') && { required: true as const }),
        maxlength: name === 'name' ? '100' : '2048',
        value: isSent && name !== 'client_secret' ? (sent.get(name) ?? '') : given[name],
      },
      wrong === name,
    );
  const word = html`<div class="stack">${text('issuer', words('sso.issuer'), 'url')}${text('client_id', words('clients.id'))}
${text('client_secret', words('clients.secret'), 'password')}</div>`;
  const told = reason !== '' && html`<p class="muted"><code dir="ltr" lang="en">${reason}</code></p>`;
  const former = row?.roles ?? DEFAULT_ROLES;
  const isRoleWrong = isSent && (error?.entry === 'organizationFieldInvalid' || error?.entry === 'roleNotFound');
  const roles = roleBoxes(
    visit,
    [...new Set([...own.rolesToProvide, ...former])],
    isSent ? request.allValues('roles') : former,
    isRoleWrong,
    words('sso.roles'),
  );
  const isOff = isSent ? sent.has('disabled') : row?.settings.enabled === false;
  return html`${text('name', words('profile.name'))}${told}${row === null && word}
${roles}
${row !== null && html`${checkbox({ name: 'disabled', label: words('sso.disabled'), isChecked: isOff })}${folded(words('sso.openid_new'), wrong !== '' && wrong !== 'name', word)}`}`;
}

export function showOpenidProvider(visit: OrganizationVisit, row: CustomProviderRow, mayChange: boolean): Markup {
  const { words, language } = visit;
  const { id, settings, roles, role_mapping: rules, created_at } = row;
  const { name, issuer, enabled } = settings;
  const isSent = isRefused(visit, 'save', 'entry_id', id);
  const isOpen = isSent || ['map', 'unmap', 'remove'].some((one) => isRefused(visit, one, 'entry_id', id));
  const label = attributesOf({ class: 'danger', 'aria-label': words('factors.remove_named', { name }) });
  const forms = html`${providerForm(visit, id, html`${openidFields(visit, row, isSent)}${button(words('policies.save'), 'save', PLAIN)}`)}
${mappingForm(visit, row)}
${providerForm(visit, id, html`${hidden('action', 'remove')}${button(words('passkeys.remove'), '', label)}`)}`;
  return html`<li>
<strong><bdi>${name}</bdi></strong> <span class="tag">OpenID Connect</span>${!enabled && html` <span class="tag">${words('sso.off')}</span>`}
<div class="muted"><bdi dir="ltr">${issuer}</bdi> · ${words('passkeys.added')} ${ageOf(language, created_at)}</div>
<div class="muted">${words('sso.joins', { roles: namesOfRoles(visit, roles) })}</div>
${rules.length > 0 && html`<ul>${rules.map((rule) => showRule(visit, id, rule, mayChange))}</ul>`}
${mayChange && folded(words('passkeys.manage', { name }), isOpen, forms)}
</li>`;
}
