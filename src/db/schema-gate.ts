import { DatabaseUnavailableError, SchemaNotReadyError } from './errors.js';
import { readSchemaVersion } from './health.js';
import type { Database } from './types.js';

export interface GatedDatabase extends Database {
  /** Null once the schema is current; until then a check of it, which throws SchemaNotReadyError. */
  readonly whenCurrent: () => Promise<void> | null;
}

/**
 * Rejects statements until the schema is current: at the first start there are no tables, and after an upgrade columns
 * may still be missing (REL-30). The version is read when a statement arrives, and no more once it is current.
 * @param wantedVersion number of our newest migration; a higher one is fine (REL-08)
 * @param mayBegin false: something else has to be known first
 * @returns a database whose statements throw SchemaNotReadyError until then
 */
export function requireSchema(
  db: Database,
  wantedVersion: number,
  mayBegin: () => boolean = () => true,
): GatedDatabase {
  let isCurrent = false;
  let checking: Promise<void> | undefined;

  async function check(): Promise<void> {
    if (!mayBegin() || (await versionOf(db)) < wantedVersion) throw new SchemaNotReadyError();
    isCurrent = true;
  }

  /** One check at a time, shared by all waiting statements. */
  function becomeCurrent(): Promise<void> {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  }

  return {
    whenCurrent: () => (isCurrent ? null : becomeCurrent()),
    run: (name, values) => (isCurrent ? db.run(name, values) : becomeCurrent().then(() => db.run(name, values))),
    transaction: (work, origin) =>
      isCurrent ? db.transaction(work, origin) : becomeCurrent().then(() => db.transaction(work, origin)),
    isReady: () => db.isReady(),
    stats: () => db.stats(),
    close: () => db.close(),
  };
}

/** @returns 0 before the first migration is committed, since there is no ledger yet */
async function versionOf(db: Database): Promise<number> {
  try {
    return await readSchemaVersion(db);
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return 0;
    // Background work is silent until the schema is current: a start without a database is reported once, by the migration.
    if (error instanceof DatabaseUnavailableError) throw new SchemaNotReadyError(error);
    throw error;
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNDEFINED_TABLE = '42P01';
