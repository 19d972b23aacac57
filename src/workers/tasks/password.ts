import { randomBytes, timingSafeEqual } from 'node:crypto';
import { normalisePassword } from '../normalise-password.js';
import type { Argon2Parameters, PasswordCheck } from '../wire.js';
import type { Argon2Cost, Argon2Engine } from './argon2-engine.js';
import { DIGEST_BYTES, makeDecoys, SALT_BYTES } from './decoy-hash.js';
import { matchesBcrypt, matchesFirebase } from './imported-password.js';
import { parseStoredHash, type StoredHash, writeArgon2 } from './stored-hash.js';

export interface PasswordTasks {
  /** @returns an Argon2id PHC string of the password in its one form, with the configured cost and a fresh salt */
  hash(password: string): Promise<string>;
  /**
   * @param stored null or unreadable: a decoy is checked, and nothing matches (SEC-47)
   * @param decoyKind prefix of the decoy; null: that of new hashes
   */
  verify(password: string, stored: string | null, decoyKind?: string | null): Promise<PasswordCheck>;
}

/**
 * Creates the password tasks of one thread.
 * @param parameters cost of new hashes and of the decoy (SEC-45)
 */
export function makePasswordTasks(engine: Argon2Engine, parameters: Argon2Parameters): PasswordTasks {
  const cost: Argon2Cost = { ...parameters, variant: 'argon2id', digestBytes: DIGEST_BYTES };
  const decoys = makeDecoys(cost);

  async function hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return writeArgon2({ cost, salt, digest: await engine.derive(normalisePassword(password), salt, cost) });
  }

  async function matches(password: string, stored: StoredHash): Promise<boolean> {
    switch (stored.kind) {
      case 'argon2':
        return timingSafeEqual(await engine.derive(password, stored.salt, stored.cost), stored.digest);
      case 'bcrypt':
        return matchesBcrypt(password, stored);
      case 'firebase':
        return matchesFirebase(password, stored);
    }
  }

  return {
    hash,
    async verify(password, stored, decoyKind = null) {
      const parsed = (stored === null ? null : parseStoredHash(stored)) ?? decoys.of(decoyKind);
      const form = normalisePassword(password);
      const isForm = await matches(form, parsed);
      // Imported hashes, and those of earlier versions, are of the bytes as they were typed. Decoys are tried alike.
      const isRaw = !isForm && form !== password && (await matches(password, parsed));
      if (!(isForm || isRaw) || decoys.has(parsed)) return { matches: false, renewedHash: null };
      return { matches: true, renewedHash: isRaw || isWeaker(parsed, cost) ? await hash(form) : null };
    },
  };
}

function isWeaker(stored: StoredHash, wanted: Argon2Cost): boolean {
  if (stored.kind !== 'argon2' || stored.cost.variant !== wanted.variant) return true;
  return stored.cost.memoryKiB < wanted.memoryKiB || stored.cost.iterations < wanted.iterations;
}
