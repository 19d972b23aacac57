import { deleteUserAsAdmin, readUser, updateUserAsAdmin } from '../accounts/admin-change.js';
import type { AdminCaller } from '../accounts/caller.js';
import { viewUser } from '../accounts/user-view.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type ObjectSchema, type Reply } from '../http/types.js';
import type { AdminUserBody } from './admin-users.js';

type AdminRequest<Body = unknown> = ApiRequest<Body, AdminCaller>;

/** GET /admin/users/{user_id} (operations.md 1.6). */
export async function getUserById(app: App, request: AdminRequest): Promise<Reply> {
  return json(viewUser(await readUser(app, request.params['user_id']!)));
}

/** PUT /admin/users/{user_id} (service.md; operations.md 1.7). `id`, `aud` and `password_hash` are not looked at. */
export async function putUserById(app: App, request: AdminRequest<AdminUserBody>): Promise<Reply> {
  const { body } = request;
  return json(
    await updateUserAsAdmin(app, request.id, request.caller, request.params['user_id']!, {
      role: body.role ?? '',
      email: body.email ?? '',
      phone: body.phone ?? '',
      password: body.password ?? null,
      confirmsEmail: body.email_confirm ?? false,
      confirmsPhone: body.phone_confirm ?? false,
      userMetadata: body.user_metadata ?? null,
      appMetadata: body.app_metadata ?? null,
      banDuration: body.ban_duration ?? '',
    }),
  );
}

export const deleteUserBody = {
  type: 'object',
  properties: { should_soft_delete: { type: 'boolean' } },
} as const satisfies ObjectSchema;

/** DELETE /admin/users/{user_id} (operations.md 1.11). */
export async function deleteUserById(
  app: App,
  request: AdminRequest<{ should_soft_delete?: boolean }>,
): Promise<Reply> {
  const kind = request.body.should_soft_delete ? 'soft' : 'hard';
  await deleteUserAsAdmin(app, request.id, request.caller, request.params['user_id']!, kind);
  return json({});
}
