/** RSA keys of 2048 bits for tests: each takes a fifth of a second of processor time, so that a process makes few. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** More than a test has at the same time. */
const COUNT = 8;
const keys: KeyObject[] = [];
let taken = 0;

/** @returns a private key that differs from the last seven that the process has taken */
export function takeRsaKey(): KeyObject {
  const index = taken++ % COUNT;
  keys[index] ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return keys[index];
}
