/** The mail of an invitation to an organization, and its link. */
import { randomUUID } from 'node:crypto';
import type { InvitationLink } from '../../db/organization-invitations.js';
import { viewPlannedUser } from '../accounts/new-user-hook.js';
import { generateLinkToken, hashLink } from '../codes/one-time.js';
import { assertMailable, assertMayMail } from '../codes/send-rules.js';
import type { MailMessage } from '../mail/contract.js';
import { linkTypeOf } from '../message-kinds.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';

const KIND = 'organization_invite';

/** `type` of the link. */
export const INVITATION_TYPE = linkTypeOf(KIND)!;

/** Characters of a name in a mail. */
const MAX_NAME = 100;

export interface InvitedPerson {
  readonly email: string;
  readonly roles: readonly string[];
  readonly organization: { readonly id: string; readonly name: string };
  readonly inviter: Pick<UserCaller['user'], 'email' | 'email_confirmed_at' | 'user_metadata' | 'aud'> | null;
  /** An allowed target. */
  readonly redirectTo: string;
  /** Of the request, for the hook. */
  readonly ip: string | null;
}

/**
 * Makes the link and seals the mail. Nothing is stored. The hook send_email is asked now, as for other mails, and sees a user without an
 * account: none is looked up.
 * @throws ApiError emailNotAuthorized, emailAddressInvalid, tooSoonForEmail, overEmailQuota; of the hook
 */
export async function prepareInvitationMail(app: App, person: InvitedPerson): Promise<InvitationLink> {
  const { email, roles, organization, inviter, redirectTo, ip } = person;
  await assertMailable(app, email);
  await assertMayMail(app, KIND, email);
  const linkToken = generateLinkToken(false);
  const message: MailMessage = {
    kind: KIND,
    to: email,
    email,
    newEmail: null,
    code: '',
    linkToken,
    linkType: INVITATION_TYPE,
    redirectTo,
    ip,
    data: {},
    organization: { ...organization, inviter: nameOf(inviter), roles },
  };
  const audience = inviter?.aud ?? app.config.jwtAudience;
  const user = { id: randomUUID(), audience, email, phone: null, appMetadata: {}, userMetadata: {} };
  const isSent = app.mail.sendNow !== undefined && (await app.mail.sendNow([message], viewPlannedUser(app, user)));
  return { linkHash: await hashLink(app, linkToken), redirectTo, mails: isSent ? [] : app.mail.seal([message]) };
}

/** The address, which is proven more often than a name. */
function nameOf(inviter: InvitedPerson['inviter']): string {
  if (inviter === null) return '';
  const { email, email_confirmed_at, user_metadata: data } = inviter;
  if (email !== null && email_confirmed_at !== null) return email;
  const name = data['full_name'] ?? data['name'];
  return typeof name === 'string' ? name.slice(0, MAX_NAME) : '';
}
