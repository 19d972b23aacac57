import type { LogoutScope } from '../../db/log-outs.js';
import { apiError } from '../errors.js';
import { json, noContent } from '../http/types.js';
import { beginSsoLogout } from '../saml/logout/begin-logout.js';
import { mayManageAccount } from '../sessions/caller.js';
import { isImpersonated } from '../sessions/find-caller.js';
import { signOut } from '../sessions/open.js';
import { clientOf, redirectOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok, text } from './shared/docs.js';

const scopes: readonly string[] = ['global', 'local', 'others'] satisfies LogoutScope[];

export const postLogout = defineEndpoint({
  method: 'POST',
  path: '/logout',
  caller: 'user',
  callerMayBePending: true,
  callerMayBeClient: true,
  callerMayBeImpersonated: true,
  secondFactor: 'not asked',
  callerMayBeLimited: true,
  callerMayHaveLeft: true,
  query: {
    scope: { enum: ['global', 'local', 'others'], default: 'global', description: 'Which sessions end.' },
    redirect_to: text('Where the browser goes after the log-out at the company.'),
  },
  id: 'signOut',
  tag: 'Account',
  summary: 'Ends sessions. Access tokens stay valid until they expire.',
  answers: {
    204: { description: 'Signed out.' },
    ...ok('SsoLogout', 'Signed out here; sso_logout_url ends the session at the company, too.'),
  },
  errors: ['unsupportedLogoutScope', 'clientTokenRefused', 'impersonationRefused'],
  async handler(app, request) {
    const scope = request.query.get('scope') || 'global';
    if (!scopes.includes(scope)) throw apiError('unsupportedLogoutScope', { scope: scope.slice(0, 32) });
    // A client and an operator may give up their own session, not those of the user.
    if (scope !== 'local' && !mayManageAccount(app, request.caller.claims)) throw apiError('clientTokenRefused');
    if (scope !== 'local' && isImpersonated(request.caller.claims)) throw apiError('impersonationRefused');
    const ended = await signOut(app, clientOf(request), request.caller, scope as LogoutScope);
    if (ended === null || !app.config.samlEnabled) return noContent();
    const redirectTo = redirectOf(app, request, request.query.get('redirect_to'));
    const url = await beginSsoLogout(app, ended, { redirectTo, pageFlowId: null });
    return url === null ? noContent() : json({ sso_logout_url: url });
  },
});
