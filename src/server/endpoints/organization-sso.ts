import { json } from '../http/types.js';
import { accessGuardErrors } from '../organizations/access-guard.js';
import { changeSsoProvider, refreshSsoProvider, removeSsoProvider } from '../saml/providers/change-sso-provider.js';
import { createSsoProvider } from '../saml/providers/create-sso-provider.js';
import { readSsoProvidersOf } from '../saml/providers/find-sso-provider.js';
import {
  managerOfOrganization,
  raisedManagerOfOrganization,
  readManagedProvider,
} from '../saml/providers/provider-manager.js';
import { viewSsoProvider } from '../saml/providers/view-sso-provider.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationEndpoint, organizationErrors, organizationPage } from './shared/organization-docs.js';
import {
  joiningErrors,
  joiningFields,
  memberSsoFields,
  SSO_METADATA_BYTES,
  ssoFieldErrors,
} from './shared/sso-fields.js';

const many = { ...organizationEndpoint, path: '/organizations/{id}/sso' } as const;
const one = { ...organizationEndpoint, path: '/organizations/{id}/sso/{provider_id}' } as const;
const found = [...organizationErrors, 'ssoIdentityProviderNotFound'] as const;
const writeErrors = ['ownersOnly', ...accessGuardErrors, ...joiningErrors, ...ssoFieldErrors] as const;

export const getOrganizationSsoProviders = defineEndpoint({
  ...many,
  method: 'GET',
  secondFactor: 'not asked',
  id: 'listOrganizationSsoProviders',
  summary:
    'Lists the identity providers of an organization, oldest first, without their metadata (sso:manage). There are 10 at most, on one page.',
  answers: organizationPage('providers', 'SsoProvider', 'The providers.'),
  errors: organizationErrors,
  async handler(app, { id, caller, params }) {
    const { organizationId } = await managerOfOrganization(app, id, caller, params.id);
    const rows = await readSsoProvidersOf(app, organizationId);
    return json({ providers: rows.map((row) => viewSsoProvider(row, app.config, true)), next_cursor: null });
  },
});

export const postOrganizationSsoProvider = defineEndpoint({
  ...many,
  method: 'POST',
  secondFactor: 'asked',
  limit: 'organizations',
  maxBodyBytes: SSO_METADATA_BYTES,
  body: fields('type', ...memberSsoFields, ...joiningFields),
  id: 'createOrganizationSsoProvider',
  summary:
    'Adds an identity provider of an organization by its metadata (sso:manage, and whatever the roles permit that it gives).',
  answers: { 201: ok('SsoProvider', 'The provider.')[200]! },
  errors: [
    ...organizationErrors,
    'ssoTypeUnsupported',
    'samlMetadataMissing',
    'samlIdpAlreadyExists',
    'tooManySsoProviders',
    ...writeErrors,
  ],
  async handler(app, { id, caller, params, body }) {
    const manager = await raisedManagerOfOrganization(app, id, caller, params.id);
    const { type = '', ...given } = body;
    return json(viewSsoProvider(await createSsoProvider(app, manager, type, given), app.config), 201);
  },
});

export const getOrganizationSsoProvider = defineEndpoint({
  ...one,
  method: 'GET',
  secondFactor: 'not asked',
  id: 'getOrganizationSsoProvider',
  summary: 'Returns an identity provider of an organization (sso:manage).',
  answers: ok('SsoProvider', 'The provider.'),
  errors: found,
  async handler(app, { id, caller, params }) {
    const manager = await managerOfOrganization(app, id, caller, params.id);
    return json(viewSsoProvider(await readManagedProvider(app, manager, params.provider_id), app.config));
  },
});

export const putOrganizationSsoProvider = defineEndpoint({
  ...one,
  method: 'PUT',
  secondFactor: 'asked',
  limit: 'organizations',
  maxBodyBytes: SSO_METADATA_BYTES,
  body: fields(...memberSsoFields, ...joiningFields),
  id: 'updateOrganizationSsoProvider',
  summary:
    'Changes an identity provider of an organization (sso:manage, and whatever the roles permit that it gives); fields that are absent stay, except name_id_format.',
  answers: ok('SsoProvider', 'The provider.'),
  errors: [...found, 'samlEntityIdMismatch', ...writeErrors],
  async handler(app, { id, caller, params, body }) {
    const manager = await raisedManagerOfOrganization(app, id, caller, params.id);
    return json(viewSsoProvider(await changeSsoProvider(app, manager, params.provider_id, body), app.config));
  },
});

export const deleteOrganizationSsoProvider = defineEndpoint({
  ...one,
  method: 'DELETE',
  secondFactor: 'asked',
  id: 'deleteOrganizationSsoProvider',
  summary:
    'Deletes an identity provider of an organization and ends its sessions (sso:manage). Accounts and members stay.',
  answers: ok('SsoProvider', 'The provider, as it was.'),
  errors: [...found, ...accessGuardErrors],
  async handler(app, { id, caller, params }) {
    const manager = await raisedManagerOfOrganization(app, id, caller, params.id);
    return json(viewSsoProvider(await removeSsoProvider(app, manager, params.provider_id), app.config));
  },
});

export const postOrganizationSsoRefresh = defineEndpoint({
  ...organizationEndpoint,
  method: 'POST',
  path: '/organizations/{id}/sso/{provider_id}/refresh_metadata',
  secondFactor: 'not asked',
  limit: 'organizations',
  id: 'refreshOrganizationSsoProvider',
  summary: 'Reads the metadata of an identity provider of an organization again (sso:manage).',
  answers: ok('SsoProvider', 'The provider.'),
  errors: [...found, 'samlMetadataHasNoUrl', 'samlMetadataFetchFailed', 'samlMetadataFault', 'samlEntityIdMismatch'],
  async handler(app, { id, caller, params }) {
    const manager = await managerOfOrganization(app, id, caller, params.id);
    return json(viewSsoProvider(await refreshSsoProvider(app, manager, params.provider_id), app.config));
  },
});
