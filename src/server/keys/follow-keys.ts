/** Keeps the keys of one server thread equal to those in the database. */
import { followChanges } from '../../db/follow-changes.js';
import { noteSigningKeyUse, notifyOfSigningKeys, type SigningKeyRow } from '../../db/signing-keys.js';
import type { SigningKey } from '../../jws/algorithms.js';
import type { TokenKey } from '../../jws/jwk.js';
import type { Log } from '../telemetry/log.js';
import { type AutomaticRotation, rotateWhenDue } from './automatic-rotation.js';
import { advanceKeys } from './rotation.js';
import { type KeyStore, loadTokenKeys } from './stored-keys.js';

export interface FollowOptions {
  readonly store: KeyStore;
  readonly databaseUrl: string;
  readonly rotation: AutomaticRotation;
  readonly log: Log;
  /** Called with each new key that signs, after it verifies. */
  readonly useSigningKey: (key: TokenKey | SigningKey) => Promise<void>;
  /** The key that signs while there is no row. */
  readonly secretKey: SigningKey;
  /** Kids that have verified a token since the last call. */
  readonly takeUsedKids: () => readonly string[];
}

export interface FollowedKeys {
  readonly keys: readonly TokenKey[];
  readonly rows: readonly SigningKeyRow[];
}

export interface KeyFollower {
  /** Undefined until the first look has succeeded. */
  current(): FollowedKeys | undefined;
  /** Looks into the database. @throws the error of the database, or SealedKeyError */
  look(): Promise<void>;
  close(): Promise<void>;
}

export function followKeys(options: FollowOptions): KeyFollower {
  const { store, log, rotation, secretKey } = options;
  let current: (FollowedKeys & { readonly signature: string }) | undefined;
  let isFailing = false;

  async function lookOnce(): Promise<void> {
    try {
      let found = await loadTokenKeys(store);
      const isDue = found.rows.some(({ due_in_seconds: left }) => left !== null && left <= 0);
      if ((isDue && (await advanceKeys(store))) || (await rotateWhenDue(store, rotation, found.rows))) {
        found = await loadTokenKeys(store);
      }
      await adopt(found);
      const used = options.takeUsedKids();
      if (used.length > 0) await noteSigningKeyUse(store.db, used);
      isFailing = false;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const isUsual = code === 'SCHEMA_NOT_READY' || follower.isClosed;
      if (!isFailing && !isUsual) log.error({ component: 'keys', error: message }, 'The signing keys cannot be read');
      isFailing = true;
      throw error;
    }
  }

  async function adopt(found: FollowedKeys): Promise<void> {
    // After a reload the keys of the next configuration sign; what was read before must not take their place.
    if (follower.isClosed) return;
    const signature = JSON.stringify(found.rows.map(({ kid, state, sealed }) => [kid, state, sealed]));
    if (current?.signature === signature) {
      current = { ...current, rows: found.rows };
      return;
    }
    current = { ...found, signature };
    const signing = found.keys.find(({ signs }) => signs) ?? secretKey;
    await options.useSigningKey(signing);
    const kids = found.rows.map(({ kid, state }) => `${kid} ${state}`);
    log.info({ component: 'keys', signing: signing.kid, keys: kids }, 'The signing keys are read');
  }

  const follower = followChanges({
    url: options.databaseUrl,
    channel: store.channel,
    log,
    notify: (payload) => notifyOfSigningKeys(store.db, store.channel, payload),
    look: lookOnce,
    dueMs: () => (current?.rows ?? []).flatMap(({ due_in_seconds: left }) => (left === null ? [] : [left * 1000])),
  });
  return { current: () => current, look: follower.look, close: follower.close };
}
