import type { OpenedAuthorization } from '../../db/oauth-authorizations.js';
import type { UserRow } from '../../db/user-rows.js';
import { nameClient } from './client-view.js';
import type { OpenedDevice } from './device-consent.js';
import type { OrganizationChoice } from './organization-choice.js';
import { formatUserCode } from './user-code.js';

/** What is asked of the user, as supabase/auth shows it. */
export const viewAuthorization = (
  { request, client }: OpenedAuthorization,
  choice: OrganizationChoice,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
) => ({
  authorization_id: request.id,
  redirect_uri: request.redirect_uri,
  client: nameClient(client),
  user: { id, email: email ?? '' },
  scope: request.scope,
  ...(request.login_hint !== null && { login_hint: request.login_hint }),
  ...viewChoice(choice),
});

/** Organizations that it may be for. One that the client has named, or that is the only one, need not be chosen. */
const viewChoice = ({ options, isAsked }: OrganizationChoice) =>
  options.length === 0 ? {} : { organizations: options, organization_choice: isAsked };

/** What a device asks of the user, and where it asked from. */
export const viewDeviceRequest = (
  { request, client, choice }: OpenedDevice,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
) => ({
  user_code: formatUserCode(request.user_code),
  client: nameClient(client),
  user: { id, email: email ?? '' },
  scope: request.scope,
  ip: request.ip,
  user_agent: request.user_agent,
  created_at: request.created_at,
  ...viewChoice(choice),
});
