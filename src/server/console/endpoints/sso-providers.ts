import { allFields } from '../../endpoints/shared/fields.js';
import {
  SSO_METADATA_BYTES,
  ssoFieldErrors,
  ssoFields,
  ssoPlaceErrors,
  ssoPlaceFields,
} from '../../endpoints/shared/sso-fields.js';
import { managerOfAll } from '../../organizations/provider-manager.js';
import { changeSsoProvider, refreshSsoProvider, removeSsoProvider } from '../../saml/providers/change-sso-provider.js';
import { createSsoProvider } from '../../saml/providers/create-sso-provider.js';
import { readSsoProvider, readSsoProviders } from '../../saml/providers/find-sso-provider.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField } from '../define-console.js';
import { assertRole, type OperatorCaller } from '../operator.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { companyGuides } from '../provider-guides/companies.js';
import { viewOwnSaml, viewSsoInConsole } from '../view-sso.js';
import { done } from './user.js';

const text = { type: 'string' } as const;
const names = [...ssoFields, ...ssoPlaceFields] as const;
const givenFields = Object.fromEntries(names.map((name) => [name, allFields[name]])) as Pick<
  typeof allFields,
  (typeof names)[number]
>;
/** Schema of one. */
export const shownSsoProvider = {
  type: 'object',
  allOf: [{ $ref: '#/components/schemas/SsoProvider' }],
  properties: {
    proofs: {
      ...listOf(objectOf({ domain: text, status: { enum: ['verified', 'pending'] }, record: { type: 'object' } })),
      description: 'Its domains with the TXT records that prove them, also where that is not needed.',
    },
    needs_proof: { type: 'boolean', description: 'Domains count only once they are proved.' },
    ends: {
      ...listOf(objectOf({ what: { enum: ['certificate', 'metadata'] }, ends_at: text })),
      description: 'What ends within 30 days, or has ended.',
    },
    fault: { ...orNull('string'), description: 'Why sign-ins cannot use its metadata; completes "SAML Metadata …".' },
  },
} as const;
const own = {
  type: ['object', 'null'],
  description: 'What is entered at the identity provider; null: SAML is off.',
  properties: {
    entity_id: text,
    acs_url: text,
    slo_url: text,
    metadata_url: text,
    download_url: text,
    certificates: { ...listOf(text), description: 'PEM, the one in use first.' },
  },
} as const;
const guide = objectOf({ title: text, register_at: orNull('string'), steps: listOf(text), notes: listOf(text) });

const many = { path: '/api/sso-providers', tag: 'Companies' } as const;
const one = { ...many, path: '/api/sso-providers/{sso_provider_id}' } as const;
const notFound = ['ssoIdentityProviderNotFound'] as const;

/** Only owners name servers that this one calls. @throws ApiError operatorRoleTooLow */
function assertMayName(caller: OperatorCaller, { metadata_url: url = '' }: { readonly metadata_url?: string }): void {
  if (url !== '') assertRole(caller, 'owner');
}

export const getSsoProviders = defineConsole({
  ...many,
  method: 'GET',
  role: 'viewer',
  id: 'listSsoProviders',
  summary: 'Lists the identity providers of companies, oldest first, and what to enter there.',
  answer: {
    description: 'All, without their metadata.',
    body: objectOf({ own, guides: listOf(guide), providers: listOf(shownSsoProvider) }),
  },
  async handler(app) {
    const rows = await readSsoProviders(app, '', '');
    const guides = companyGuides.map(({ title, registerAt, steps, notes = [] }) => ({
      title,
      register_at: registerAt,
      steps,
      notes,
    }));
    const providers = rows.map((row) => viewSsoInConsole(app, row, true));
    return { status: 200, body: { own: viewOwnSaml(app), guides, providers } };
  },
});

export const postSsoProvider = defineConsole({
  ...many,
  method: 'POST',
  role: 'admin',
  stepUp: true,
  maxBodyBytes: SSO_METADATA_BYTES,
  body: consoleBody({ ...givenFields, ...reasonField }),
  id: 'createSsoProvider',
  summary: 'Adds the identity provider of a company by its metadata.',
  description: 'Its metadata_url needs the role owner.',
  answer: { status: 201, description: 'The provider.', body: shownSsoProvider },
  errors: ['samlMetadataMissing', 'samlIdpAlreadyExists', ...ssoFieldErrors, ...ssoPlaceErrors],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    assertMayName(request.caller, given);
    const admin = asAdministrator(deedOf(request));
    return {
      status: 201,
      body: viewSsoInConsole(app, await createSsoProvider(app, managerOfAll(admin, request.id), 'saml', given), false),
    };
  },
});

export const getSsoProvider = defineConsole({
  ...one,
  method: 'GET',
  role: 'viewer',
  id: 'readSsoProvider',
  summary: 'Returns the identity provider of a company, by id or by resource_ and its resource_id.',
  answer: { description: 'The provider, with its metadata.', body: shownSsoProvider },
  errors: notFound,
  handler: async (app, { params }) => ({
    status: 200,
    body: viewSsoInConsole(app, await readSsoProvider(app, params.sso_provider_id), false),
  }),
});

export const putSsoProvider = defineConsole({
  ...one,
  method: 'PUT',
  role: 'admin',
  stepUp: true,
  maxBodyBytes: SSO_METADATA_BYTES,
  body: consoleBody({ ...givenFields, ...reasonField }),
  id: 'changeSsoProvider',
  summary: 'Changes the identity provider of a company; fields that are absent stay, except name_id_format.',
  description: 'Its metadata_url needs the role owner.',
  answer: { description: 'The provider.', body: shownSsoProvider },
  errors: [...notFound, 'samlEntityIdMismatch', ...ssoFieldErrors, ...ssoPlaceErrors],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    assertMayName(request.caller, given);
    const admin = asAdministrator(deedOf(request));
    const row = await changeSsoProvider(app, managerOfAll(admin, request.id), request.params.sso_provider_id, given);
    return { status: 200, body: viewSsoInConsole(app, row, false) };
  },
});

export const deleteSsoProviderById = defineConsole({
  ...one,
  method: 'DELETE',
  role: 'admin',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'deleteSsoProvider',
  summary: 'Deletes the identity provider of a company and ends its sessions. Accounts stay.',
  answer: done,
  errors: notFound,
  async handler(app, request) {
    const manager = managerOfAll(asAdministrator(deedOf(request)), request.id);
    await removeSsoProvider(app, manager, request.params.sso_provider_id);
    return { status: 204 };
  },
});

export const postSsoProviderRefresh = defineConsole({
  ...one,
  method: 'POST',
  path: '/api/sso-providers/{sso_provider_id}/refresh-metadata',
  role: 'admin',
  id: 'refreshSsoProvider',
  summary: 'Reads the metadata of an identity provider again. Metadata that cannot be used changes nothing.',
  answer: { description: 'The provider.', body: shownSsoProvider },
  errors: [...notFound, 'samlMetadataHasNoUrl', 'samlMetadataFetchFailed', 'samlMetadataFault', 'samlEntityIdMismatch'],
  handler: async (app, { params }) => ({
    status: 200,
    body: viewSsoInConsole(app, await refreshSsoProvider(app, { organizationId: null }, params.sso_provider_id), false),
  }),
});
