import type { SigningKeyRow } from '../../db/signing-keys.js';
import { generateTokenKey, isGeneratedAlgorithm } from './generate.js';
import { startRotation } from './rotation.js';
import type { KeyStore } from './stored-keys.js';

/** AUTH_JWT_KEYS_ROTATE_EVERY. */
export interface AutomaticRotation {
  /** Null: off. */
  readonly everySeconds: number | null;
  /** How long a new key is published before it signs. */
  readonly waitSeconds: number;
}

/** A tenth of the interval, so that several installations do not rotate at the same moment. */
const JITTER = 0.1;

/**
 * Starts a rotation when the key that signs is old enough. The age is asked again under the lock, so that one of several
 * processes rotates.
 * @returns whether this call started one
 */
export async function rotateWhenDue(
  store: KeyStore,
  { everySeconds, waitSeconds }: AutomaticRotation,
  rows: readonly SigningKeyRow[],
): Promise<boolean> {
  if (everySeconds === null) return false;
  const lateSeconds = Math.random() * everySeconds * JITTER;
  if (!isOld(rows, everySeconds + lateSeconds)) return false;
  const alg = rows.find(({ state }) => state === 'active')?.alg;
  const key = generateTokenKey(isGeneratedAlgorithm(alg) ? alg : 'ES256', null);
  const started = await startRotation(store, key, waitSeconds, (now) => isOld(now, everySeconds));
  return started?.isNew === true;
}

function isOld(rows: readonly SigningKeyRow[], ageSeconds: number): boolean {
  if (rows.some(({ state, due_in_seconds }) => state === 'standby' && due_in_seconds !== null)) return false;
  const active = rows.find(({ state }) => state === 'active');
  return active === undefined || active.since_seconds >= ageSeconds;
}
