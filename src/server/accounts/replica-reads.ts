import type { Database } from '../../db/types.js';
import type { App } from '../app.js';

/**
 * Reads what may be a moment old: from the replica while it is fresh, else, or when it fails, from the primary.
 * @throws what `read` throws on the primary
 */
export async function readMayLag<Result>(
  { db, replica }: Pick<App, 'db' | 'replica'>,
  read: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = replica?.fresh();
  if (!database) return read(db);
  try {
    return await read(database);
  } catch {
    replica!.distrust();
    return read(db);
  }
}
