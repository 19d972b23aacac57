import { deleteFactorAsAdmin } from '../../admin/factors.js';
import { removePasskeyAsAdmin } from '../../admin/passkeys.js';
import { resetFactorsAsAdmin } from '../../admin/reset-factors.js';
import { consoleBody, defineConsole, objectOf, reasonField } from '../define-console.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { done, errorsOfUser } from './user.js';

export const deleteUserFactor = defineConsole({
  method: 'DELETE',
  path: '/api/users/{user_id}/factors/{factor_id}',
  role: 'support',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'removeUserFactor',
  tag: 'Users',
  summary: 'Removes a second factor of a user.',
  answer: done,
  errors: [...errorsOfUser, 'factorNotFound', 'factorIdNotUuid'],
  async handler(app, request) {
    const { user_id: userId, factor_id: factorId } = request.params;
    await deleteFactorAsAdmin(app, request.id, { userId, factorId }, asAdministrator(deedOf(request)));
    return { status: 204 };
  },
});

export const postUserFactorsReset = defineConsole({
  method: 'POST',
  path: '/api/users/{user_id}/factors/reset',
  role: 'support',
  stepUp: true,
  body: consoleBody({ passkeys: { type: 'boolean', description: 'Removes them, too.' }, ...reasonField }),
  bodyOptional: true,
  id: 'resetUserFactors',
  tag: 'Users',
  summary: 'Removes all second factors of a user who has lost them, and ends the sessions.',
  answer: {
    description: 'What was removed.',
    body: objectOf({
      id: { type: 'string' },
      removed_factors: { type: 'integer' },
      removed_passkeys: { type: 'integer' },
    }),
  },
  errors: errorsOfUser,
  async handler(app, request) {
    const reset = { endsSessions: true, removesPasskeys: request.body.passkeys === true };
    const admin = asAdministrator(deedOf(request));
    return { status: 200, body: await resetFactorsAsAdmin(app, request.id, admin, request.params.user_id, reset) };
  },
});

export const deleteUserPasskey = defineConsole({
  method: 'DELETE',
  path: '/api/users/{user_id}/passkeys/{passkey_id}',
  role: 'support',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'removeUserPasskey',
  tag: 'Users',
  summary: 'Removes a passkey of a user.',
  answer: done,
  errors: [...errorsOfUser, 'passkeyNotFound'],
  async handler(app, request) {
    const { user_id, passkey_id } = request.params;
    await removePasskeyAsAdmin(app, request.id, asAdministrator(deedOf(request)), user_id, passkey_id);
    return { status: 204 };
  },
});
