/** The statements of sql/queries/health.sql. */
import type { Database } from './types.js';

/** @returns number of the newest migration that has been applied */
export async function readSchemaVersion(db: Database): Promise<number> {
  return (await db.run<{ version: number }>('health.schema_version', []))[0]?.version ?? 0;
}

/** @returns the clock of the database, in seconds since the epoch */
export async function readClock(db: Pick<Database, 'run'>): Promise<number> {
  return (await db.run<{ seconds: number }>('health.clock', []))[0]!.seconds;
}

/** @returns the primary's position in the write-ahead log, in bytes. @throws on a replica */
export async function readPrimaryPosition(db: Pick<Database, 'run'>): Promise<number> {
  return (await db.run<{ position: number }>('health.primary_position', []))[0]!.position;
}

/** @returns the replica's replay position in that log; null on a server that is no replica */
export async function readReplayPosition(db: Pick<Database, 'run'>): Promise<number | null> {
  return (await db.run<{ position: number | null }>('health.replay_position', []))[0]?.position ?? null;
}
