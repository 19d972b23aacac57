import { type DatabaseOptions, type DatabasePool, openDatabase } from '../../db/pool.js';
import type { LastingConfig } from '../config/settings.js';

/** @returns what opens the configured database. The part for clusters is loaded only where it is on. */
export const databaseOpener = async ({
  dbCitus,
}: Pick<LastingConfig, 'dbCitus'>): Promise<(options: DatabaseOptions) => DatabasePool> =>
  dbCitus ? (await import('../../db/citus/routed-database.js')).openCitusDatabase : openDatabase;
