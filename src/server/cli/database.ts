import { databaseOpener } from '../../db/database-opener.js';
import { isMissingTable } from '../../db/errors.js';
import type { DatabaseOptions, DatabasePool } from '../../db/pool.js';
import { prefixOf } from '../../db/statements.js';
import type { Config } from '../config/settings.js';
import { loadConfiguration } from './configuration.js';
import type { CommandArguments, CommandIo } from './types.js';

const STATEMENT_SECONDS = 60;

/**
 * Runs work on the configured database, with a long statement timeout.
 * @throws ConfigError, DatabaseUnavailableError, or what `work` throws
 */
export async function withDatabase<Result>(
  { configFiles }: Pick<CommandArguments, 'configFiles'>,
  io: CommandIo,
  work: (database: DatabasePool, config: Config) => Promise<Result>,
): Promise<Result> {
  const { config } = await loadConfiguration({ configFiles }, io);
  return withDatabaseOf(config, io, (database) => work(database, config));
}

/** All but which database, and whose tables. */
export type CommandConnections = Omit<DatabaseOptions, 'url' | 'prefix'>;

/**
 * The same for a configuration that is loaded already.
 * @param options of the connections; default: two, and a long statement timeout
 * @throws DatabaseUnavailableError, or what `work` throws
 */
export async function withDatabaseOf<Result>(
  config: Config,
  io: CommandIo,
  work: (database: DatabasePool) => Promise<Result>,
  options: CommandConnections = usualConnections(config, io),
): Promise<Result> {
  const open = await databaseOpener(config.dbCitus);
  const database = open({ url: config.databaseUrl, prefix: prefixOf(config.dbNamespace), ...options });
  try {
    return await work(database);
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    throw new Error('The tables are not there yet: run latchkey migrate first.', { cause: error });
  } finally {
    await database.close();
  }
}

function usualConnections({ dbPreparedStatements }: Config, io: CommandIo): CommandConnections {
  const quiet = () => undefined;
  return {
    maxConnections: 2,
    preparedStatements: dbPreparedStatements,
    acquireTimeoutSeconds: 10,
    statementTimeoutSeconds: STATEMENT_SECONDS,
    log: { debug: quiet, info: quiet, warn: (_fields, message) => io.err(`${message}\n`) },
  };
}
