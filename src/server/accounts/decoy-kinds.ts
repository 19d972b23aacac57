/** Selects the kind of decoy hash for an address without a hash, so that response times reveal nothing (SEC-92). */
import { createHmac } from 'node:crypto';
import { type PasswordKind, samplePasswordKinds } from '../../db/password-kinds.js';
import type { Database } from '../../db/types.js';
import type { Channel } from '../../db/user-rows.js';
import { deriveBytes } from '../sealing/key-ring.js';
import type { Log } from '../telemetry/log.js';

const FRESH_MS = 300_000;
const RETRY_MS = 10_000;
/** Hex digits of a MAC that are used: 48 bits, exact in a number. */
const DIGITS = 12;

export interface DecoyKinds {
  /**
   * An imported bcrypt hash takes ten times as long as Argon2: if all decoys were Argon2, a slow answer would reveal an
   * account. So each address without a hash gets a fixed kind, with the frequency of that kind among stored hashes.
   * @returns prefix of the hash; null: that of new hashes
   */
  kindFor(channel: Channel, address: string): Promise<string | null>;
}

export interface DecoyKindsOptions {
  readonly jwtSecret: string;
  /** Prefix of new hashes. */
  readonly usualKind: string;
  readonly db: Database;
  readonly log: Pick<Log, 'debug'>;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** Reads the stored kinds at the first sign-in, and then at most every five minutes, when there is a sign-in. */
export function openDecoyKinds(options: DecoyKindsOptions): DecoyKinds {
  const { jwtSecret, usualKind, db, log, now = () => performance.now() } = options;
  const key = deriveBytes(jwtSecret, 'latchkey decoy kind v1');
  let kinds: readonly PasswordKind[] = [];
  let dueMs = Number.NEGATIVE_INFINITY;
  let hasKinds = false;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      kinds = sortKinds(await samplePasswordKinds(db), usualKind);
      hasKinds = true;
      dueMs = now() + FRESH_MS;
    } catch (error) {
      dueMs = now() + RETRY_MS;
      log.debug({ component: 'crypto', reason: (error as Error).message }, 'The kinds of stored hashes were not read');
    } finally {
      reading = undefined;
    }
  }

  return {
    async kindFor(channel, address) {
      if (now() >= dueMs) reading ??= read();
      // Only the first read is awaited.
      if (!hasKinds) await reading;
      if (kinds.length < 2) return kinds[0]?.kind ?? null;
      const digits = createHmac('sha256', key).update(`${channel}\0${address}`).digest('hex').slice(0, DIGITS);
      return selectKind(kinds, Number.parseInt(digits, 16) / 16 ** DIGITS);
    },
  };
}

/**
 * The usual kind first: as hashes of accounts are renewed, decoys too change to the usual kind and never back.
 */
function sortKinds(kinds: readonly PasswordKind[], usualKind: string): PasswordKind[] {
  const rank = ({ kind }: PasswordKind) => (kind === usualKind ? '' : kind);
  return [...kinds].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** @param position in [0, 1) */
function selectKind(kinds: readonly PasswordKind[], position: number): string {
  let left = position * kinds.reduce((sum, { accounts }) => sum + accounts, 0);
  for (const { kind, accounts } of kinds) {
    left -= accounts;
    if (left < 0) return kind;
  }
  return kinds.at(-1)!.kind;
}
