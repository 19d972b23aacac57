/** Typed door to sql/queries/health.sql. */
import type { Database } from './types.js';

/** @returns number of the newest migration that has been applied */
export async function readSchemaVersion(db: Database): Promise<number> {
  return (await db.run<{ version: number }>('health.schema_version', []))[0]?.version ?? 0;
}
