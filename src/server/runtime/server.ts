/** The server of this process: migrations, threads, metrics and shutdown. */
import { randomUUID } from 'node:crypto';
import { type MigrateOptions, migrateWhenReachable } from '../../db/migrate.js';
import { ownMigrationsDirectory, readMigrationFiles } from '../../db/migration-files.js';
import { prefixOf } from '../../db/statements.js';
import { appSchemaOf } from '../app-schema/schema-settings.js';
import type { ConfigSources } from '../config/load.js';
import type { Config } from '../config/settings.js';
import { openEdge } from '../http/listen.js';
import type { SettingUse } from '../stored-settings/watch-settings.js';
import type { Log } from '../telemetry/log.js';
import { exportMetrics } from '../telemetry/metrics-export.js';
import type { BootOptions } from './boot.js';
import { startCluster } from './cluster.js';
import type { Development } from './development.js';
import { planThreads } from './shares.js';

export interface RunningServer {
  readonly port: number;
  /** Of the console; null where it is off. */
  readonly consolePort: number | null;
  /** Of the metrics page; null when none is served. */
  readonly metricsPort: number | null;
  /** Resolves when the schema is up to date; rejects when a migration fails. */
  readonly migrated: Promise<void>;
  /** How many configurations the process has had, this one included. */
  readonly generation: number;
  /**
   * Requests that begin from now on get this configuration on every thread, or on none. Call it one at a time.
   * @param config with the settings of `LastingConfig` as they were at the start
   * @throws Error when a thread cannot make its parts; the former configuration stays then
   */
  reload(config: Config): Promise<void>;
  /** @param listener called with the newest version in the database, each time a thread looks */
  followSettings(listener: (version: number) => void): void;
  /** Which settings of the database the process uses from now on. */
  useSettings(use: Omit<SettingUse, 'processId'>): void;
  /** Stops accepting requests, finishes running ones within `timeoutSeconds`, and closes everything (REL-15). */
  stop(timeoutSeconds: number): Promise<void>;
}

export interface StartOptions {
  /** Replacements of external services under `latchkey dev`. */
  readonly development?: Development | undefined;
  /** What the configuration was read from, for the console; default: nothing. */
  readonly settingSources?: ConfigSources;
  /** Which settings of the database the configuration has; absent: they are not followed. */
  readonly stored?: Omit<SettingUse, 'processId'>;
  /** Of a server that runs in one thread: opens its crypto threads. */
  readonly openCrypto?: BootOptions['openCrypto'];
  /** Of a server that runs in one thread. See {@link EdgeOptions}. */
  readonly lingerMs?: number | undefined;
  /** The schema is known to be up to date, and needs no connection that looks. Default: false. */
  readonly isMigrated?: boolean;
}

const NOTHING: ConfigSources = { environment: {}, file: null };

/**
 * Starts listening and migrating. Without a database the server starts, too: it answers 503 and is not ready on
 * /health/ready until the database can be reached (REL-04).
 * @throws ListenError, EngineMissingError
 */
export async function startServer(
  config: Config,
  version: string,
  log: Log,
  { development, settingSources = NOTHING, stored, openCrypto, lingerMs, isMigrated = false }: StartOptions = {},
): Promise<RunningServer> {
  // Captured mails and texts are kept in memory, so there is only one thread.
  const { serverThreads, share } = planThreads(development === undefined ? config : { ...config, serverThreads: 1 });
  const schemaVersion = readMigrationFiles(ownMigrationsDirectory).length;
  const abort = new AbortController();
  const migrated = isMigrated ? Promise.resolve() : migrateInBackground(config, log, abort.signal);
  // Callers of `migrated` handle it; until then it must not count as unhandled.
  migrated.catch(() => undefined);

  if (config.serverThreads !== null && serverThreads < config.serverThreads) {
    log.warn(
      { component: 'server', server_threads: serverThreads },
      'Fewer server threads than AUTH_SERVER_THREADS: each needs a connection of AUTH_DB_MAX_POOL_SIZE and a thread of AUTH_CRYPTO_THREADS',
    );
  }
  const processId = randomUUID();
  let onNewest: (version: number) => void = () => undefined;
  const setup = {
    config,
    stored: stored === undefined ? null : { processId, ...stored },
    onNewestSettings: (version: number) => onNewest(version),
    settingSources,
    version,
    schemaVersion,
    share,
    generation: 1,
  };
  const starting =
    serverThreads > 1
      ? startCluster(setup, serverThreads, log)
      : startAlone({ ...setup, log, development, openCrypto, lingerMs });
  const server = await starting.catch((error: unknown) => {
    // The start has failed, so the migration must not wait for the database any more.
    abort.abort();
    throw error;
  });
  const { gather } = server;
  const metrics = config.metricsEnabled ? await exportMetrics({ settings: config, version, gather, log }) : null;
  log.info(
    {
      component: 'server',
      port: server.port,
      server_threads: serverThreads,
      hash_threads: serverThreads * share.hashThreads,
    },
    'Latchkey is listening',
  );
  if (server.consolePort !== null) {
    log.info({ component: 'server', port: server.consolePort }, 'The console is listening');
  }
  let generation = 1;
  return {
    port: server.port,
    consolePort: server.consolePort,
    get generation() {
      return generation;
    },
    async reload(next) {
      await server.reload(next, generation + 1);
      generation += 1;
    },
    followSettings(listener) {
      onNewest = listener;
    },
    useSettings: (use) => server.useSettings({ processId, ...use }),
    metricsPort: metrics?.port ?? null,
    migrated,
    async stop(timeoutSeconds) {
      abort.abort();
      // In parallel, so that a hanging collector does not reduce the time of running requests.
      await Promise.all([metrics?.close(), server.stop(timeoutSeconds)]);
    },
  };
}

async function startAlone({ lingerMs, ...options }: Omit<BootOptions, 'openEdge'> & Pick<StartOptions, 'lingerMs'>) {
  // Beside server threads, which load it themselves, the main one has no use for the endpoints.
  const { bootThread } = await import('./boot.js');
  const thread = await bootThread({ ...options, openEdge: (edge) => openEdge({ ...edge, lingerMs }) });
  const { engine, hashesPerSecond } = thread.app.crypto.stats();
  options.log.info({ component: 'crypto', engine, hashes_per_second: Math.round(hashesPerSecond) }, 'Password engine');
  return {
    port: thread.edge.port,
    consolePort: thread.consoleEdge?.port ?? null,
    gather: async () => [await thread.snapshot()],
    async reload(config: Config, generation: number) {
      const prepared = await thread.prepare(config, generation);
      prepared.commit();
      await prepared.finish();
    },
    useSettings: (use: SettingUse) => thread.useSettings(use),
    stop: (timeoutSeconds: number) => thread.stop(timeoutSeconds),
  };
}

async function migrateInBackground(config: Config, log: Log, signal: AbortSignal): Promise<void> {
  const options: MigrateOptions = {
    url: config.databaseUrl,
    prefix: prefixOf(config.dbNamespace),
    appSchema: appSchemaOf(config),
  };
  const { applied, version, notices } = await migrateWhenReachable(options, {
    signal,
    onFailure(error, pauseSeconds) {
      log.warn({ component: 'migrate', retry_in_seconds: pauseSeconds, error: error.message }, 'The database is away');
    },
  });
  for (const notice of notices) log.warn({ component: 'migrate' }, notice);
  log.info({ component: 'migrate', applied, version }, 'The schema is up to date');
}
