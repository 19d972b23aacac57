import { json } from '../http/types.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import { renderUserinfo } from '../oauth/userinfo.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';

/** OpenID Connect Core 5.3 */
export const getOauthUserinfo = defineEndpoint({
  method: 'GET',
  path: '/oauth/userinfo',
  caller: 'user',
  callerMayBeClient: true,
  callerMayLag: true,
  secondFactor: 'not asked',
  assertOn: assertOauthServerOn,
  id: 'oauthUserinfo',
  tag: 'OAuth server',
  summary: 'Returns what the scopes of the token allow to know of the user.',
  answers: ok('Userinfo', 'The claims.'),
  errors: ['oauthServerDisabled'],
  handler: (_app, { caller }) => json(renderUserinfo(caller)),
});
