import type { Database } from '../../db/types.js';
import type { App } from '../runtime/app.js';

/**
 * Reads from the replica while it is fresh; from the primary otherwise, and when the replica fails.
 * @throws what `read` throws on the primary
 */
export async function readFromReplica<Result>(
  { db, replica }: Pick<App, 'db' | 'replica'>,
  read: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = replica?.usable();
  if (!database) return read(db);
  try {
    return await read(database);
  } catch {
    replica!.markFailed();
    return read(db);
  }
}
