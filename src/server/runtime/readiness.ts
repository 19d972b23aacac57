import { readSchemaVersion } from '../../db/health.js';
import type { Database } from '../../db/types.js';

export interface ReadinessState {
  readonly isReady: boolean;
  readonly database: 'up' | 'down';
  readonly schema: 'current' | 'unknown' | 'migrating';
  readonly isDraining: boolean;
}

/** Whether this server can take traffic: it is not stopping, the database answers, and the schema is current. */
export interface Readiness {
  read(): Promise<ReadinessState>;
  beginDrain(): void;
}

/**
 * @param wantedVersion number of our newest migration; a higher one in the database is fine, since a newer release
 *   keeps the schema usable for this one (REL-08)
 * @param mayBegin false: something else has to be known first
 */
export function watchReadiness(db: Database, wantedVersion: number, mayBegin: () => boolean = () => true): Readiness {
  let isDraining = false;
  let isSchemaCurrent = false;
  let pending: Promise<Omit<ReadinessState, 'isDraining'>> | undefined;

  async function probe(): Promise<Omit<ReadinessState, 'isDraining'>> {
    if (!(await db.isReady())) return noDatabase();
    // Read once as long as the database answers, since migrations are never undone.
    if (!isSchemaCurrent && mayBegin()) {
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

  /** Afterwards it may be another database, e.g. one restored from a backup. */
  function noDatabase(): Omit<ReadinessState, 'isDraining'> {
    isSchemaCurrent = false;
    return { isReady: false, database: 'down', schema: 'unknown' };
  }

  return {
    async read() {
      // One check at a time; Database.isReady caches its result for a second (REL-25).
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
