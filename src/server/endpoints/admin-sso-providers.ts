import { json } from '../http/types.js';
import { managerOfAll } from '../organizations/provider-manager.js';
import { createSsoProvider } from '../saml/providers/create-sso-provider.js';
import { readSsoProviders } from '../saml/providers/find-sso-provider.js';
import { viewSsoProvider } from '../saml/providers/view-sso-provider.js';
import { defineEndpoint } from './shared/define.js';
import { ok, text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { SSO_METADATA_BYTES, ssoFieldErrors, ssoFields, ssoPlaceErrors, ssoPlaceFields } from './shared/sso-fields.js';

const shared = { path: '/admin/sso/providers', trailingSlash: true, caller: 'admin', tag: 'Administration' } as const;

const list = {
  type: 'object',
  properties: { items: { type: 'array', items: { $ref: '#/components/schemas/SsoProvider' } } },
  required: ['items'],
};

export const getAdminSsoProviders = defineEndpoint({
  ...shared,
  method: 'GET',
  query: {
    resource_id: text('Only the provider with this resource_id.'),
    resource_id_prefix: text('Only providers whose resource_id begins so.'),
  },
  id: 'adminListSsoProviders',
  summary: 'Lists the identity providers of companies, oldest first, without their metadata.',
  answers: { 200: { description: 'The providers.', body: list } },
  async handler(app, { query }) {
    const [id, prefix] = [query.get('resource_id') ?? '', query.get('resource_id_prefix') ?? ''];
    return json({
      items: (await readSsoProviders(app, id, prefix)).map((row) => viewSsoProvider(row, app.config, true)),
    });
  },
});

export const postAdminSsoProviders = defineEndpoint({
  ...shared,
  method: 'POST',
  maxBodyBytes: SSO_METADATA_BYTES,
  body: fields('type', ...ssoFields, ...ssoPlaceFields),
  id: 'adminCreateSsoProvider',
  summary: 'Adds the identity provider of a company by its metadata.',
  answers: { 201: ok('SsoProvider', 'The provider.')[200]! },
  errors: ['ssoTypeUnsupported', 'samlMetadataMissing', 'samlIdpAlreadyExists', ...ssoFieldErrors, ...ssoPlaceErrors],
  async handler(app, { id, caller, body }) {
    const { type = '', ...given } = body;
    const row = await createSsoProvider(app, managerOfAll(caller, id), type, given);
    return json(viewSsoProvider(row, app.config), 201);
  },
});
