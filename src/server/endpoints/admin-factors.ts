import { deleteFactorAsAdmin, listFactors, updateFactorAsAdmin } from '../admin/factors.js';
import { resetFactorsAsAdmin } from '../admin/reset-factors.js';
import { type ApiRequest, json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { ok, userErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';

const errors = [...userErrors, 'factorNotFound', 'factorIdNotUuid'] as const;
const pathOf = ({ params }: ApiRequest<unknown, unknown, never, 'user_id' | 'factor_id'>) => ({
  userId: params.user_id,
  factorId: params.factor_id,
});

export const getAdminUserFactors = defineEndpoint({
  method: 'GET',
  path: '/admin/users/{user_id}/factors',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminListFactors',
  tag: 'Administration',
  summary: 'Lists the second factors of a user.',
  answers: { 200: { description: 'The factors, oldest first.', body: { type: 'array', items: { type: 'object' } } } },
  errors: userErrors,
  handler: async (app, request) => json(await listFactors(app, request.params.user_id)),
});

export const putAdminUserFactor = defineEndpoint({
  method: 'PUT',
  path: '/admin/users/{user_id}/factors/{factor_id}',
  trailingSlash: true,
  caller: 'admin',
  body: fields('friendly_name', 'phone'),
  id: 'adminUpdateFactor',
  tag: 'Administration',
  summary: 'Changes name or number of a second factor.',
  answers: ok('Factor', 'The factor.'),
  errors: [...errors, 'phoneInvalid', 'factorNameTaken', 'factorPhoneTaken'],
  async handler(app, request) {
    const { friendly_name = '', phone = '' } = request.body;
    const change = { friendlyName: friendly_name, phone };
    return json(await updateFactorAsAdmin(app, request.id, request.caller, pathOf(request), change));
  },
});

export const deleteAdminUserFactor = defineEndpoint({
  method: 'DELETE',
  path: '/admin/users/{user_id}/factors/{factor_id}',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminDeleteFactor',
  tag: 'Administration',
  summary: 'Removes a second factor of a user.',
  answers: ok('Factor', 'The factor that was removed.'),
  errors,
  handler: async (app, request) => json(await deleteFactorAsAdmin(app, request.id, pathOf(request))),
});

export const postAdminUserFactorsReset = defineEndpoint({
  method: 'POST',
  path: '/admin/users/{user_id}/factors/reset',
  trailingSlash: true,
  caller: 'admin',
  body: fields('logout', 'passkeys'),
  bodyOptional: true,
  id: 'adminResetFactors',
  tag: 'Administration',
  summary: 'Removes all second factors of a user, on request their passkeys, and ends their sessions.',
  answers: ok('FactorReset', 'What was removed.'),
  errors: userErrors,
  async handler(app, request) {
    const { logout = true, passkeys = false } = request.body;
    const reset = { endsSessions: logout, removesPasskeys: passkeys };
    return json(await resetFactorsAsAdmin(app, request.id, request.caller, request.params.user_id, reset));
  },
});
