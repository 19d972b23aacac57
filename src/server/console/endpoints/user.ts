import { readUuid } from '../../../db/uuid.js';
import { viewUser } from '../../accounts/user-view.js';
import { readUser } from '../../admin/change-user.js';
import { readPasskeysOf } from '../../admin/passkeys.js';
import { readLiveCodes } from '../../codes/live-codes.js';
import { apiError } from '../../errors.js';
import { readCompanyNames } from '../../saml/company-name.js';
import { listSessions } from '../../sessions/own-sessions.js';
import { changeUser, deleteNamedUser, endUserSession, signOutUser } from '../change-users.js';
import {
  type ConsoleEndpoint,
  consoleBody,
  defineConsole,
  listOf,
  objectOf,
  orNull,
  reasonField,
  textField,
} from '../define-console.js';
import { searchActivity } from '../find-activity.js';
import { viewImpersonation } from '../impersonate.js';
import { deedOf } from '../operator-audit.js';
import { grantList, viewGrantsOf } from '../view-grants.js';
import { companiesOf, provisionedList, readProvisioned } from '../view-provisioned.js';
import { listQuery } from './users.js';

const user = { $ref: '#/components/schemas/User' } as const;
export const errorsOfUser = ['userNotFound', 'userIdNotUuid'] as const satisfies ConsoleEndpoint['errors'];
export const done = { status: 204, description: 'Done.' } as const;
export const activityPage = objectOf({
  entries: listOf(objectOf({ id: { type: 'string' }, created_at: { type: 'string' }, payload: { type: 'object' } })),
  next_cursor: orNull('string'),
});

const codeList = listOf(
  objectOf({
    kind: { type: 'string', description: 'What it proves, such as `recovery`.' },
    recipient: { type: 'string', description: 'Address or number it was sent to.' },
    has_link: { type: 'boolean' },
    has_code: { type: 'boolean', description: 'false, too, after too many wrong tries.' },
    wrong_tries: { type: 'integer' },
    created_at: { type: 'string' },
    expires_at: { type: 'string' },
  }),
);

export const getConsoleUser = defineConsole({
  method: 'GET',
  path: '/api/users/{user_id}',
  role: 'viewer',
  id: 'readUser',
  tag: 'Users',
  summary: 'Returns a user with identities, factors, sessions, passkeys and codes that are out.',
  answer: {
    description: 'The user. ETag names the state that a change with If-Match is meant for.',
    body: objectOf({
      user,
      sessions: listOf({ type: 'object' }),
      passkeys: listOf({ type: 'object' }),
      grants: {
        ...grantList,
        description: 'What it has allowed OAuth clients; null while the authorization server is off.',
      },
      organizations: {
        ...orNull('integer'),
        description: 'Of how many it is a member, 50 at most; null while organizations are off.',
      },
      codes: {
        ...codeList,
        description: 'Codes and links that can still be redeemed, newest first; neither is shown.',
      },
      companies: {
        type: 'object',
        description:
          'What companies among the providers of its identities, and those that provision it, are called, by `sso:` and id.',
      },
      provisioned: provisionedList,
      impersonation: {
        ...objectOf({ refused: orNull('string'), notifies: { type: 'boolean' } }),
        description:
          '`refused`: why no operator acts for this user; null: one may. `notifies`: the user gets a notice.',
      },
    }),
    headers: { ETag: 'For If-Match.' },
  },
  errors: errorsOfUser,
  async handler(app, { params }) {
    const row = await readUser(app, params.user_id);
    const provisioned = await readProvisioned(app, row.id);
    const providers = [...(row.identities ?? []).map(({ provider }) => provider), ...companiesOf(provisioned)];
    const [sessions, passkeys, codes, grants, companies] = await Promise.all([
      listSessions(app, row.id),
      readPasskeysOf(app, row.id),
      readLiveCodes(app, row.id),
      app.config.oauthServerEnabled ? viewGrantsOf(app, row.id) : null,
      readCompanyNames(app, providers),
    ]);
    const headers = { ETag: JSON.stringify(row.updated_at) };
    const impersonation = viewImpersonation(app, row);
    const organizations = app.config.organizationsEnabled ? (row.memberships ?? []).length : null;
    const shown = { sessions, passkeys, codes, grants, organizations, companies, provisioned, impersonation };
    const body = { user: viewUser(row), ...shown };
    return { status: 200, headers, body };
  },
});

