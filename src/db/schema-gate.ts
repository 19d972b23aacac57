import { SchemaUnmadeError } from './errors.js';
import { readSchemaVersion } from './health.js';
import type { Database } from './types.js';

/**
 * Keeps every statement back until the schema is the one it was written for, whoever makes it: on a first start there are
 * no tables yet, and beside the release before there may be columns missing (REL-30). It asks when a statement comes and
 * no more once the answer was yes: a statement then costs one comparison more.
 * @param wantedVersion number of our newest migration; a higher one will do (REL-08)
 * @returns a database whose statements are refused with SchemaUnmadeError meanwhile
 */
export function awaitSchema(db: Database, wantedVersion: number): Database {
  let isCurrent = false;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    if ((await versionOf(db)) < wantedVersion) throw new SchemaUnmadeError();
    isCurrent = true;
  }

  /** One look at a time, however many wait for it. */
  function becomeCurrent(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  return {
    run: (name, values) => (isCurrent ? db.run(name, values) : becomeCurrent().then(() => db.run(name, values))),
    transaction: (work) => (isCurrent ? db.transaction(work) : becomeCurrent().then(() => db.transaction(work))),
    isReady: () => db.isReady(),
    stats: () => db.stats(),
    close: () => db.close(),
  };
}

/** @returns 0 while there is no ledger, because the first migration has not been committed */
async function versionOf(db: Database): Promise<number> {
  try {
    return await readSchemaVersion(db);
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNDEFINED_TABLE = '42P01';
