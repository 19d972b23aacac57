import { findCaller } from '../../db/callers.js';
import { unlinkIdentity } from '../../db/identities.js';
import { insertMails } from '../../db/outbox.js';
import { type IdentityRow, isEmailProven, type UserRow } from '../../db/user-rows.js';
import { findAddressHolders } from '../../db/users.js';
import { isUuid } from '../../db/uuid.js';
import { assertSessionWasAlive, changeAccess } from '../accounts/access-change.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { App, Client } from '../runtime/app.js';
import { assertAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';
import { retryStalePlans } from './stale-plan.js';

/**
 * Removes an identity from the caller's account (docs/decisions.md, Addresses of identities). The account keeps an
 * address that one of the remaining identities has.
 * @throws ApiError sessionNotFound, identityIdNotUuid, lastIdentity, identityNotFound, identityEmailConflict
 */
export async function removeIdentity(app: App, client: Client, caller: UserCaller, identityId: string): Promise<void> {
  if (!isUuid(identityId)) throw apiError('identityIdNotUuid');
  assertSessionWasAlive(caller);
  await assertAssurance(app, caller, 'aalForAccess');
  const userId = caller.user.id;
  await retryStalePlans(async () => {
    const user = (await findCaller(app.db, userId, null))?.user;
    if (user === undefined) throw apiError('subjectNotFound');
    if (user.identities.length < 2) throw apiError('lastIdentity');
    const identity = user.identities.find(({ id }) => id === identityId.toLowerCase());
    if (identity === undefined) throw apiError('identityNotFound');
    const { email, isConfirmed, isProven } = await selectAddressWithout(app, user, identity);
    const { provider, provider_id } = identity;
    const audit = [auditEntry(user, 'identity_unlinked', { identity_id: identity.id, provider, provider_id })];
    const notices = await prepareNotices(app, client, [
      { kind: 'identity_unlinked_notification', to: recipientOf(user), facts: { provider } },
    ]);
    const isDone = await changeAccess(app, caller, 'aalForAccess', async (statements) => {
      const isUnlinked = await unlinkIdentity(statements, {
        userId,
        identityId: identity.id,
        readAt: user.updated_at,
        email,
        isEmailConfirmed: isConfirmed,
        isEmailProven: isProven,
        audit: storedAudit(app, audit),
      });
      if (isUnlinked) await insertMails(statements, userId, notices);
      return isUnlinked;
    });
    if (isDone) logAudit(app, client.requestId, audit);
    if (isDone && notices.length > 0) app.mail.nudge();
    return isDone || undefined;
  });
}

/**
 * Selects the address of the account after the removal: its own, if it is proven and another identity has it, or if the
 * phone is removed; else one that a provider verified. An unproven address goes with its email identity, since its
 * owner could not sign up with it otherwise (SEC-80).
 */
async function selectAddressWithout(
  app: App,
  user: UserRow,
  removed: IdentityRow,
): Promise<{ email: string | null; isConfirmed: boolean; isProven: boolean }> {
  const isProven = isEmailProven(user);
  const own = { email: user.email, isConfirmed: user.email_confirmed_at !== null, isProven };
  const remaining = user.identities.filter(({ id }) => id !== removed.id);
  if (removed.provider === 'phone' || user.email === null || user.is_sso_user) return own;
  const isReleased = removed.provider === 'email' && !isProven;
  if (!isReleased && remaining.some(({ email }) => email === user.email)) return own;
  // The oldest identity first. Autoconfirm does not help: the address may be anyone's (SEC-80). Neither does a company, which may
  // name any address.
  const candidates = remaining.filter(
    ({ provider, email, identity_data }) =>
      email && identity_data?.['email_verified'] === true && !provider.startsWith('sso:'),
  );
  for (const { email } of candidates) {
    const { email_taken } = await findAddressHolders(app.db, user.id, email, null);
    if (!email_taken) return { email, isConfirmed: true, isProven: true };
  }
  if (candidates.length > 0 && candidates.length === remaining.length) throw apiError('identityEmailConflict');
  return { email: null, isConfirmed: false, isProven: false };
}
