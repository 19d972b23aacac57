import type { Config } from '../config/settings.js';
import { refuse } from '../errors.js';

/** Longer passwords are refused before any hashing (decisions.md 20). */
export const MAX_PASSWORD_BYTES = 1024;

export interface Weakness {
  readonly message: string;
  readonly reasons: readonly ('length' | 'characters')[];
}

type Rules = Pick<Config, 'passwordMinLength' | 'passwordRequiredCharacters'>;

/**
 * What is weak about a password; lengths are bytes of UTF-8 (reference/core.md 8.1).
 * @returns null when nothing is
 */
export function findWeakness(password: string, rules: Rules): Weakness | null {
  const messages: string[] = [];
  const reasons: ('length' | 'characters')[] = [];
  if (Buffer.byteLength(password) < rules.passwordMinLength) {
    messages.push(`Password should be at least ${rules.passwordMinLength} characters.`);
    reasons.push('length');
  }
  const sets = rules.passwordRequiredCharacters;
  const has = (set: string) => [...set].some((character) => password.includes(character));
  if (!sets.every(has)) {
    messages.push(`Password should contain at least one character of each: ${sets.join(', ')}.`);
    reasons.push('characters');
  }
  return reasons.length === 0 ? null : { message: messages.join(' '), reasons };
}

/** @throws Refusal passwordTooLong, weakPassword */
export function assertPasswordAcceptable(password: string, rules: Rules): void {
  if (isTooLong(password)) throw refuse('passwordTooLong', { max: MAX_PASSWORD_BYTES });
  const weakness = findWeakness(password, rules);
  if (weakness !== null) {
    throw refuse(
      'weakPassword',
      { messages: weakness.message },
      { extra: { weak_password: { reasons: weakness.reasons } } },
    );
  }
}

export const isTooLong = (password: string): boolean => Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
