import { changeCustomProvider, removeCustomProvider } from '../admin/custom-providers/change.js';
import { createCustomProvider } from '../admin/custom-providers/create.js';
import {
  customProviderReader,
  findCustomProviderOf,
  readCustomProvidersOf,
} from '../admin/custom-providers/of-organization.js';
import { viewCustomProvider } from '../admin/custom-providers/view.js';
import { json } from '../http/types.js';
import { accessGuardErrors } from '../organizations/access-guard.js';
import { managerOfOrganization, raisedManagerOfOrganization } from '../organizations/provider-manager.js';
import { changeSsoProvider, refreshSsoProvider, removeSsoProvider } from '../saml/providers/change-sso-provider.js';
import { createSsoProvider } from '../saml/providers/create-sso-provider.js';
import { readSsoProvidersOf } from '../saml/providers/find-sso-provider.js';
import { readManagedProvider } from '../saml/providers/managed-provider.js';
import { viewSsoProvider } from '../saml/providers/view-sso-provider.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationEndpoint, organizationErrors, organizationPage } from './shared/organization-docs.js';
import {
  joiningErrors,
  joiningFields,
  memberOpenidFields,
  memberSsoFields,
  SSO_METADATA_BYTES,
  ssoFieldErrors,
} from './shared/sso-fields.js';

const many = { ...organizationEndpoint, path: '/organizations/{id}/sso' } as const;
const one = { ...organizationEndpoint, path: '/organizations/{id}/sso/{provider_id}' } as const;
const found = [...organizationErrors, 'ssoIdentityProviderNotFound'] as const;
const writeErrors = [
  ...(['ownersOnly', ...accessGuardErrors, ...joiningErrors, ...ssoFieldErrors] as const),
  // Of OpenID Connect.
  ...(['customProvidersDisabled', 'invalidParameter'] as const),
] as const;
const openidFields = [...memberOpenidFields, 'attribute_mapping', ...joiningFields] as const;
const samlFields = [...memberSsoFields, ...joiningFields] as const;

/** Only these fields. */
const pick = <Given extends object, Name extends keyof Given>(given: Given, names: readonly Name[]) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name as Name))) as Pick<Given, Name>;

export const getOrganizationSsoProviders = defineEndpoint({
  ...many,
  method: 'GET',
  secondFactor: 'not asked',
  id: 'listOrganizationSsoProviders',
  summary:
    'Lists the identity providers of an organization, those of SAML first, without their metadata and secrets (sso:manage). There are 10 at most, on one page.',
  answers: organizationPage('providers', 'OrganizationProvider', 'The providers.'),
  errors: organizationErrors,
  async handler(app, { id, caller, params }) {
    const manager = await managerOfOrganization(app, id, caller, params.id);
    const saml = await readSsoProvidersOf(app, manager.organizationId);
    const openid = await readCustomProvidersOf(app, manager);
    const providers = [
      ...saml.map((row) => viewSsoProvider(row, app.config, true)),
      ...openid.map((row) => viewCustomProvider(row)),
    ];
    return json({ providers, next_cursor: null });
  },
});

export const postOrganizationSsoProvider = defineEndpoint({
  ...many,
  method: 'POST',
  secondFactor: 'asked',
  limit: 'organizations',
  maxBodyBytes: SSO_METADATA_BYTES,
  body: fields('type', ...memberSsoFields, ...memberOpenidFields, ...joiningFields),
  id: 'createOrganizationSsoProvider',
  summary:
    'Adds an identity provider of an organization: of SAML by its metadata, of OpenID Connect by its issuer (sso:manage, and whatever the roles permit that it gives).',
  answers: { 201: ok('OrganizationProvider', 'The provider.')[200]! },
  errors: [
    ...organizationErrors,
    'ssoTypeUnsupported',
    'samlMetadataMissing',
    'samlIdpAlreadyExists',
    'tooManySsoProviders',
    'overCustomProviderQuota',
    ...writeErrors,
  ],
  async handler(app, { id, caller, params, body }) {
    const manager = await raisedManagerOfOrganization(app, id, caller, params.id);
    const { type = '' } = body;
    if (type === 'oidc') {
      const given = { provider_type: type, identifier: null, fields: pick(body, openidFields) };
      return json(viewCustomProvider(await createCustomProvider(app, manager, given)), 201);
    }
    const row = await createSsoProvider(app, manager, type, pick(body, samlFields));
    return json(viewSsoProvider(row, app.config), 201);
  },
});

export const getOrganizationSsoProvider = defineEndpoint({
  ...one,
  method: 'GET',
  secondFactor: 'not asked',
  id: 'getOrganizationSsoProvider',
  summary: 'Returns an identity provider of an organization (sso:manage).',
  answers: ok('OrganizationProvider', 'The provider.'),
  errors: found,
  async handler(app, { id, caller, params }) {
    const manager = await managerOfOrganization(app, id, caller, params.id);
    const openid = await findCustomProviderOf(app, manager, params.provider_id);
    if (openid !== undefined) return json(viewCustomProvider(openid));
    return json(viewSsoProvider(await readManagedProvider(app, manager, params.provider_id), app.config));
  },
});

export const putOrganizationSsoProvider = defineEndpoint({
  ...one,
  method: 'PUT',
  secondFactor: 'asked',
  limit: 'organizations',
  maxBodyBytes: SSO_METADATA_BYTES,
  body: fields(...memberSsoFields, ...memberOpenidFields, ...joiningFields),
  id: 'updateOrganizationSsoProvider',
  summary:
    'Changes an identity provider of an organization (sso:manage, and whatever the roles permit that it gives); fields that are absent stay, except name_id_format.',
  answers: ok('OrganizationProvider', 'The provider.'),
  errors: [...found, 'samlEntityIdMismatch', 'customProviderNotFound', ...writeErrors],
  async handler(app, { id, caller, params, body }) {
    const manager = await raisedManagerOfOrganization(app, id, caller, params.id);
    const { provider_id: providerId } = params;
    if ((await findCustomProviderOf(app, manager, providerId)) !== undefined) {
      const read = customProviderReader(app, manager, providerId);
      return json(viewCustomProvider(await changeCustomProvider(app, manager, read, pick(body, openidFields))));
    }
    const row = await changeSsoProvider(app, manager, providerId, pick(body, samlFields));
    return json(viewSsoProvider(row, app.config));
  },
});

export const deleteOrganizationSsoProvider = defineEndpoint({
  ...one,
  method: 'DELETE',
  secondFactor: 'asked',
  id: 'deleteOrganizationSsoProvider',
  summary:
    'Deletes an identity provider of an organization, and ends the sessions of one of SAML (sso:manage). Accounts and members stay.',
  answers: ok('OrganizationProvider', 'The provider, as it was.'),
  errors: [...found, ...accessGuardErrors, 'customProviderNotFound'],
  async handler(app, { id, caller, params }) {
    const manager = await raisedManagerOfOrganization(app, id, caller, params.id);
    const openid = await findCustomProviderOf(app, manager, params.provider_id);
    if (openid === undefined) {
      return json(viewSsoProvider(await removeSsoProvider(app, manager, params.provider_id), app.config));
    }
    await removeCustomProvider(app, manager, openid);
    return json(viewCustomProvider(openid));
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
