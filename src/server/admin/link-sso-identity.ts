/** An administrator lets a person of a company sign in to an account that exists (accounts of companies are apart else). */
import { withLockedUser } from '../../db/account-locks.js';
import { isUniqueViolation } from '../../db/errors.js';
import { insertMails } from '../../db/outbox.js';
import { findSsoAccount, linkSsoAccount } from '../../db/sso.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { viewUser } from '../accounts/user-view.js';
import { apiError } from '../errors.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { App } from '../runtime/app.js';
import { readSsoProvider } from '../saml/providers/find-sso-provider.js';
import { readUser } from './change-user.js';

/** Longest subject of an identity: an entry of an index has at most 2,700 bytes. */
const MAX_SUBJECT_LENGTH = 512;

export interface WantedSsoIdentity {
  /** Id of the provider, or `resource_` and its resource id. */
  readonly providerId: string;
  /** The id of the person there: subject-id, or the NameID. */
  readonly subject: string;
}

/**
 * @param userPathId of the path
 * @returns the user, with the identity
 * @throws ApiError userIdNotUuid, userNotFound, ssoIdentityProviderNotFound, ssoFieldInvalid, identityAlreadyLinked,
 *   identityOfOtherUser
 */
export async function linkSsoIdentity(
  app: App,
  requestId: string,
  admin: Administrator,
  userPathId: string,
  { providerId, subject }: WantedSsoIdentity,
): Promise<Record<string, unknown>> {
  const user = await readUser(app, userPathId);
  const provider = await readSsoProvider(app, providerId);
  if (subject === '' || subject.length > MAX_SUBJECT_LENGTH) {
    throw apiError('ssoFieldInvalid', { reason: `subject must have 1 to ${MAX_SUBJECT_LENGTH} characters` });
  }
  const name = `sso:${provider.id}`;
  await assertFree(app, name, subject, user.id);
  const traits = { user_id: user.id, provider: name, provider_id: subject };
  const audit = [auditEntry(adminActor(admin), 'identity_linked', traits)];
  const notices = await prepareNotices(app, { requestId, isAdmin: true }, [
    { kind: 'identity_linked_notification', to: recipientOf(user), facts: { provider: 'SAML' } },
  ]);
  const identityData = { iss: provider.entity_id, sub: subject };
  try {
    const row = await withLockedUser(app.db, user.id, async (statements) => {
      const input = { userId: user.id, provider: name, subject, identityData, audit: storedAudit(app, audit) };
      const linked = await linkSsoAccount(statements, input);
      if (linked === undefined) throw apiError('userNotFound');
      await insertMails(statements, user.id, notices);
      return linked;
    });
    logAudit(app, requestId, audit);
    if (notices.length > 0) app.mail.nudge();
    return viewUser(row);
  } catch (error) {
    // A sign-in has made an account for the person meanwhile.
    if (isUniqueViolation(error)) throw apiError('identityOfOtherUser');
    throw error;
  }
}

async function assertFree({ db }: Pick<App, 'db'>, provider: string, subject: string, userId: string): Promise<void> {
  const owner = await findSsoAccount(db, provider, subject);
  if (owner !== undefined) throw apiError(owner.id === userId ? 'identityAlreadyLinked' : 'identityOfOtherUser');
}
