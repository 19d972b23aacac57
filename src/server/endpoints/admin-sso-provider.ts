import { json } from '../http/types.js';
import { managerOfAll } from '../organizations/provider-manager.js';
import { changeSsoProvider, refreshSsoProvider, removeSsoProvider } from '../saml/providers/change-sso-provider.js';
import { readSsoProvider } from '../saml/providers/find-sso-provider.js';
import { viewSsoProvider } from '../saml/providers/view-sso-provider.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { SSO_METADATA_BYTES, ssoFieldErrors, ssoFields, ssoPlaceErrors, ssoPlaceFields } from './shared/sso-fields.js';

const shared = {
  path: '/admin/sso/providers/{id}',
  trailingSlash: true,
  caller: 'admin',
  tag: 'Administration',
} as const;
const found = ['ssoIdentityProviderNotFound'] as const;

export const getAdminSsoProvider = defineEndpoint({
  ...shared,
  method: 'GET',
  id: 'adminGetSsoProvider',
  summary: 'Returns the identity provider of a company, by id or by resource_ and its resource_id.',
  answers: ok('SsoProvider', 'The provider.'),
  errors: found,
  handler: async (app, { params }) => json(viewSsoProvider(await readSsoProvider(app, params.id), app.config)),
});

export const putAdminSsoProvider = defineEndpoint({
  ...shared,
  method: 'PUT',
  maxBodyBytes: SSO_METADATA_BYTES,
  body: fields(...ssoFields, ...ssoPlaceFields),
  id: 'adminUpdateSsoProvider',
  summary: 'Changes the identity provider of a company; fields that are absent stay, except name_id_format.',
  answers: ok('SsoProvider', 'The provider.'),
  errors: [...found, 'samlEntityIdMismatch', ...ssoFieldErrors, ...ssoPlaceErrors],
  handler: async (app, { id, caller, params, body }) =>
    json(viewSsoProvider(await changeSsoProvider(app, managerOfAll(caller, id), params.id, body), app.config)),
});

export const deleteAdminSsoProvider = defineEndpoint({
  ...shared,
  method: 'DELETE',
  id: 'adminDeleteSsoProvider',
  summary: 'Deletes the identity provider of a company and ends its sessions. Accounts stay.',
  answers: ok('SsoProvider', 'The provider, as it was.'),
  errors: found,
  handler: async (app, { id, caller, params }) =>
    json(viewSsoProvider(await removeSsoProvider(app, managerOfAll(caller, id), params.id), app.config)),
});

export const postAdminSsoProviderRefresh = defineEndpoint({
  method: 'POST',
  path: '/admin/sso/providers/{id}/refresh_metadata',
  trailingSlash: true,
  caller: 'admin',
  tag: 'Administration',
  id: 'adminRefreshSsoProvider',
  summary: 'Reads the metadata of an identity provider again. Metadata that cannot be used changes nothing.',
  answers: ok('SsoProvider', 'The provider.'),
  errors: [...found, 'samlMetadataHasNoUrl', 'samlMetadataFetchFailed', 'samlMetadataFault', 'samlEntityIdMismatch'],
  handler: async (app, { id, caller, params }) =>
    json(viewSsoProvider(await refreshSsoProvider(app, managerOfAll(caller, id), params.id), app.config)),
});
