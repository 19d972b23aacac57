/** The new password of PUT /user: what has to be proven first, and what comes with it. */
import type { FoundToken } from '../../db/one-time-tokens.js';
import type { Statements } from '../../db/types.js';
import type { MetadataChange, UserRow } from '../../db/user-rows.js';
import { readPasswordHash } from '../../db/users.js';
import { normalisePassword } from '../../workers/normalise-password.js';
import type { PasswordHashing } from '../../workers/wire.js';
import { checkNonce } from '../codes/reauthenticate.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { hasAuthenticatedBy, type UserCaller } from '../sessions/caller.js';
import { isTooLong } from './passwords.js';
import { assertNoDelay, countWrongPassword, deriveFailureKey } from './sign-in-delay.js';

interface NewPassword {
  readonly password: string;
  readonly currentPassword: string | null;
  readonly nonce: string | null;
}

export interface HashedPassword {
  /** Null: the account keeps its password. */
  readonly passwordHash: string | null;
  readonly nonce: FoundToken | null;
  /** What the checks were made against. Null: the account had no password. */
  readonly stored: string | null;
}

/** A change without a new password. */
export const SAME_PASSWORD: HashedPassword = { passwordHash: null, nonce: null, stored: null };

/** Sessions of someone who may have forgotten the password, or never had one. */
const PROOFS = ['recovery', 'otp', 'magiclink'];

/** Whether a new password needs the current one, where the account has one. */
export const needsCurrentPassword = ({ config }: Pick<App, 'config'>, caller: UserCaller): boolean =>
  config.updatePasswordRequireCurrentPassword && !hasAuthenticatedBy(caller, PROOFS);

/**
 * @throws ApiError reauthenticationNeeded, reauthenticationNotValid, currentPasswordRequired, currentPasswordInvalid,
 *   signInThrottled, samePassword
 */
export function hashNewPassword(app: App, caller: UserCaller, request: NewPassword): Promise<HashedPassword> {
  const { password, currentPassword } = request;
  return app.crypto.withHashSlot(async (hashing) => {
    const needsNonce = app.config.updatePasswordRequireReauthentication;
    const nonce = needsNonce ? await checkNonce(app, caller, request.nonce) : null;
    const stored = await readPasswordHash(app.db, caller.user.id);
    if (stored !== null) {
      const needsCurrent = needsCurrentPassword(app, caller);
      if (needsCurrent) await assertCurrentPassword(app, caller, currentPassword, stored, hashing);
      const isSame = needsCurrent
        ? normalisePassword(password) === normalisePassword(currentPassword!)
        : (await hashing.verifyPassword(password, stored)).matches;
      if (isSame) throw apiError('samePassword');
    }
    return { passwordHash: await hashing.hashPassword(password), nonce, stored };
  });
}

/**
 * Sets a password that {@link hashNewPassword} has checked. Where a concurrent request has changed the password since, the checks
 * are made again; where it has set the same one (a double click), nothing is left to set.
 * @param set makes the change in a transaction, and begins with {@link assertPasswordUnchanged}
 * @throws ApiError those of {@link hashNewPassword}, and what `set` throws
 */
export async function setNewPassword<Result>(
  app: App,
  caller: UserCaller,
  request: NewPassword,
  hashed: HashedPassword,
  set: (hashed: HashedPassword) => Promise<Result>,
): Promise<Result> {
  for (let next = hashed; ; ) {
    try {
      return await set(next);
    } catch (error) {
      if (!(error instanceof PasswordChangedError)) throw error;
      const isSet = await app.crypto.withHashSlot((hashing) => isPassword(request.password, error.stored, hashing));
      next = isSet ? SAME_PASSWORD : await hashNewPassword(app, caller, request);
    }
  }
}

/** A concurrent request has changed the password. */
class PasswordChangedError extends Error {
  readonly stored: string | null;

  constructor(stored: string | null) {
    super('The password was changed by a concurrent request');
    this.stored = stored;
  }
}

/**
 * Under the lock of the account.
 * @throws PasswordChangedError, which {@link setNewPassword} handles
 */
export async function assertPasswordUnchanged(
  statements: Statements,
  userId: string,
  { stored }: HashedPassword,
): Promise<void> {
  const current = await readPasswordHash(statements, userId);
  if (current !== stored) throw new PasswordChangedError(current);
}

const isPassword = async (password: string, stored: string | null, hashing: PasswordHashing): Promise<boolean> =>
  stored !== null && (await hashing.verifyPassword(password, stored)).matches;

/** Wrong ones count like those of sign-ins: a stolen session must not allow to guess the password. */
async function assertCurrentPassword(
  app: App,
  { user }: UserCaller,
  text: string | null,
  stored: string,
  hashing: PasswordHashing,
): Promise<void> {
  if (text === null) throw apiError('currentPasswordRequired');
  const channel = user.email === null ? 'phone' : 'email';
  const failureKey = deriveFailureKey(app, channel, user.email ?? user.phone ?? '');
  await assertNoDelay(app, failureKey);
  const isRight = !isTooLong(text) && (await hashing.verifyPassword(text, stored)).matches;
  // Concurrent wrong ones may have started a delay, which the right one must not bypass.
  if (isRight) return assertNoDelay(app, failureKey);
  await countWrongPassword(app, failureKey);
  throw apiError('currentPasswordInvalid');
}

/**
 * The confirmed address that becomes an identity with the first password of an account, for example of one that a
 * provider created.
 * @returns null when there is nothing to add
 */
export function emailForIdentity({ config }: Pick<App, 'config'>, user: Readonly<UserRow>): string | null {
  if (!config.createEmailIdentityWithPassword || user.is_sso_user || user.is_anonymous) return null;
  if (user.email_confirmed_at === null || user.identities.some(({ provider }) => provider === 'email')) return null;
  return user.email;
}

/** Adds email to the providers of the account. */
export function withEmailProvider(change: MetadataChange | null, { app_metadata }: Readonly<UserRow>): MetadataChange {
  const { providers } = { ...app_metadata, ...change?.set };
  const listed = Array.isArray(providers) ? providers : [];
  return { set: { ...change?.set, providers: [...new Set([...listed, 'email'])] }, drop: change?.drop ?? [] };
}