export const putConsoleUser = defineConsole({
  method: 'PUT',
  path: '/api/users/{user_id}',
  role: 'support',
  maxBodyBytes: 131_072,
  body: consoleBody({
    email: textField('New email address.'),
    phone: textField('New phone number.'),
    email_confirm: { type: 'boolean', description: 'Confirms the email address.' },
    phone_confirm: { type: 'boolean', description: 'Confirms the phone number.' },
    ban_duration: textField('As 24h; none lifts a ban.'),
    user_metadata: { type: 'object', description: 'Merged; null removes a key.' },
    app_metadata: { type: 'object', description: 'Merged; null removes a key.' },
    ...reasonField,
  }),
  id: 'changeUser',
  tag: 'Users',
  summary: 'Changes a user, if the header If-Match names the present state.',
  answer: { description: 'The user.', body: user, headers: { ETag: 'For the next If-Match.' } },
  errors: [
    ...errorsOfUser,
    'userChangedMeanwhile',
    'emailExists',
    'phoneRegistered',
    'emailInvalid',
    'banDurationInvalid',
    'impersonationChoiceKept',
  ],
  async handler(app, request) {
    const { body, params } = request;
    const row = await changeUser(app, deedOf(request), params.user_id, {
      ...(body.email !== undefined && { email: body.email }),
      ...(body.phone !== undefined && { phone: body.phone }),
      confirmsEmail: body.email_confirm ?? false,
      confirmsPhone: body.phone_confirm ?? false,
      banDuration: body.ban_duration ?? '',
      userMetadata: body.user_metadata ?? null,
      appMetadata: body.app_metadata ?? null,
      unchangedSince: readMatch(request.header('if-match')),
    });
    return { status: 200, headers: { ETag: JSON.stringify(row['updated_at']) }, body: row };
  },
});

/** @returns null without the header, or for any state. @throws ApiError userChangedMeanwhile for another kind of tag */
function readMatch(text: string | undefined): string | null {
  if (text === undefined || text === '*') return null;
  const tag = /^"([^"]+)"$/.exec(text)?.[1];
  if (tag === undefined) throw apiError('userChangedMeanwhile');
  return tag;
}

export const deleteUserById = defineConsole({
  method: 'DELETE',
  path: '/api/users/{user_id}',
  role: 'admin',
  stepUp: true,
  body: consoleBody(
    {
      typed: textField('Address, number or id of the user, typed by the operator.'),
      soft: { type: 'boolean', description: 'Keeps the row without personal data.' },
      organizations: {
        type: 'string',
        enum: ['refuse', 'delete', 'keep'],
        description: 'What becomes of organizations with other members that no one else owns; default refuse.',
      },
      ...reasonField,
    },
    'typed',
  ),
  id: 'deleteUser',
  tag: 'Users',
  summary: 'Deletes a user.',
  answer: done,
  errors: [...errorsOfUser, 'userNotNamed', 'lastOwner'],
  async handler(app, request) {
    const { typed, soft, organizations } = request.body;
    const kind = soft ? 'soft' : 'hard';
    await deleteNamedUser(app, deedOf(request), request.params.user_id, typed, kind, organizations);
    return { status: 204 };
  },
});

export const deleteUserSessions = defineConsole({
  method: 'DELETE',
  path: '/api/users/{user_id}/sessions',
  role: 'support',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'signOutUser',
  tag: 'Users',
  summary: 'Ends all sessions of a user.',
  answer: done,
  errors: errorsOfUser,
  async handler(app, request) {
    await signOutUser(app, deedOf(request), request.params.user_id);
    return { status: 204 };
  },
});

export const deleteUserSession = defineConsole({
  method: 'DELETE',
  path: '/api/users/{user_id}/sessions/{session_id}',
  role: 'support',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'endUserSession',
  tag: 'Users',
  summary: 'Ends one session of a user.',
  answer: done,
  errors: [...errorsOfUser, 'userSessionNotFound'],
  async handler(app, request) {
    await endUserSession(app, deedOf(request), request.params.user_id, request.params.session_id);
    return { status: 204 };
  },
});

export const getUserActivity = defineConsole({
  method: 'GET',
  path: '/api/users/{user_id}/activity',
  role: 'viewer',
  query: listQuery,
  id: 'readUserActivity',
  tag: 'Users',
  summary: 'Returns what a user did and what was done to the account, newest first.',
  answer: { description: 'A page.', body: activityPage },
  errors: ['userIdNotUuid', 'badPagination'],
  async handler({ db }, { params, query }) {
    const id = readUuid(params.user_id);
    if (id === null) throw apiError('userIdNotUuid');
    const { entries, nextCursor } = await searchActivity(db, new Map([...query, ['person', id]]));
    return { status: 200, body: { entries, next_cursor: nextCursor } };
  },
});
