import { createUserAsAdmin } from '../accounts/admin-create.js';
import { listByCursor, listByPage } from '../accounts/admin-list.js';
import type { AdminCaller } from '../accounts/caller.js';
import { link, pageHeaders, wantsCursor } from '../accounts/pagination.js';
import { viewUser } from '../accounts/user-view.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type ObjectSchema, type Reply } from '../http/types.js';
import { operatorAudienceOf } from './client.js';

/** GET /admin/users (operations.md 1.3), by number of the page or by cursor. */
export async function listUsers(app: App, request: ApiRequest<unknown, AdminCaller>): Promise<Reply> {
  const { path, query } = request;
  const aud = operatorAudienceOf(app, request);
  if (!wantsCursor(query)) {
    const { users, total, page } = await listByPage(app, aud, query);
    return json({ users: users.map(viewUser), aud }, 200, pageHeaders(path, query, page, total));
  }
  const { users, nextCursor } = await listByCursor(app, aud, query);
  const pagination = { next_cursor: nextCursor, has_more: nextCursor !== null };
  const headers: Record<string, string> =
    nextCursor === null ? {} : { Link: link(path, query, { cursor: nextCursor }, 'next') };
  return json({ users: users.map(viewUser), aud, pagination }, 200, headers);
}

export const adminUserBody = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    aud: { type: 'string', maxLength: 255 },
    role: { type: 'string', maxLength: 255 },
    email: { type: 'string' },
    phone: { type: 'string' },
    password: { type: 'string' },
    password_hash: { type: 'string' },
    email_confirm: { type: 'boolean' },
    phone_confirm: { type: 'boolean' },
    user_metadata: { type: 'object' },
    app_metadata: { type: 'object' },
    ban_duration: { type: 'string' },
  },
} as const satisfies ObjectSchema;

export interface AdminUserBody {
  id?: string;
  aud?: string;
  role?: string;
  email?: string;
  phone?: string;
  password?: string;
  password_hash?: string;
  email_confirm?: boolean;
  phone_confirm?: boolean;
  user_metadata?: Record<string, unknown>;
  app_metadata?: Record<string, unknown>;
  ban_duration?: string;
}

/** POST /admin/users, and POST /admin/users/{user_id} (service.md), which brings the id in the path. */
export async function postUser(app: App, request: ApiRequest<AdminUserBody, AdminCaller>): Promise<Reply> {
  const { body } = request;
  return json(
    await createUserAsAdmin(app, request.id, request.caller, {
      pathId: request.params['user_id'] ?? null,
      id: body.id ?? '',
      audience: body.aud || operatorAudienceOf(app, request),
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
