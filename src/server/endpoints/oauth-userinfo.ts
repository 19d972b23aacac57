import { json } from '../http/types.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import { readUserinfo } from '../oauth/userinfo.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';

/** OpenID Connect Core 5.3; both methods are mandatory (5.3.1). */
const all = {
  path: '/oauth/userinfo',
  caller: 'user',
  callerMayBeClient: true,
  callerMayLag: true,
  secondFactor: 'not asked',
  assertOn: assertOauthServerOn,
  resourceErrors: true,
  tag: 'OAuth server',
  answers: ok('Userinfo', 'The claims.'),
  errors: [
    'oauthServerDisabled',
    'pairwiseUnavailable',
    'impersonationRefused',
    'passwordResetRequired',
    'factorRequired',
  ],
} as const;

export const getOauthUserinfo = defineEndpoint({
  ...all,
  method: 'GET',
  id: 'oauthUserinfo',
  summary: 'Returns what the scopes of the token allow to know of the user.',
  handler: async (app, { caller }) => json(await readUserinfo(app, caller)),
});

export const postOauthUserinfo = defineEndpoint({
  ...all,
  method: 'POST',
  id: 'oauthUserinfoByPost',
  summary: 'The same by POST. The token is in the Authorization header here, too; the body is not read.',
  handler: async (app, { caller }) => json(await readUserinfo(app, caller)),
});
