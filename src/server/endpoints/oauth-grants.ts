import { apiError } from '../errors.js';
import { json, noContent } from '../http/types.js';
import { listGrants, revokeGrant } from '../oauth/grants.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';

const all = {
  path: '/user/oauth/grants',
  caller: 'user',
  secondFactor: 'not asked',
  assertOn: assertOauthServerOn,
  tag: 'OAuth server',
} as const;

export const getUserOauthGrants = defineEndpoint({
  ...all,
  method: 'GET',
  id: 'listOauthGrants',
  summary: 'Lists the clients that the user has allowed something, newest first.',
  answers: {
    200: {
      description: 'The grants.',
      body: { type: 'array', items: { $ref: '#/components/schemas/OauthGrant' } },
    },
  },
  errors: ['oauthServerDisabled', 'clientTokenRefused'],
  handler: async (app, { caller }) => json(await listGrants(app, caller.user.id)),
});

export const deleteUserOauthGrant = defineEndpoint({
  ...all,
  method: 'DELETE',
  query: { client_id: { ...text('Id of the client.'), required: true } },
  id: 'revokeOauthGrant',
  summary: 'Takes back what a client was allowed, and ends its sessions.',
  answers: { 204: { description: 'Revoked.' } },
  errors: ['oauthServerDisabled', 'grantClientMissing', 'clientIdNotUuid', 'grantNotFound', 'clientTokenRefused'],
  async handler(app, { id, caller, query }) {
    const clientId = query.get('client_id');
    if (!clientId) throw apiError('grantClientMissing');
    await revokeGrant(app, id, caller.user, clientId);
    return noContent();
  },
});
