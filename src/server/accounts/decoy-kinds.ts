/** Which kind of hash an address without one is checked against, so that its time tells nothing (SEC-92). */
import { type PasswordKind, samplePasswordKinds } from '../../db/password-kinds.js';
import type { Database } from '../../db/types.js';
import type { Channel } from '../../db/users.js';
import { hmacSha256 } from '../../hmac-sha256.js';
import { deriveBytes } from '../key-ring.js';
import type { Log } from '../telemetry/log.js';

const FRESH_MS = 300_000;
const RETRY_MS = 10_000;
/** Of a MAC, in hex: 48 bits, as many as a number holds exactly and more than there are addresses. */
const DIGITS = 12;

/** Draws the kinds of decoys. */
export interface DecoyKinds {
  /**
   * An imported bcrypt hash takes ten times as long as one of ours: were every decoy of ours, a slow refusal would name an
   * account. So an address that has no hash gets a kind, always the same one, in the proportion in which they are stored.
   * @returns what the hash begins with; null: that of new hashes
   */
  kindFor(channel: Channel, address: string): Promise<string | null>;
}

export interface DecoyKindsOptions {
  readonly jwtSecret: string;
  /** What new hashes begin with. */
  readonly usualKind: string;
  readonly db: Database;
  readonly log: Pick<Log, 'debug'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** Reads nothing before the first sign-in, and again every five minutes in which there is one. */
export function openDecoyKinds(options: DecoyKindsOptions): DecoyKinds {
  const { jwtSecret, usualKind, db, log, now = () => performance.now() } = options;
  const mac = hmacSha256(deriveBytes(jwtSecret, 'latchkey decoy kind v1'));
  let kinds: readonly PasswordKind[] = [];
  let dueMs = Number.NEGATIVE_INFINITY;
  let hasKinds = false;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      kinds = inOrder(await samplePasswordKinds(db), usualKind);
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
      // Later ones go by what was known: nobody waits.
      if (!hasKinds) await reading;
      if (kinds.length < 2) return kinds[0]?.kind ?? null;
      const digits = mac(Buffer.from(`${channel}\0${address}`), 'hex').slice(0, DIGITS);
      return drawKind(kinds, Number.parseInt(digits, 16) / 16 ** DIGITS);
    },
  };
}

/**
 * The usual kind first: as accounts sign in and their hashes are renewed, addresses go over to it and never back, as those
 * of accounts do.
 */
function inOrder(kinds: readonly PasswordKind[], usualKind: string): PasswordKind[] {
  const rank = ({ kind }: PasswordKind) => (kind === usualKind ? '' : kind);
  return [...kinds].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** @param place from 0 to 1, without 1 */
function drawKind(kinds: readonly PasswordKind[], place: number): string {
  let left = place * kinds.reduce((sum, { accounts }) => sum + accounts, 0);
  for (const { kind, accounts } of kinds) {
    left -= accounts;
    if (left < 0) return kind;
  }
  return kinds.at(-1)!.kind;
}
