import { findCaller } from '../../db/callers.js';
import { unlinkIdentity } from '../../db/identities.js';
import { findAddressHolders, type IdentityRow, type UserRow } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { assertSessionWasAlive, changeAccess } from './access-change.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import type { UserCaller } from './caller.js';
import { isUuid } from './uuid.js';

const ATTEMPTS = 4;

/**
 * Takes an identity off the caller's account (reference/providers.md 5.3). The account keeps an address that one of the
 * remaining identities has.
 * @throws Refusal sessionNotFound, identityIdNotUuid, lastIdentity, identityNotFound, identityEmailConflict
 */
export async function unlink(app: App, client: Client, by: UserCaller, identityId: string): Promise<void> {
  if (!isUuid(identityId)) throw refuse('identityIdNotUuid');
  assertSessionWasAlive(by);
  const userId = by.user.id;
  for (let tries = 1; tries <= ATTEMPTS; tries++) {
    const caller = await findCaller(app.db, userId, null);
    if (caller === undefined) throw refuse('subjectNotFound');
    const { user } = caller;
    if (user.identities.length < 2) throw refuse('lastIdentity');
    const identity = user.identities.find(({ id }) => id === identityId.toLowerCase());
    if (identity === undefined) throw refuse('identityNotFound');
    const { email, isConfirmed } = await addressWithout(app, user, identity);
    const { provider, provider_id } = identity;
    const audit = [auditEntry(user, 'identity_unlinked', { identity_id: identity.id, provider, provider_id })];
    const isDone = await changeAccess(app, by, (statements) =>
      unlinkIdentity(statements, {
        userId,
        identityId: identity.id,
        readAt: user.updated_at,
        email,
        isEmailConfirmed: isConfirmed,
        audit: storedAudit(app, audit),
      }),
    );
    if (isDone) return logAudit(app, client.requestId, audit);
  }
  throw refuse('unexpectedFailure', {}, { cause: new Error('the account kept changing while it was unlinked') });
}

/**
 * The address an account has once an identity is gone: its own, if it is proven and another identity has it or the phone
 * goes; else one that a provider vouches for. An address nobody has proven leaves with the identity of the address:
 * its owner could not sign up with it (SEC-80).
 */
async function addressWithout(
  app: App,
  user: UserRow,
  gone: IdentityRow,
): Promise<{ email: string | null; isConfirmed: boolean }> {
  const isConfirmed = user.email_confirmed_at !== null;
  const own = { email: user.email, isConfirmed };
  const remaining = user.identities.filter(({ id }) => id !== gone.id);
  if (gone.provider === 'phone' || user.email === null) return own;
  const isReleased = gone.provider === 'email' && !isConfirmed;
  if (!isReleased && remaining.some(({ email }) => email === user.email)) return own;
  // The oldest identity first.
  const candidates = remaining.filter(
    ({ email, identity_data }) => email && identity_data?.['email_verified'] === true,
  );
  for (const { email } of candidates) {
    const { email_taken } = await findAddressHolders(app.db, user.id, email, null);
    if (!email_taken) return { email, isConfirmed: true };
  }
  if (candidates.length > 0 && candidates.length === remaining.length) throw refuse('identityEmailConflict');
  return { email: null, isConfirmed: false };
}
