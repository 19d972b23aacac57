import { adminActor } from '../../accounts/audit.js';
import { readUser } from '../../admin/change-user.js';
import { revokeGrant } from '../../oauth/grants.js';
import { assertOauthServerOn } from '../../oauth/switches.js';
import { consoleBody, defineConsole, objectOf, reasonField } from '../define-console.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { grantList, viewGrantsOf } from '../view-grants.js';
import { done, errorsOfUser } from './user.js';

const shared = { assertOn: assertOauthServerOn, tag: 'OAuth clients' } as const;

export const getUserGrants = defineConsole({
  ...shared,
  method: 'GET',
  path: '/api/users/{user_id}/grants',
  role: 'viewer',
  id: 'listUserGrants',
  summary: 'Lists the clients that a user has allowed something, newest first.',
  answer: { description: 'All.', body: objectOf({ grants: grantList }) },
  errors: ['oauthServerDisabled', ...errorsOfUser],
  async handler(app, { params }) {
    const { id } = await readUser(app, params.user_id);
    return { status: 200, body: { grants: await viewGrantsOf(app, id) } };
  },
});

export const deleteUserGrant = defineConsole({
  ...shared,
  method: 'DELETE',
  path: '/api/users/{user_id}/grants/{client_id}',
  role: 'support',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'endUserGrant',
  summary: 'Takes back what a user has allowed a client, and ends its sessions of this user.',
  answer: done,
  errors: ['oauthServerDisabled', 'clientIdNotUuid', ...errorsOfUser, 'grantNotFound'],
  async handler(app, request) {
    const user = await readUser(app, request.params.user_id);
    const actor = adminActor(asAdministrator(deedOf(request)));
    await revokeGrant(app, request.id, user, request.params.client_id, actor);
    return { status: 204 };
  },
});
