import { viewUser } from '../accounts/user-view.js';
import { deleteUserAsAdmin, readUser, updateUserAsAdmin } from '../admin/change-user.js';
import { apiError } from '../errors.js';
import { json } from '../http/types.js';
import type { SoleOwned } from '../organizations/end-memberships.js';
import { adminUserBody } from './admin-users.js';
import { defineEndpoint } from './shared/define.js';
import { contactErrors, METADATA_BODY_BYTES, ok, userErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';

export const getAdminUser = defineEndpoint({
  method: 'GET',
  path: '/admin/users/{user_id}',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminGetUser',
  tag: 'Administration',
  summary: 'Returns a user.',
  answers: ok('User', 'The user.'),
  errors: userErrors,
  handler: async (app, request) => json(viewUser(await readUser(app, request.params.user_id))),
});

/** `id`, `aud` and `password_hash` have no effect. */
export const putAdminUser = defineEndpoint({
  method: 'PUT',
  path: '/admin/users/{user_id}',
  trailingSlash: true,
  caller: 'admin',
  maxBodyBytes: METADATA_BODY_BYTES,
  body: adminUserBody,
  id: 'adminUpdateUser',
  tag: 'Administration',
  summary: 'Changes a user; bans them or lifts a ban.',
  answers: ok('User', 'The user.'),
  errors: [...userErrors, ...contactErrors, 'weakPassword', 'banDurationInvalid', 'accessTokenTooLong'],
  async handler(app, request) {
    const { body } = request;
    return json(
      await updateUserAsAdmin(app, request.id, request.caller, request.params.user_id, {
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
  },
});

export const deleteAdminUser = defineEndpoint({
  method: 'DELETE',
  path: '/admin/users/{user_id}',
  trailingSlash: true,
  caller: 'admin',
  query: {
    organizations: {
      enum: ['delete', 'keep'],
      description:
        'What becomes of organizations that have no other owner; without it, other members keep the account.',
    },
  },
  body: fields('should_soft_delete'),
  bodyOptional: true,
  id: 'adminDeleteUser',
  tag: 'Administration',
  summary: 'Deletes a user.',
  answers: ok('Empty', 'Deleted.'),
  errors: [...userErrors, 'lastOwner', 'organizationFieldInvalid'],
  async handler(app, request) {
    const kind = request.body.should_soft_delete ? 'soft' : 'hard';
    const organizations = readSoleOwned(request.query.get('organizations'));
    await deleteUserAsAdmin(app, request.id, request.caller, request.params.user_id, kind, organizations);
    return json({});
  },
});

/** @throws ApiError organizationFieldInvalid */
function readSoleOwned(text: string | undefined): SoleOwned {
  if (text === undefined || text === '') return 'refuse';
  if (text === 'delete' || text === 'keep') return text;
  throw apiError('organizationFieldInvalid', { reason: 'organizations must be delete or keep' });
}
