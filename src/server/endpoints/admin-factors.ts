import { readUser } from '../admin/change-user.js';
import type { App } from '../app.js';
import { apiError } from '../errors.js';
import { type ApiRequest, json, type Reply } from '../http/types.js';
import { readUuid } from '../uuid.js';
import { defineEndpoint } from './shared/define.js';
import { userErrors } from './shared/docs.js';

/** Second factors are not supported, so every list is empty. */
export const getAdminUserFactors = defineEndpoint({
  method: 'GET',
  path: '/admin/users/{user_id}/factors',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminListFactors',
  tag: 'Administration',
  summary: 'Lists the second factors of a user: always none.',
  answers: { 200: { description: 'An empty list.', body: { type: 'array', items: { type: 'object' } } } },
  errors: userErrors,
  async handler(app, request) {
    await readUser(app, request.params.user_id);
    return json([]);
  },
});

export const putAdminUserFactor = defineEndpoint({
  method: 'PUT',
  path: '/admin/users/{user_id}/factors/{factor_id}',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminUpdateFactor',
  tag: 'Administration',
  summary: 'Always answers that the factor does not exist.',
  answers: {},
  errors: [...userErrors, 'factorNotFound', 'factorIdNotUuid'],
  handler: rejectFactor,
});

export const deleteAdminUserFactor = defineEndpoint({
  method: 'DELETE',
  path: '/admin/users/{user_id}/factors/{factor_id}',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminDeleteFactor',
  tag: 'Administration',
  summary: 'Always answers that the factor does not exist.',
  answers: {},
  errors: [...userErrors, 'factorNotFound', 'factorIdNotUuid'],
  handler: rejectFactor,
});

async function rejectFactor(
  app: App,
  { params }: ApiRequest<unknown, unknown, never, 'user_id' | 'factor_id'>,
): Promise<Reply> {
  await readUser(app, params.user_id);
  throw apiError(readUuid(params.factor_id) === null ? 'factorIdNotUuid' : 'factorNotFound');
}
