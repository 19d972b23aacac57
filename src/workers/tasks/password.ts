import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Argon2Parameters, PasswordCheck } from '../wire.js';
import type { Argon2Cost, Argon2Engine } from './argon2-engine.js';
import { matchesBcrypt, matchesFirebase } from './imported-password.js';
import { type Argon2Hash, parseStoredHash, type StoredHash, writeArgon2 } from './stored-hash.js';

// RFC 9106, 3.1 and 4: 128 bits of salt, 256 of digest.
const SALT_BYTES = 16;
const DIGEST_BYTES = 32;

export interface PasswordTasks {
  /** @returns an Argon2id PHC string with the configured cost and a fresh salt */
  hash(password: string): Promise<string>;
  /** @param stored null or unreadable: a decoy is checked instead and the answer is no (SEC-47) */
  verify(password: string, stored: string | null): Promise<PasswordCheck>;
}

/**
 * Makes the password tasks of one thread.
 * @param parameters cost of new hashes and of the decoy (SEC-45)
 */
export function makePasswordTasks(engine: Argon2Engine, parameters: Argon2Parameters): PasswordTasks {
  const cost: Argon2Cost = { ...parameters, variant: 'argon2id', digestBytes: DIGEST_BYTES };
  const decoy: Argon2Hash = {
    kind: 'argon2',
    cost,
    salt: randomBytes(SALT_BYTES),
    digest: randomBytes(DIGEST_BYTES),
  };

  async function hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return writeArgon2({ cost, salt, digest: await engine.derive(password, salt, cost) });
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
    async verify(password, stored) {
      const parsed = (stored === null ? null : parseStoredHash(stored)) ?? decoy;
      const isMatch = (await matches(password, parsed)) && parsed !== decoy;
      return { matches: isMatch, renewedHash: isMatch && isWeaker(parsed, cost) ? await hash(password) : null };
    },
  };
}

function isWeaker(stored: StoredHash, wanted: Argon2Cost): boolean {
  if (stored.kind !== 'argon2' || stored.cost.variant !== wanted.variant) return true;
  return stored.cost.memoryKiB < wanted.memoryKiB || stored.cost.iterations < wanted.iterations;
}
