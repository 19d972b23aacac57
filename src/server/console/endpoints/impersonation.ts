import { clientOf } from '../../endpoints/shared/client.js';
import { consoleBody, defineConsole, objectOf, reasonField } from '../define-console.js';
import { impersonateUser } from '../impersonate.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { errorsOfUser } from './user.js';

const text = { type: 'string' } as const;
const whole = { type: 'integer' } as const;

export const postUserImpersonation = defineConsole({
  method: 'POST',
  path: '/api/users/{user_id}/impersonate',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ reason: { ...reasonField.reason, minLength: 3 } }, 'reason'),
  id: 'impersonateUser',
  tag: 'Users',
  summary:
    'Acts for a user: an access token of at most 15 minutes that says so (act, RFC 8693). There is no refresh token.',
  answer: {
    description: 'The token, which is not shown again. Its session is among those of the user, and can be ended there.',
    body: objectOf({ access_token: text, token_type: text, expires_in: whole, expires_at: whole, session_id: text }),
  },
  errors: [...errorsOfUser, 'userNotImpersonable', 'userChangedMeanwhile'],
  async handler(app, request) {
    const { id: sub, name } = request.caller;
    const admin = asAdministrator(deedOf(request));
    const client = { ...clientOf(request), userAgent: null };
    return { status: 200, body: await impersonateUser(app, client, admin, { sub, name }, request.params.user_id) };
  },
});
