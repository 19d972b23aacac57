import { openDatabase } from './pool.js';
import type { DatabaseOptions, DatabasePool } from './pool-options.js';

/**
 * The part for clusters is loaded only where it is on.
 * @param isCluster whether the database is the coordinator of one (AUTH_DB_CITUS)
 */
export const databaseOpener = async (isCluster: boolean): Promise<(options: DatabaseOptions) => DatabasePool> =>
  isCluster ? (await import('./citus/routed-database.js')).openCitusDatabase : openDatabase;
