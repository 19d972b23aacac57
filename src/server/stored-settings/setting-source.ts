/** The connection through which a process or a command reads the settings in the database. */
import { isMissingTable, isSqlError } from '../../db/errors.js';
import { type DatabaseOptions, type DatabasePool, openDatabase } from '../../db/pool.js';
import { prefixOf } from '../../db/statements.js';
import { readStoredSettings, type StoredSettings } from '../../db/stored-settings.js';
import {
  ConfigError,
  type ConfigSources,
  type DraftedConfig,
  draftConfig,
  type LoadedConfig,
  settleDraft,
} from '../config/load.js';
import { loadWithStored, type StoredLoad, type StoredLoadOptions, type UnusableSet } from './load-stored.js';

/** What was loaded, and whether the database was asked. */
export interface SourcedLoad extends StoredLoad {
  /** Why the database could not be read; what it said last is in use then. Null: it was read. */
  readonly unread: string | null;
}

export interface SettingSource {
  /**
   * Reads every source.
   * @param unusable the newest set with which the start has failed: an earlier one is taken
   * @throws ConfigError, also when the sources do not name a database
   */
  load(unusable?: UnusableSet): Promise<SourcedLoad>;
}

/** A start waits so long for a database that does not answer. */
const ACQUIRE_SECONDS = 2;
const quiet = () => undefined;

export function openSettingSource(sources: ConfigSources): SettingSource {
  // Another address takes effect with a restart.
  let options: DatabaseOptions | undefined;
  const lastRead = new Map<number | null, StoredSettings | undefined>();

  async function loadFrom(db: DatabasePool, { own, unusable }: Required<StoredLoadOptions>): Promise<SourcedLoad> {
    const read = async (version: number | null) => {
      const found = await readWhereMade(db, version);
      if (version === null) lastRead.clear();
      lastRead.set(version, found);
      return found;
    };
    try {
      return { ...(await loadWithStored(sources, read, { own, unusable })), unread: null };
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      // What the table says cannot be read at all, so waiting for it would not help.
      const unread = isSqlError(error) ? null : reason;
      return { ...(await loadUnread(sources, own, lastRead, reason)), unread };
    }
  }

  return {
    async load(unusable) {
      const own = draftConfig(sources);
      options ??= settingDatabaseOf(own);
      // Not kept: it would be one more than AUTH_DB_MAX_POOL_SIZE.
      const db = openDatabase(options);
      try {
        return await loadFrom(db, { own, unusable });
      } finally {
        await db.close();
      }
    },
  };
}

/** One connection, which does not wait long: a start and the commands go on, or say so, without the database. */
export const settingConnection = {
  maxConnections: 1,
  preparedStatements: false,
  acquireTimeoutSeconds: ACQUIRE_SECONDS,
  log: { debug: quiet, info: quiet, warn: quiet },
} satisfies Partial<DatabaseOptions>;

/** The database that the other sources name. @throws ConfigError when they name none */
function settingDatabaseOf({ config, faults }: DraftedConfig): DatabaseOptions {
  if (!config.databaseUrl) throw new ConfigError(faults);
  return { url: config.databaseUrl, prefix: prefixOf(config.dbNamespace), ...settingConnection };
}

/** Before the first migration there is no table, and nothing is set. */
async function readWhereMade(db: DatabasePool, version: number | null): Promise<StoredSettings | undefined> {
  try {
    return await readStoredSettings(db, version);
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

/** What the database said last, or the other sources alone. @throws ConfigError, which says that it was not asked */
async function loadUnread(
  sources: ConfigSources,
  own: DraftedConfig,
  lastRead: ReadonlyMap<number | null, StoredSettings | undefined>,
  unread: string,
): Promise<StoredLoad> {
  if (lastRead.has(null)) return loadWithStored(sources, async (version) => lastRead.get(version), { own });
  let loaded: LoadedConfig;
  try {
    loaded = settleDraft(own);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      error.faults.map((fault) =>
        fault.problem === 'is missing'
          ? { ...fault, problem: `is missing, and the database was not read (${unread.replace(/\.$/, '')})` }
          : fault,
      ),
    );
  }
  return { loaded, newest: 0, version: 0, problem: null };
}
