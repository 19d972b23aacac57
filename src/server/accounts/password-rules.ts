import type { Config } from '../config/settings.js';

export type WeakReason = 'length' | 'characters' | 'pwned' | 'common';

export interface Weakness {
  /** The messages of all faults. */
  readonly message: string;
  readonly reasons: readonly WeakReason[];
}

export interface PasswordFault {
  readonly reason: WeakReason;
  readonly message: string;
}

/**
 * Checks length, in bytes of UTF-8, and required characters (docs/decisions.md, Password strength).
 * @param password in NFKC
 */
export function findRuleFaults(
  password: string,
  rules: Pick<Config, 'passwordMinLength' | 'passwordRequiredCharacters'>,
): PasswordFault[] {
  const faults: PasswordFault[] = [];
  if (Buffer.byteLength(password) < rules.passwordMinLength) {
    faults.push({ reason: 'length', message: `Password should be at least ${rules.passwordMinLength} characters.` });
  }
  const sets = rules.passwordRequiredCharacters;
  const has = (set: string) => [...set.normalize('NFKC')].some((character) => password.includes(character));
  if (!sets.every(has)) {
    const message = `Password should contain at least one character of each: ${sets.join(', ')}.`;
    faults.push({ reason: 'characters', message });
  }
  return faults;
}
