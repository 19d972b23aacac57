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

const CACHE_MS = 1000;

/**
 * @param wantedVersion number of our newest migration; a higher one in the database is fine, since a newer release that
 *   is being rolled out keeps the schema usable for this one (REL-08)
 */
export function watchReadiness(db: Database, wantedVersion: number): Readiness {
  let isDraining = false;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let pending: Promise<Omit<ReadinessState, 'isDraining'>> | undefined;

  async function probe(): Promise<Omit<ReadinessState, 'isDraining'>> {
    if (!(await db.isReady())) return { isReady: false, database: 'down', schema: 'unknown' };
    try {
      const isCurrent = (await readSchemaVersion(db)) >= wantedVersion;
      return { isReady: isCurrent, database: 'up', schema: isCurrent ? 'current' : 'migrating' };
    } catch {
      // No ledger yet: the first migration has not been committed.
      return { isReady: false, database: 'up', schema: 'migrating' };
    }
  }

  return {
    async read() {
      if (performance.now() - readAtMs >= CACHE_MS) {
        readAtMs = performance.now();
        pending = probe();
      }
      const state = await pending!;
      return { ...state, isReady: state.isReady && !isDraining, isDraining };
    },
    beginDrain() {
      isDraining = true;
    },
  };
}
