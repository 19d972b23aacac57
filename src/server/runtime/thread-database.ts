import { databaseOpener } from '../../db/database-opener.js';
import type { DatabaseOptions, DatabasePool } from '../../db/pool.js';
import { prefixOf } from '../../db/statements.js';
import type { LastingConfig } from '../config/settings.js';
import type { Log } from '../telemetry/log.js';

/** The connections of one server thread. */
export const threadDatabaseOptions = (
  config: LastingConfig,
  maxConnections: number,
  log: Log,
): Omit<DatabaseOptions, 'url'> => ({
  maxConnections,
  prefix: prefixOf(config.dbNamespace),
  preparedStatements: config.dbPreparedStatements,
  acquireTimeoutSeconds: config.dbAcquireTimeoutSeconds,
  statementTimeoutSeconds: config.dbStatementTimeoutSeconds,
  idleTimeoutSeconds: config.dbConnMaxIdleSeconds,
  maxLifetimeSeconds: config.dbConnMaxLifetimeSeconds,
  log,
});

/** Opens the database of one server thread. */
export async function openThreadDatabase(
  config: LastingConfig,
  options: Omit<DatabaseOptions, 'url'>,
): Promise<DatabasePool> {
  const open = await databaseOpener(config.dbCitus);
  return open({ ...options, url: config.databaseUrl });
}
