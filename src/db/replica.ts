/** A streaming replica for reads that may be a moment old. It is read only while it is known how old. */
import { readPrimaryPosition, readReplayPosition } from './health.js';
import type { Database, DatabaseLog } from './types.js';

export interface ReplicaOptions {
  readonly primary: Database;
  readonly replica: Database;
  /** Further behind than this, it is not read. */
  readonly maxLagSeconds: number;
  readonly log: DatabaseLog;
  /** Between two looks at both. Default 1000. */
  readonly intervalMs?: number;
}

export interface Replica {
  /** The replica while it may be read; null while it is away, too far behind, or not known to be neither. */
  fresh(): Database | null;
  /** A read from it failed: nobody else shall try before the next look at it. */
  distrust(): void;
  /** Closes the connections to it as well. */
  close(): Promise<void>;
}

interface Sample {
  readonly atMs: number;
  /** How far the primary had written by then. */
  readonly position: number;
}

/** A look that is older than this many intervals says nothing any more. */
const LOOKS_GOOD_FOR = 3;

/**
 * Compares both servers' places in the log once a second. A clock would not do: on a quiet primary the last replayed
 * transaction grows old although nothing is missing, and behind a broken connection nothing looks old.
 */
export function watchReplica(options: ReplicaOptions): Replica {
  const { primary, replica, maxLagSeconds, log, intervalMs = 1000 } = options;
  const samples: Sample[] = [];
  let lagMs: number | null = null;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  let wasUsable = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const atMs = performance.now();
      samples.push({ atMs, position: await readPrimaryPosition(primary) });
      const replayed = await readReplayPosition(replica);
      lagMs = replayed === null ? null : measureLag(samples, replayed, atMs);
      lookedMs = performance.now();
      report(
        replayed === null ? 'the server at AUTH_DB_REPLICA_URL is not a replica' : 'the replica is too far behind',
      );
    } catch (error) {
      lagMs = null;
      report(`the replica cannot be compared with the primary: ${error instanceof Error ? error.message : error}`);
    } finally {
      isLooking = false;
    }
  }

  function isUsable(): boolean {
    const isKnown = lagMs !== null && performance.now() - lookedMs < LOOKS_GOOD_FOR * intervalMs;
    return isKnown && lagMs! <= maxLagSeconds * 1000;
  }

  /** Says once when the replica falls out of use, and once when it is back. */
  function report(why: string): void {
    if (isUsable() === wasUsable) return;
    wasUsable = !wasUsable;
    if (wasUsable) log.info({}, 'reads of GET /user go to the replica');
    else log.warn({}, `${why}; all reads go to the primary`);
  }

  const timer = setInterval(() => void look(), intervalMs);
  timer.unref();
  void look();
  return {
    fresh: () => (isUsable() ? replica : null),
    distrust() {
      lagMs = null;
    },
    async close() {
      clearInterval(timer);
      await replica.close();
    },
  };
}

/**
 * How long ago the primary had first written something the replica does not have yet. Forgets samples that were reached.
 * @param samples oldest first
 */
export function measureLag(samples: Sample[], replayed: number, nowMs: number): number {
  const missing = samples.findIndex(({ position }) => position > replayed);
  samples.splice(0, missing === -1 ? samples.length : missing);
  // A replica that is away for a day needs no more than its oldest gap.
  if (samples.length > 100) samples.splice(1, samples.length - 100);
  return missing === -1 ? 0 : nowMs - samples[0]!.atMs;
}
