/** Keeps the keys of one server thread equal to those in the database. */
import { SchemaNotReadyError } from '../../db/errors.js';
import { type Listener, listenTo } from '../../db/listen.js';
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

/** All processes follow a change within 5 s, also where no notification arrives. */
const LOOK_MS = { listening: 30_000, deaf: 4000, failed: 1000 };
/** A standby key becomes active this long after it is due, at most. */
const DUE_MARGIN_MS = 200;
const PING = 'ping';

export function followKeys(options: FollowOptions): KeyFollower {
  const { store, log, rotation, secretKey } = options;
  let current: (FollowedKeys & { readonly signature: string }) | undefined;
  let looking: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let isClosed = false;
  let isFailing = false;
  let hearsPings = false;
  let timer: NodeJS.Timeout | undefined;

  const listener: Listener = listenTo({
    url: options.databaseUrl,
    channel: store.channel,
    log,
    onNotice(payload) {
      if (payload === PING) hearsPings = true;
      else lookSoon();
      // An empty payload: the connection is new, and may lead through a pooler that delivers nothing.
      if (payload !== '') return;
      hearsPings = false;
      notifyOfSigningKeys(store.db, store.channel, PING).catch(() => undefined);
    },
  });

  function look(): Promise<void> {
    if (looking !== undefined) {
      // What runs may have read the keys before they changed.
      next ??= looking
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return look();
        });
      return next;
    }
    looking = lookOnce().finally(() => {
      looking = undefined;
      schedule();
    });
    return looking;
  }

  function lookSoon(): void {
    if (!isClosed) look().catch(() => undefined);
  }

  function schedule(): void {
    clearTimeout(timer);
    if (isClosed) return;
    const usual = listener.isListening && hearsPings ? LOOK_MS.listening : LOOK_MS.deaf;
    const due = (current?.rows ?? []).flatMap(({ due_in_seconds: left }) => (left === null ? [] : [left * 1000]));
    const next = Math.max(DUE_MARGIN_MS, Math.min(usual, ...due.map((ms) => ms + DUE_MARGIN_MS)));
    const delayMs = isFailing ? LOOK_MS.failed : next;
    timer = setTimeout(lookSoon, delayMs * (1 + Math.random() / 10)).unref();
  }

  async function lookOnce(): Promise<void> {
    if (isClosed) return;
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
      const isUsual = error instanceof SchemaNotReadyError || isClosed;
      if (!isFailing && !isUsual) {
        log.error({ component: 'keys', error: (error as Error).message }, 'The signing keys cannot be read');
      }
      isFailing = true;
      throw error;
    }
  }

  async function adopt(found: FollowedKeys): Promise<void> {
    // After a reload the keys of the next configuration sign; what was read before must not take their place.
    if (isClosed) return;
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

  lookSoon();
  return {
    current: () => current,
    look,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await listener.close();
      await (next ?? looking)?.catch(() => undefined);
    },
  };
}
