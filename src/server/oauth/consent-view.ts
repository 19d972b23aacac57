import type { OpenedAuthorization } from '../../db/oauth-authorizations.js';
import type { UserRow } from '../../db/user-rows.js';
import { nameClient } from './client-view.js';

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
