import type { OpenedAuthorization } from '../../db/oauth-authorizations.js';
import type { DeviceRequest } from '../../db/oauth-devices.js';
import type { UserRow } from '../../db/user-rows.js';
import { nameClient } from './client-view.js';
import { formatUserCode } from './user-code.js';

/** What is asked of the user, as supabase/auth shows it. */
export const viewAuthorization = (
  { request, client }: OpenedAuthorization,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
) => ({
  authorization_id: request.id,
  redirect_uri: request.redirect_uri,
  client: nameClient(client),
  user: { id, email: email ?? '' },
  scope: request.scope,
  ...(request.login_hint !== null && { login_hint: request.login_hint }),
});

/** What a device asks of the user, and where it asked from. */
export const viewDeviceRequest = (
  { request, client }: DeviceRequest,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
) => ({
  user_code: formatUserCode(request.user_code),
  client: nameClient(client),
  user: { id, email: email ?? '' },
  scope: request.scope,
  ip: request.ip,
  user_agent: request.user_agent,
  created_at: request.created_at,
});
