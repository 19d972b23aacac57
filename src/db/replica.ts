/** A streaming replica for reads that may be slightly old. It is used only while its lag is known. */
import { readPrimaryPosition, readReplayPosition } from './health.js';
import type { Database, DatabaseLog } from './types.js';

export interface ReplicaOptions {
  readonly primary: Database;
  readonly replica: Database;
  /** With a higher lag the replica is not used. */
  readonly maxLagSeconds: number;
  readonly log: DatabaseLog;
  /** Interval of the checks. Default 1000. */
  readonly intervalMs?: number;
}

export interface Replica {
  /** The replica; null while it cannot be reached, its lag is unknown or too high. */
  usable(): Database | null;
  /** A read failed: the replica is not used before the next check. */
  markFailed(): void;
  /** Stops the checks and closes the connections to the replica. */
  close(): Promise<void>;
}

interface Sample {
  readonly atMs: number;
  /** The primary's position at that time. */
  readonly position: number;
}

/** A check is valid for this many intervals. */
const CHECK_VALID_INTERVALS = 3;

/**
 * Compares the positions of both servers in the write-ahead log once a second. Clocks cannot measure the lag: on a
 * quiet primary the last replayed transaction grows old although nothing is missing, and with a broken connection the
 * replica does not notice that it is behind.
 */
export function watchReplica(options: ReplicaOptions): Replica {
  const { primary, replica, maxLagSeconds, log, intervalMs = 1000 } = options;
  const samples: Sample[] = [];
  let lagMs: number | null = null;
  let checkedMs = Number.NEGATIVE_INFINITY;
  let isChecking = false;
  let wasUsable = false;

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      const atMs = performance.now();
      samples.push({ atMs, position: await readPrimaryPosition(primary) });
      const replayed = await readReplayPosition(replica);
      lagMs = replayed === null ? null : measureLag(samples, replayed, atMs);
      checkedMs = performance.now();
      report(
        replayed === null ? 'the server at AUTH_DB_REPLICA_URL is not a replica' : 'the replica is too far behind',
      );
    } catch (error) {
      lagMs = null;
      report(`the replica cannot be compared with the primary: ${error instanceof Error ? error.message : error}`);
    } finally {
      isChecking = false;
    }
  }

  function isUsable(): boolean {
    const isKnown = lagMs !== null && performance.now() - checkedMs < CHECK_VALID_INTERVALS * intervalMs;
    return isKnown && lagMs! <= maxLagSeconds * 1000;
  }

  /** Logs each change between used and unused. */
  function report(why: string): void {
    if (isUsable() === wasUsable) return;
    wasUsable = !wasUsable;
    if (wasUsable) log.info({}, 'reads of GET /user go to the replica');
    else log.warn({}, `${why}; all reads go to the primary`);
  }

  const timer = setInterval(() => void check(), intervalMs);
  timer.unref();
  void check();
  return {
    usable: () => (isUsable() ? replica : null),
    markFailed() {
      lagMs = null;
    },
    async close() {
      clearInterval(timer);
      await replica.close();
    },
  };
}

/**
 * Time since the primary wrote the first thing that the replica does not have yet. Removes samples that were reached.
 * @param samples oldest first
 */
export function measureLag(samples: Sample[], replayed: number, nowMs: number): number {
  const missing = samples.findIndex(({ position }) => position > replayed);
  samples.splice(0, missing === -1 ? samples.length : missing);
  // The oldest missing sample is enough for a replica that is away for a day.
  if (samples.length > 100) samples.splice(1, samples.length - 100);
  return missing === -1 ? 0 : nowMs - samples[0]!.atMs;
}
