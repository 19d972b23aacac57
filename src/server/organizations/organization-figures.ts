/** What the metrics say of organizations. */
import { lookAgain } from '../../batching/look-again.js';
import { watchLookFailures } from '../../db/look-failures.js';
import { countOrganizations, type OrganizationCounts } from '../../db/organization-figures.js';
import type { Database } from '../../db/types.js';
import type { Log } from '../telemetry/log.js';

/** Kept from one configuration to the next. */
export interface OrganizationFigures {
  /** As of the last look; null: this thread has not looked. */
  counts: OrganizationCounts | null;
}

export const newOrganizationFigures = (): OrganizationFigures => ({ counts: null });

const EVERY_MS = 60_000;
/** 50 ms of one connection. */
const MOST_COUNTED = 100_000;

/** Counts each minute, in one thread of a process. @param everyMs for tests. @returns ends it */
export function watchOrganizations(
  db: Database,
  log: Pick<Log, 'warn'>,
  figures: OrganizationFigures,
  everyMs: number = EVERY_MS,
): () => void {
  const failures = watchLookFailures((error) =>
    log.warn({ component: 'organizations', error }, 'They cannot be counted'),
  );
  const look = async (): Promise<void> => {
    try {
      figures.counts = await countOrganizations(db, MOST_COUNTED);
      failures.clear();
    } catch (error) {
      failures.note(error);
    }
  };
  const looks = lookAgain(look, () => everyMs, 0);
  return looks.close;
}
