import { readSchemaVersion } from '../db/health.js';
import type { Database } from '../db/types.js';

export interface ReadinessState {
  readonly isReady: boolean;
  readonly database: 'up' | 'down';
  readonly schema: 'current' | 'unknown' | 'migrating';
  readonly isDraining: boolean;
}

/** Whether this server may be given traffic: it is not going away, the database answers and knows our schema. */
export interface Readiness {
  read(): Promise<ReadinessState>;
  beginDrain(): void;
}

/**
 * @param wantedVersion number of our newest migration; a higher one in the database is fine, since a newer release that
 *   is being rolled out keeps the schema usable for this one (REL-08)
 */
export function watchReadiness(db: Database, wantedVersion: number): Readiness {
  let isDraining = false;
  let isSchemaCurrent = false;
  let pending: Promise<Omit<ReadinessState, 'isDraining'>> | undefined;

  async function probe(): Promise<Omit<ReadinessState, 'isDraining'>> {
    if (!(await db.isReady())) return noDatabase();
    // Not asked again while the database stays: its schema does not grow older.
    if (!isSchemaCurrent) {
      try {
        isSchemaCurrent = (await readSchemaVersion(db)) >= wantedVersion;
      } catch (error) {
        const { code } = error as { code?: string };
        if (code === 'DATABASE_UNAVAILABLE' || code === 'POOL_EXHAUSTED') return noDatabase();
        // No ledger yet: the first migration has not been committed.
      }
    }
    return { isReady: isSchemaCurrent, database: 'up', schema: isSchemaCurrent ? 'current' : 'migrating' };
  }

  /** What comes back may be another database, for example one restored from a backup. */
  function noDatabase(): Omit<ReadinessState, 'isDraining'> {
    isSchemaCurrent = false;
    return { isReady: false, database: 'down', schema: 'unknown' };
  }

  return {
    async read() {
      // One look at a time, and the database's answer is remembered for a second by Database.isReady (REL-25).
      pending ??= probe().finally(() => {
        pending = undefined;
      });
      const state = await pending;
      return { ...state, isReady: state.isReady && !isDraining, isDraining };
    },
    beginDrain() {
      isDraining = true;
    },
  };
}
