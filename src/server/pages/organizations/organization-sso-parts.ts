/** An identity provider on the page of its organization, and the fields of one. */
import type { SsoProviderRow } from '../../../db/sso-providers.js';
import { html, type Markup } from '../../../html.js';
import type { ErrorName } from '../../errors.js';
import { companyNameOf } from '../../saml/company-name.js';
import { ageOf } from '../account/age.js';
import { attributesOf, button, checkbox, field, PLAIN, textArea } from '../form.js';
import { folded } from './organization-leave.js';
import { boxGroup, isRefused, namesOfRoles, roleBoxes } from './organization-parts.js';
import { mayOpen, type OrganizationVisit, organizationLink } from './organization-place.js';
import { mappingForm, providerForm, showRule } from './organization-sso-rules.js';

interface GivenFields {
  readonly domains: readonly string[];
  readonly roles: readonly string[];
  readonly isEnforced: boolean;
}

/** Errors, and the fields that they are about. */
const wrongFields: Partial<Readonly<Record<ErrorName, readonly string[]>>> = {
  samlMetadataMissing: ['metadata_url', 'metadata_xml'],
  samlMetadataTwice: ['metadata_url', 'metadata_xml'],
  samlMetadataUrlInvalid: ['metadata_url'],
  samlMetadataUrlPlain: ['metadata_url'],
  samlMetadataFetchFailed: ['metadata_url'],
  samlMetadataFault: ['metadata'],
  samlEntityIdMismatch: ['metadata'],
  samlIdpAlreadyExists: ['metadata'],
  ssoFieldInvalid: ['domains'],
  ssoDomainTaken: ['domains'],
  organizationFieldInvalid: ['roles'],
  roleNotFound: ['roles'],
};

/** What these errors say of the metadata is for those who run the provider. */
const told: ReadonlySet<ErrorName> = new Set(['samlMetadataFault', 'samlMetadataFetchFailed', 'samlEntityIdMismatch']);

/**
 * The fields of a provider.
 * @param key once on the page
 * @param isSent this form was refused: it shows what was typed
 * @param more other fields
 */
export function ssoProviderFields(
  visit: OrganizationVisit,
  key: string,
  isSent: boolean,
  given: GivenFields,
  more: Markup | null = null,
): Markup {
  const { words, own, error, form: sent, request } = visit;
  const typed = (name: string): string => (isSent ? (sent.get(name) ?? '') : '');
  const wrong = (isSent && error !== null && wrongFields[error.entry]) || [];
  const isWrong = (name: string): boolean =>
    wrong.includes(name) || (wrong.includes('metadata') && name.startsWith('metadata_') && typed(name) !== '');
  const common = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', dir: 'ltr' } as const;
  const url = field(
    'metadata_url',
    words('sso.url'),
    { ...common, id: `url-${key}`, type: 'url', maxlength: '2048', value: typed('metadata_url') },
    isWrong('metadata_url'),
  );
  const xml = textArea(
    'metadata_xml',
    words('sso.xml'),
    { ...common, id: `xml-${key}`, rows: '4' },
    typed('metadata_xml'),
    isWrong('metadata_xml'),
  );
  const isTold = isSent && error !== null && told.has(error.entry);
  const fault = isTold && html`<p class="muted"><code dir="ltr" lang="en">${error.message}</code></p>`;
  const metadata = html`<div class="stack">${url}${xml}${fault}</div>`;
  const offered = [...new Set([...own.rolesToProvide, ...given.roles])];
  const roles = isSent ? request.allValues('roles') : given.roles;
  return html`${key === 'new' && metadata}
${domainBoxes(visit, isSent, given, isWrong('domains'))}
${roleBoxes(visit, offered, roles, isWrong('roles'), words('sso.roles'))}
${more}${key !== 'new' && folded(words('sso.metadata_new'), isWrong('metadata_url') || isWrong('metadata_xml'), metadata)}`;
}

/** Those that the organization has verified, and those that the provider has. */
function domainBoxes(visit: OrganizationVisit, isSent: boolean, given: GivenFields, isWrong: boolean): Markup {
  const { words, own, form: sent, request } = visit;
  const { id, domains } = own.organization;
  const verified = (domains ?? []).filter(({ status }) => status === 'verified').map(({ domain }) => domain);
  const options = [...new Set([...verified, ...given.domains])].map((domain) => [domain, domain] as const);
  if (options.length > 0) {
    const checked = isSent ? request.allValues('domains') : given.domains;
    const isEnforced = isSent ? sent.has('enforced') : given.isEnforced;
    return html`${boxGroup({ name: 'domains', legend: words('sso.domains'), options, checked, isWrong })}
${checkbox({ name: 'enforced', label: words('sso.enforced'), isChecked: isEnforced })}`;
  }
  const to = mayOpen(visit, 'domains')
    ? html` <a href="${organizationLink(visit, id, 'domains')}">${words('organizations.domains')}</a>`
    : null;
  return html`<p class="muted">${words('sso.no_domains')}${to}</p>`;
}

export function showProvider(visit: OrganizationVisit, row: SsoProviderRow, mayChange: boolean): Markup {
  const { words, language } = visit;
  const name = companyNameOf(row);
  const isOff = row.disabled === true;
  const isOpen = ['save', 'map', 'unmap', 'refresh', 'remove'].some((one) => isRefused(visit, one, 'entry_id', row.id));
  return html`<li>
<strong><bdi dir="ltr">${name}</bdi></strong> <span class="tag">SAML 2.0</span>${isOff && html` <span class="tag">${words('sso.off')}</span>`}
<div class="muted"><bdi dir="ltr">${row.entity_id}</bdi> · ${words('passkeys.added')} ${ageOf(language, row.created_at)}</div>
<div class="muted">${words('sso.joins', { roles: namesOfRoles(visit, row.roles) })}</div>
${row.role_mapping.length > 0 && html`<ul>${row.role_mapping.map((rule) => showRule(visit, row.id, rule, mayChange))}</ul>`}
${row.metadata_error !== null && html`<p class="alert" role="note">${words('sso.metadata_error')} <code dir="ltr" lang="en">${row.metadata_error}</code></p>`}
${mayChange && folded(words('passkeys.manage', { name }), isOpen, html`${providerForms(visit, row, name)}`)}
</li>`;
}

function providerForms(visit: OrganizationVisit, row: SsoProviderRow, name: string): readonly Markup[] {
  const { words, form: sent } = visit;
  const isSent = isRefused(visit, 'save', 'entry_id', row.id);
  const given = { domains: row.domains, roles: row.roles, isEnforced: row.options.enforced === true };
  const isOff = isSent ? sent.has('disabled') : row.disabled === true;
  const disabled = checkbox({ name: 'disabled', label: words('sso.disabled'), isChecked: isOff });
  const label = attributesOf({ class: 'danger', 'aria-label': words('factors.remove_named', { name }) });
  const one = (content: Markup) => providerForm(visit, row.id, content);
  return [
    one(
      html`${ssoProviderFields(visit, row.id, isSent, given, disabled)}${button(words('policies.save'), 'save', PLAIN)}`,
    ),
    mappingForm(visit, row),
    row.metadata_url !== null && one(button(words('sso.refresh'), 'refresh', PLAIN)),
    one(html`<p>${words('sso.remove_text')}</p>${button(words('passkeys.remove'), 'remove', label)}`),
  ].filter((part) => part !== false);
}
