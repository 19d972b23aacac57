import { changeCustomProvider, removeCustomProvider } from '../admin/custom-providers/change.js';
import { readCustomProvider } from '../admin/custom-providers/read.js';
import { viewCustomProvider } from '../admin/custom-providers/view.js';
import { json } from '../http/types.js';
import { managerOfAll } from '../organizations/provider-manager.js';
import { changeableFields } from './admin-custom-providers.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { ssoPlaceErrors, ssoPlaceFields } from './shared/sso-fields.js';

const shared = {
  path: '/admin/custom-providers/{identifier}',
  trailingSlash: true,
  caller: 'admin',
  tag: 'Administration',
} as const;
const found = ['customProvidersDisabled', 'customProviderNotFound'] as const;

export const getAdminCustomProvider = defineEndpoint({
  ...shared,
  method: 'GET',
  id: 'adminGetCustomProvider',
  summary: 'Returns an identity provider of the database.',
  answers: ok('CustomProvider', 'The provider, without its secret.'),
  errors: found,
  handler: async (app, { params }) => json(viewCustomProvider(await readCustomProvider(app, params.identifier))),
});

export const putAdminCustomProvider = defineEndpoint({
  ...shared,
  method: 'PUT',
  body: fields(...changeableFields, ...ssoPlaceFields),
  id: 'adminUpdateCustomProvider',
  summary: 'Changes an identity provider; fields that are absent stay.',
  answers: ok('CustomProvider', 'The provider, without its secret.'),
  errors: [...found, 'invalidParameter', ...ssoPlaceErrors],
  handler: async (app, { id, caller, params, body }) =>
    json(
      viewCustomProvider(
        await changeCustomProvider(
          app,
          managerOfAll(caller, id),
          () => readCustomProvider(app, params.identifier),
          body,
        ),
      ),
    ),
});

export const deleteAdminCustomProvider = defineEndpoint({
  ...shared,
  method: 'DELETE',
  id: 'adminDeleteCustomProvider',
  summary: 'Deletes an identity provider. Accounts keep their identities.',
  answers: { 204: { description: 'Deleted.' } },
  errors: found,
  async handler(app, { id, caller, params }) {
    await removeCustomProvider(app, managerOfAll(caller, id), await readCustomProvider(app, params.identifier));
    return { status: 204 };
  },
});
