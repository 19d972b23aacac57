/** Changes of the keys in the database. Each is one transaction under a lock, so it is safe to repeat and to interrupt. */
import {
  addSigningKey,
  changeSigningKeys,
  listSigningKeys,
  moveSigningKey,
  type SigningKeyRow,
} from '../../db/signing-keys.js';
import type { Statements } from '../../db/types.js';
import type { TokenKey } from '../../jws/jwk.js';
import { type KeyStore, sealTokenKey, secretTokenKey } from './stored-keys.js';

/** A change that the state of the keys does not permit; the message says why. */
export class KeyChangeError extends Error {
  /** `unknown`: no such key. `live`: its tokens may live. `state`: anything else. */
  readonly kind: 'unknown' | 'live' | 'state';

  constructor(message: string, kind: KeyChangeError['kind'] = 'state') {
    super(message);
    this.kind = kind;
  }
}

/** After its last token has expired, clocks that differ included. */
const RETIRE_MARGIN_SECONDS = 60;

export interface StartedRotation {
  readonly kid: string;
  /** False: a rotation was under way. */
  readonly isNew: boolean;
  /** Until the key signs. */
  readonly dueInSeconds: number;
}

/** How long a key verifies after it has stopped signing. */
export const previousSeconds = ({ settings }: KeyStore): number => settings.jwtExpiresInSeconds + RETIRE_MARGIN_SECONDS;

/**
 * Publishes a key that signs after the wait. While one is published for that, no other is added.
 * @param isDue false: nothing is done; asked under the lock
 */
export function startRotation(
  store: KeyStore,
  key: TokenKey,
  waitSeconds: number,
  isDue: (rows: readonly SigningKeyRow[]) => boolean = () => true,
): Promise<StartedRotation | null> {
  const standby = sealTokenKey(store, key, 'standby');
  const secret = sealTokenKey(store, secretTokenKey(store.settings), 'active');
  return changeSigningKeys(store, async (statements, rows) => {
    const waiting = rows.find(({ state, due_in_seconds }) => state === 'standby' && due_in_seconds !== null);
    if (waiting !== undefined) return { kid: waiting.kid, isNew: false, dueInSeconds: waiting.due_in_seconds! };
    if (!isDue(rows)) return null;
    // Until now AUTH_JWT_SECRET has signed, and its tokens stay valid until they expire.
    if (!rows.some(({ state }) => state === 'active')) await addOrFail(statements, secret);
    await addOrFail(statements, standby, waitSeconds);
    if (waitSeconds === 0) await activate(store, statements, key.kid);
    return { kid: key.kid, isNew: true, dueInSeconds: waitSeconds };
  });
}

/** Does what is due: the standby key signs, previous ones are retired. @returns whether anything changed */
export function advanceKeys(store: KeyStore): Promise<boolean> {
  return changeSigningKeys(store, async (statements, rows) => {
    const due = rows.filter(({ due_in_seconds }) => due_in_seconds !== null && due_in_seconds <= 0);
    const [next] = due.filter(({ state }) => state === 'standby');
    if (next !== undefined) await activate(store, statements, next.kid);
    for (const { kid, state } of due) {
      if (state === 'previous') await moveSigningKey(statements, kid, 'retired', null);
    }
    return due.length > 0;
  });
}

/**
 * Makes a key sign from now on.
 * @throws KeyChangeError unless it is standby or previous and has its private part
 */
export function promoteKey(store: KeyStore, kid: string): Promise<void> {
  return changeSigningKeys(store, async (statements, rows) => {
    const { state, sealed } = findRow(rows, kid);
    if (state === 'active') throw new KeyChangeError('it signs already');
    if (state === 'retired') throw new KeyChangeError('it is retired: a retired key does not come back');
    if (sealed === null) throw new KeyChangeError('it has no private part, so it can only verify');
    await activate(store, statements, kid);
  });
}

/**
 * Stops accepting a key that does not sign.
 * @param isForced also while its tokens may live
 * @throws KeyChangeError
 */
export function retireKey(store: KeyStore, kid: string, isForced: boolean): Promise<void> {
  return changeSigningKeys(store, async (statements, rows) => {
    const { state, since_seconds } = findRow(rows, kid);
    if (state === 'retired') return;
    if (state === 'active') throw new KeyChangeError('it signs: rotate or promote another key first, or revoke it');
    const leftSeconds = Math.ceil(previousSeconds(store) - since_seconds);
    if (state === 'previous' && leftSeconds > 0 && !isForced) {
      throw new KeyChangeError(`its tokens may live for another ${leftSeconds} s: wait, or use --force`, 'live');
    }
    await moveSigningKey(statements, kid, 'retired', null);
  });
}

/**
 * Stops accepting a key at once, whatever it is.
 * @param replacement signs if the key signed and no standby key waits
 * @returns the kid of the key that signs
 * @throws KeyChangeError for an unknown kid
 */
export function revokeKey(store: KeyStore, kid: string, replacement: TokenKey): Promise<string> {
  const sealed = sealTokenKey(store, replacement, 'active');
  return changeSigningKeys(store, async (statements, rows) => {
    const { state } = findRow(rows, kid);
    await moveSigningKey(statements, kid, 'retired', null);
    if (state !== 'active') return rows.find((row) => row.state === 'active')?.kid ?? '';
    const next = rows.find((row) => row.state === 'standby' && row.sealed !== null);
    if (next === undefined) await addOrFail(statements, sealed);
    else await moveSigningKey(statements, next.kid, 'active', null);
    return next?.kid ?? sealed.kid;
  });
}

/**
 * Adds the keys of AUTH_JWT_KEYS; those that are there already stay as they are.
 * @returns the kids that were added
 */
export function importKeys(store: KeyStore, keys: readonly TokenKey[]): Promise<string[]> {
  const sealed = keys.map((key) => sealTokenKey(store, key, key.signs ? 'active' : 'previous'));
  return changeSigningKeys(store, async (statements, rows) => {
    const added: string[] = [];
    const known = new Set(rows.map(({ kid }) => kid));
    for (const row of sealed) {
      if (known.has(row.kid)) continue;
      const hasActive = row.state === 'active' && rows.some(({ state }) => state === 'active');
      // Another key signs already: this one only verifies until it is promoted.
      await addOrFail(statements, hasActive ? { ...row, state: 'standby' } : row);
      added.push(row.kid);
    }
    return added;
  });
}

async function activate(store: KeyStore, statements: Statements, kid: string): Promise<void> {
  // First, since a unique index permits one active key.
  for (const row of await listSigningKeys(statements)) {
    if (row.state === 'active') await moveSigningKey(statements, row.kid, 'previous', previousSeconds(store));
  }
  await moveSigningKey(statements, kid, 'active', null);
}

async function addOrFail(
  statements: Statements,
  row: Parameters<typeof addSigningKey>[1],
  dueInSeconds: number | null = null,
): Promise<void> {
  if (!(await addSigningKey(statements, row, dueInSeconds))) {
    throw new KeyChangeError(`there is a key ${JSON.stringify(row.kid)} already`);
  }
}

function findRow(rows: readonly SigningKeyRow[], kid: string): SigningKeyRow {
  const row = rows.find((one) => one.kid === kid);
  if (row === undefined) throw new KeyChangeError('there is no such key: latchkey keys list shows them', 'unknown');
  return row;
}
