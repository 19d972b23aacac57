/** Typed door to sql/queries/health.sql. */
import type { Database } from './types.js';

/** @returns number of the newest migration that has been applied */
export async function readSchemaVersion(db: Database): Promise<number> {
  return (await db.run<{ version: number }>('health.schema_version', []))[0]?.version ?? 0;
}

/** @returns how far the primary has written, in bytes of its log. @throws on a replica */
export async function readPrimaryPosition(db: Pick<Database, 'run'>): Promise<number> {
  return (await db.run<{ position: number }>('health.primary_position', []))[0]!.position;
}

/** @returns how far a replica has replayed that log; null on a server that never was one */
export async function readReplayPosition(db: Pick<Database, 'run'>): Promise<number | null> {
  return (await db.run<{ position: number | null }>('health.replay_position', []))[0]?.position ?? null;
}
