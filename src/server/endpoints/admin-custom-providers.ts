import { createCustomProvider } from '../admin/custom-providers/create.js';
import { readCustomProviderPage, readCustomProviders } from '../admin/custom-providers/read.js';
import { viewCustomProvider } from '../admin/custom-providers/view.js';
import { json } from '../http/types.js';
import { managerOfAll } from '../organizations/provider-manager.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationListQuery } from './shared/organization-docs.js';
import { ssoPlaceErrors, ssoPlaceFields } from './shared/sso-fields.js';

/** Fields that can be changed. */
export const changeableFields = [
  'name',
  'client_id',
  'client_secret',
  'acceptable_client_ids',
  'scopes',
  'custom_claims_allowlist',
  'pkce_enabled',
  'enabled',
  'email_optional',
  'skip_nonce_check',
  'attribute_mapping',
  'authorization_params',
  'issuer',
  'discovery_url',
  'authorization_url',
  'token_url',
  'userinfo_url',
  'jwks_uri',
] as const;

const list = {
  type: 'object',
  properties: {
    providers: { type: 'array', items: { $ref: '#/components/schemas/CustomProvider' } },
    next_cursor: {
      type: ['string', 'null'],
      description: 'With limit or cursor: `cursor` of the next request; null: there is no more.',
    },
  },
  required: ['providers'],
};

export const getAdminCustomProviders = defineEndpoint({
  method: 'GET',
  path: '/admin/custom-providers',
  trailingSlash: true,
  caller: 'admin',
  query: {
    type: { enum: ['oauth2', 'oidc'], description: 'Only providers of this type.' },
    limit: { ...organizationListQuery.limit, description: 'Entries per answer; without it and cursor, all.' },
    cursor: organizationListQuery.cursor,
  },
  id: 'adminListCustomProviders',
  tag: 'Administration',
  summary: 'Lists the identity providers in the database, newest first.',
  answers: { 200: { description: 'The providers, without their secrets.', body: list } },
  errors: ['customProvidersDisabled', 'invalidParameter', 'organizationFieldInvalid'],
  async handler(app, { query }) {
    if (!query.get('limit') && !query.get('cursor')) {
      return json({ providers: (await readCustomProviders(app, query.get('type') ?? '')).map(viewCustomProvider) });
    }
    const { rows, next_cursor } = await readCustomProviderPage(app, query);
    return json({ providers: rows.map(viewCustomProvider), next_cursor });
  },
});

export const postAdminCustomProviders = defineEndpoint({
  method: 'POST',
  path: '/admin/custom-providers',
  trailingSlash: true,
  caller: 'admin',
  body: fields('provider_type', 'identifier', ...changeableFields, ...ssoPlaceFields),
  id: 'adminCreateCustomProvider',
  tag: 'Administration',
  summary: 'Adds an identity provider: an OpenID Connect issuer, or OAuth 2.0 with a profile as JSON.',
  answers: { 201: ok('CustomProvider', 'The provider, without its secret.')[200]! },
  errors: [
    'customProvidersDisabled',
    'invalidParameter',
    'overCustomProviderQuota',
    'customProviderExists',
    ...ssoPlaceErrors,
  ],
  async handler(app, { id, caller, body }) {
    const { provider_type = '', identifier = '', ...given } = body;
    const row = await createCustomProvider(app, managerOfAll(caller, id), { provider_type, identifier, fields: given });
    return json(viewCustomProvider(row), 201);
  },
});
