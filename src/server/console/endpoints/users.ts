import { estimateUsers } from '../../../db/console-lists.js';
import { viewListedUser } from '../../accounts/user-view.js';
import { actOnUser, deleteNamedUser, forEachUser, type UserAction, userActions } from '../change-users.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField, textField } from '../define-console.js';
import { searchUsers } from '../find-users.js';

const text = (description: string) => ({ type: 'string', description }) as const;
const user = { $ref: '#/components/schemas/User' } as const;
const MAX_BULK = 100;
const idsField = {
  ids: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_BULK, description: 'Ids of users.' },
} as const;
const results = {
  description: 'One result for each, in order. Those without error_code are done.',
  body: objectOf({
    results: listOf(objectOf({ id: { type: 'string' }, error_code: orNull('string'), msg: orNull('string') })),
  }),
} as const;

export const listQuery = {
  limit: { type: 'integer', minimum: 1, description: 'Rows per page; default 50, at most 200.' },
  cursor: text('next_cursor of the page before.'),
} as const;

export const getUsers = defineConsole({
  method: 'GET',
  path: '/api/users',
  role: 'viewer',
  query: {
    ...listQuery,
    q: text('Beginning of an email address, a phone number or an id. Empty: newest first, with the filters below.'),
    by: text('email, phone or id; guessed from q otherwise.'),
    contains: text('Part of the email address or number: a search of two seconds at most, which searched_until ends.'),
    audience: text('Default AUTH_JWT_AUD.'),
    provider: text('Has an identity of this provider.'),
    confirmed: text('true or false: has a confirmed address.'),
    banned: text('true or false.'),
    anonymous: text('true or false.'),
    created_from: text('RFC 3339.'),
    created_before: text('RFC 3339.'),
    signed_in_from: text('Last sign-in, RFC 3339.'),
    signed_in_before: text('Last sign-in before this, or never.'),
  },
  id: 'searchUsers',
  tag: 'Users',
  summary: 'Looks for users. Never counts; a filter that few match returns what it has found so far.',
  answer: {
    description:
      'A page. `searched_until`: the search ended there for now, and next_cursor goes on. `about_total`: how many users there were when Postgres last looked.',
    body: objectOf({
      users: listOf(user),
      next_cursor: orNull('string'),
      searched_until: orNull('string'),
      about_total: { type: 'integer' },
    }),
  },
  errors: ['badPagination', 'badFilter'],
  async handler(app, { query }) {
    const [page, about] = await Promise.all([searchUsers(app, query), estimateUsers(app.db)]);
    const { users, nextCursor, searchedUntil } = page;
    return {
      status: 200,
      body: {
        users: users.map(viewListedUser),
        next_cursor: nextCursor,
        searched_until: searchedUntil,
        about_total: about,
      },
    };
  },
});

export const postUsersBulk = defineConsole({
  method: 'POST',
  path: '/api/users/bulk',
  role: 'support',
  body: consoleBody(
    {
      ...idsField,
      ...reasonField,
      action: { type: 'string', enum: userActions, description: 'ban, unban, confirm or sign_out.' },
      ban_duration: textField('As 24h; without it a ban has no end.'),
    },
    'ids',
    'action',
  ),
  id: 'changeUsers',
  tag: 'Users',
  summary: 'Bans, unbans, confirms or signs out up to 100 users.',
  answer: results,
  async handler(app, { id, caller, body }) {
    const deed = { operator: caller, requestId: id, reason: body.reason };
    const action: UserAction = body.action;
    const act = (userId: string) => actOnUser(app, deed, userId, action, body.ban_duration);
    return { status: 200, body: { results: await forEachUser(body.ids, act) } };
  },
});

export const postUsersDelete = defineConsole({
  method: 'POST',
  path: '/api/users/bulk-delete',
  role: 'admin',
  stepUp: true,
  body: consoleBody(
    {
      ...reasonField,
      users: {
        type: 'array',
        items: { type: 'object' },
        minItems: 1,
        maxItems: MAX_BULK,
        description: 'Each with id, and typed: its address, number or id.',
      },
    },
    'users',
  ),
  id: 'deleteUsers',
  tag: 'Users',
  summary: 'Deletes up to 100 users.',
  answer: results,
  async handler(app, { id, caller, body }) {
    const deed = { operator: caller, requestId: id, reason: body.reason };
    const typed = new Map(body.users.map((one) => [String(one['id']), String(one['typed'] ?? '')]));
    const act = (userId: string) => deleteNamedUser(app, deed, userId, typed.get(userId)!, 'hard');
    return { status: 200, body: { results: await forEachUser([...typed.keys()], act) } };
  },
});
