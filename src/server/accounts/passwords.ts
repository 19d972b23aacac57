import { createHash } from 'node:crypto';
import { normalisePassword } from '../../workers/normalise-password.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { isOwnWord, type PasswordOwner } from './own-words.js';
import { findRuleFaults, type PasswordFault, type Weakness } from './password-rules.js';

/** Of the form that is hashed (docs/decisions.md, Password hashing). */
export const MAX_PASSWORD_BYTES = 1024;
/** Of what was typed: no single character has a form of less than a fourth of its bytes. */
const MAX_TYPED_BYTES = 4 * MAX_PASSWORD_BYTES;

type Dependencies = Pick<App, 'config' | 'passwords'>;

/**
 * Checks a password that is about to be stored: rules, then lists. All reasons are in one answer. It may call a remote
 * service, so it belongs before transactions and hash slots.
 * @param owners the account, and what it is about to become
 * @throws ApiError passwordTooLong, weakPassword, leakCheckFailed
 */
export async function assertPasswordAcceptable(
  app: Dependencies,
  password: string,
  ...owners: readonly PasswordOwner[]
): Promise<void> {
  if (isTooLong(password)) throw apiError('passwordTooLong', { max: MAX_PASSWORD_BYTES });
  const weakness = await findWeakness(app, password, owners, (error) => {
    if (app.config.hibpFailClosed) throw apiError('leakCheckFailed', {}, { cause: error });
  });
  if (weakness === null) return;
  const { message, reasons } = weakness;
  throw apiError('weakPassword', { messages: message }, { extra: { weak_password: { reasons } } });
}

/**
 * Why the rules of today would reject a password that has just signed in. A check without an answer is left out.
 * @returns null for a strong password
 */
export const findWeaknessAtSignIn = (
  app: Dependencies,
  password: string,
  owner: PasswordOwner,
): Promise<Weakness | null> => findWeakness(app, password, [owner], () => undefined);

/** Every Unicode form of a password has the same answer. What is far too long is not normalised, which takes time. */
export const isTooLong = (password: string): boolean =>
  Buffer.byteLength(password) > MAX_TYPED_BYTES || Buffer.byteLength(normalisePassword(password)) > MAX_PASSWORD_BYTES;

/**
 * Rules and lists see the form that is hashed.
 * @param onFailure called when the list of leaked passwords gives no answer
 */
async function findWeakness(
  { config, passwords }: Dependencies,
  given: string,
  owners: readonly PasswordOwner[],
  onFailure: (error: unknown) => void,
): Promise<Weakness | null> {
  const password = normalisePassword(given);
  const faults: PasswordFault[] = findRuleFaults(password, config);
  if (passwords.leaked !== null) {
    const isLeaked = await passwords.leaked
      .has(createHash('sha1').update(password).digest())
      .catch((error: unknown) => {
        onFailure(error);
        return false;
      });
    if (isLeaked) faults.push({ reason: 'pwned', message: LEAKED });
  }
  if (passwords.common?.has(password) || (passwords.common && isOwnWord(password, owners, config.siteUrl))) {
    faults.push({ reason: 'common', message: COMMON });
  }
  if (faults.length === 0) return null;
  return { message: faults.map(({ message }) => message).join(' '), reasons: faults.map(({ reason }) => reason) };
}

/** The message of supabase/auth. */
const LEAKED = 'Password is known to be weak and easy to guess, please choose a different one.';
const COMMON = 'Password is common or close to your own data, please choose a different one.';
