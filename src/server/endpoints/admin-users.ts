import { viewListedUser } from '../accounts/user-view.js';
import { createUserAsAdmin } from '../admin/create-user.js';
import { listByCursor, listByPage } from '../admin/list-users.js';
import { link, pageHeaders, wantsCursor } from '../admin/pagination.js';
import { type ApiRequest, json, type Reply } from '../http/types.js';
import type { App } from '../runtime/app.js';
import type { AdminCaller } from '../sessions/administrator.js';
import { adminAudienceOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import {
  contactErrors,
  cursorQuery,
  METADATA_BODY_BYTES,
  ok,
  ownIdErrors,
  page,
  pageQuery,
  text,
} from './shared/docs.js';
import { type BodyOf, fields } from './shared/fields.js';

export const adminUserBody = fields(
  'id',
  'aud',
  'role',
  'email',
  'phone',
  'password',
  'password_hash',
  'email_confirm',
  'phone_confirm',
  'user_metadata',
  'app_metadata',
  'ban_duration',
);

export const getAdminUsers = defineEndpoint({
  method: 'GET',
  path: '/admin/users',
  trailingSlash: true,
  caller: 'admin',
  query: {
    ...pageQuery,
    ...cursorQuery,
    sort: text('created_at, created_at asc or created_at desc.'),
    filter: text('Part of the address or of user_metadata.full_name.'),
    id: text('The user with this id.'),
    email: text('The user with this address.'),
    phone: text('The user with this number.'),
  },
  id: 'adminListUsers',
  tag: 'Administration',
  summary: 'Lists users, newest first, by page or by cursor.',
  answers: page('A page of users.', 'UserList'),
  async handler(app, request) {
    const { path, query } = request;
    const aud = adminAudienceOf(app, request);
    if (!wantsCursor(query, app.config.cursorPagination)) {
      const { users, total, page } = await listByPage(app, aud, query);
      return json({ users: users.map(viewListedUser), aud }, 200, pageHeaders(path, query, page, total));
    }
    const { users, nextCursor } = await listByCursor(app, aud, query);
    const pagination = nextCursor === null ? { has_more: false } : { next_cursor: nextCursor, has_more: true };
    const headers: Record<string, string> =
      nextCursor === null ? {} : { Link: link(path, query, { cursor: nextCursor }, 'next') };
    return json({ users: users.map(viewListedUser), aud, pagination }, 200, headers);
  },
});

export const postAdminUsers = defineEndpoint({
  method: 'POST',
  path: '/admin/users',
  trailingSlash: true,
  caller: 'admin',
  maxBodyBytes: METADATA_BODY_BYTES,
  body: adminUserBody,
  id: 'adminCreateUser',
  tag: 'Administration',
  summary: 'Creates a user. Nothing is sent, and no rate limit applies.',
  answers: ok('User', 'The user.'),
  errors: [...contactErrors, ...ownIdErrors, 'accessTokenTooLong'],
  handler: (app, request) => createUser(app, request, null),
});

export const postAdminUser = defineEndpoint({
  method: 'POST',
  path: '/admin/users/{user_id}',
  trailingSlash: true,
  caller: 'admin',
  maxBodyBytes: METADATA_BODY_BYTES,
  body: adminUserBody,
  id: 'adminCreateUserWithId',
  tag: 'Administration',
  summary: 'Creates a user with this id.',
  answers: ok('User', 'The user.'),
  errors: [...contactErrors, ...ownIdErrors, 'userIdNotUuid', 'idMismatch', 'accessTokenTooLong'],
  handler: (app, request) => createUser(app, request, request.params.user_id),
});

async function createUser(
  app: App,
  request: ApiRequest<BodyOf<typeof adminUserBody>, AdminCaller>,
  pathId: string | null,
): Promise<Reply> {
  const { body } = request;
  return json(
    await createUserAsAdmin(app, request.id, request.caller, {
      pathId,
      id: body.id ?? '',
      audience: body.aud || adminAudienceOf(app, request),
      role: body.role ?? '',
      email: body.email ?? '',
      phone: body.phone ?? '',
      password: body.password ?? null,
      passwordHash: body.password_hash ?? '',
      confirmsEmail: body.email_confirm ?? false,
      confirmsPhone: body.phone_confirm ?? false,
      userMetadata: body.user_metadata ?? {},
      appMetadata: body.app_metadata ?? {},
      banDuration: body.ban_duration ?? '',
    }),
  );
}
