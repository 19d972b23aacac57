/** The keys of access tokens with AUTH_JWT_KEYS_SOURCE=database. */
import type { Database } from '../../db/types.js';
import type { CryptoPool } from '../../workers/wire.js';
import type { Config } from '../config/settings.js';
import type { Log } from '../telemetry/log.js';
import { followKeys } from './follow-keys.js';
import { makeJwks } from './jwks.js';
import { secretSigningKey } from './key-set.js';
import { openKeyStore } from './stored-keys.js';
import { followSecrets, openTokenKeys, type TokenKeys } from './token-keys.js';
import type { VerifyCounter } from './verify-counts.js';

export interface StoredTokenKeysOptions {
  readonly config: Config;
  readonly db: Database;
  readonly crypto: Pick<CryptoPool, 'useSigningKey'>;
  readonly log: Log;
  /** They go on when a reload makes the keys anew. */
  readonly counts: VerifyCounter;
}

/** At most so often the database is asked for the key of an unknown kid. */
const LOOK_UP_EVERY_MS = 1000;
/** Tokens of unknown kids that wait for it; more are refused at once. */
const MAX_WAITING = 256;
/** While a new key is on its way, verifiers should fetch the set more often. */
const YOUNG_MAX_AGE_SECONDS = 60;
/** Clients keep the set for ten minutes. */
const MIN_WAIT_SECONDS = 600;

/** The keys of AUTH_JWT_KEYS_SOURCE. */
export const openConfiguredKeys = (options: StoredTokenKeysOptions): TokenKeys =>
  options.config.jwtKeysSource === 'database'
    ? openStoredTokenKeys(options)
    : openTokenKeys(options.config, options.counts);

/** Starts to follow the keys. The first look may fail: then nothing is signed or verified until one succeeds. */
function openStoredTokenKeys({ config, db, crypto, log, counts }: StoredTokenKeysOptions): TokenKeys {
  const setOf = followSecrets(config, counts.of);
  const secretKey = secretSigningKey(config);
  const maxAgeSeconds = config.jwtJwksMaxAgeSeconds;
  let readAtMs = 0;
  let lookedUpMs = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;
  let waiting = 0;

  const follower = followKeys({
    store: openKeyStore(db, config),
    databaseUrl: config.databaseUrl,
    rotation: {
      everySeconds: config.jwtKeysRotateEverySeconds,
      waitSeconds: Math.max(MIN_WAIT_SECONDS, maxAgeSeconds),
    },
    log,
    secretKey,
    takeUsedKids: counts.takeUsed,
    useSigningKey(key) {
      readAtMs = Date.now();
      return crypto.useSigningKey({ alg: key.alg, kid: key.kid, jwk: key.jwk });
    },
  });
  const current = (nowMs: number) => setOf(follower.current()?.keys ?? [], nowMs);

  function isStandbyYoung(nowMs: number): boolean {
    const passed = (nowMs - readAtMs) / 1000;
    const rows = follower.current()?.rows ?? [];
    return rows.some(({ state, age_seconds }) => state === 'standby' && age_seconds + passed < maxAgeSeconds);
  }

  /** One look for all that wait, a second after the last one. */
  function lookForKey(): Promise<void> {
    pending ??= (async () => {
      const leftMs = lookedUpMs + LOOK_UP_EVERY_MS - performance.now();
      if (leftMs > 0) await new Promise<void>((resolve) => void setTimeout(resolve, leftMs).unref());
      lookedUpMs = performance.now();
      await follower.look();
    })().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  return {
    accepted: current,
    jwks: (nowMs) => {
      const maxAge = isStandbyYoung(nowMs) ? Math.min(YOUNG_MAX_AGE_SECONDS, maxAgeSeconds) : maxAgeSeconds;
      return makeJwks(current(nowMs), maxAge);
    },
    async lookUp(token) {
      const before = follower.current();
      if (before === undefined) {
        await follower.look();
        return true;
      }
      const kid = readKid(token);
      if (kid === undefined || before.rows.some((row) => row.kid === kid) || waiting >= MAX_WAITING) return false;
      waiting += 1;
      try {
        await lookForKey();
      } catch {
        // The token is refused by the keys that are known.
        return false;
      } finally {
        waiting -= 1;
      }
      return follower.current()?.keys !== before.keys;
    },
    refresh: follower.look,
    stats: () => ({
      verifications: counts.read(),
      ageSeconds: Object.fromEntries(
        (follower.current()?.rows ?? [])
          .filter(({ state }) => state !== 'retired')
          .map(({ kid, age_seconds }) => [kid, age_seconds + (Date.now() - readAtMs) / 1000]),
      ),
    }),
    ready: () => (follower.current() === undefined ? follower.look() : undefined),
    close: follower.close,
  };
}

/** Before a look has succeeded, the key that signs may be any. */
export function signWhenReady(crypto: CryptoPool, { ready }: TokenKeys): CryptoPool {
  if (ready === undefined) return crypto;
  return {
    ...crypto,
    signJwt(...job) {
      const waiting = ready();
      return waiting === undefined ? crypto.signJwt(...job) : waiting.then(() => crypto.signJwt(...job));
    },
  };
}

function readKid(token: string): string | undefined {
  try {
    const { kid } = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString()) as {
      kid?: unknown;
    };
    return typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}
