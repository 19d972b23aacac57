/** A whole server in this process: migrations, threads, and the way down. */
import { type MigrateOptions, migrateWhenReachable } from '../db/migrate.js';
import { ownMigrationsDirectory, readMigrationFiles } from '../db/migration-files.js';
import { prefixOf } from '../db/statements.js';
import { bootThread, type Development } from './boot.js';
import { startCluster } from './cluster.js';
import type { Config } from './config/settings.js';
import { openEdge } from './http/listen.js';
import { planThreads } from './shares.js';
import type { Log } from './telemetry/log.js';
import { exportMetrics } from './telemetry/metrics-export.js';

export interface RunningServer {
  readonly port: number;
  /** Of the page of metrics; null while none is served. */
  readonly metricsPort: number | null;
  /** Settles when the schema is up to date; rejects when it cannot be brought there. */
  readonly migrated: Promise<void>;
  /** Not ready at once, takes nothing new, finishes what runs within `timeoutSeconds`, closes everything (REL-15). */
  stop(timeoutSeconds: number): Promise<void>;
}

/**
 * Starts listening and migrating. A database that is away does not keep the server from starting: it answers 503 and
 * is not ready on /health/ready until the database appears (REL-04).
 * @param development what stands in for the outside world under `latchkey dev`
 * @throws ListenError, EngineMissingError
 */
export async function startServer(
  config: Config,
  version: string,
  log: Log,
  development?: Development,
): Promise<RunningServer> {
  // What development captures is kept in memory, so one thread has it all.
  const { serverThreads, share } = planThreads(development === undefined ? config : { ...config, serverThreads: 1 });
  const schemaVersion = readMigrationFiles(ownMigrationsDirectory).length;
  const abort = new AbortController();
  const migrated = migrateInBackground(config, log, abort.signal);
  // Reported by whoever waits for it; until then it must not count as unhandled.
  migrated.catch(() => undefined);

  if (config.serverThreads !== null && serverThreads < config.serverThreads) {
    log.warn(
      { component: 'server', server_threads: serverThreads },
      'Fewer server threads than AUTH_SERVER_THREADS: each needs a connection of AUTH_DB_MAX_POOL_SIZE and a thread of AUTH_CRYPTO_THREADS',
    );
  }
  const setup = { config, version, schemaVersion, share };
  const starting =
    serverThreads > 1 ? startCluster(setup, serverThreads, log) : startAlone({ ...setup, log, development });
  const server = await starting.catch((error: unknown) => {
    // A server that will not be must not wait for its database for ever.
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
  return {
    port: server.port,
    metricsPort: metrics?.port ?? null,
    migrated,
    async stop(timeoutSeconds) {
      abort.abort();
      // A collector that hangs must not take from the time of running requests.
      await Promise.all([metrics?.close(), server.stop(timeoutSeconds)]);
    },
  };
}

async function startAlone(options: Omit<Parameters<typeof bootThread>[0], 'openEdge'>) {
  const thread = await bootThread({ ...options, openEdge });
  const { engine, hashesPerSecond } = thread.app.crypto.stats();
  options.log.info({ component: 'crypto', engine, hashes_per_second: Math.round(hashesPerSecond) }, 'Password engine');
  return {
    port: thread.edge.port,
    gather: async () => [await thread.snapshot()],
    stop: (timeoutSeconds: number) => thread.stop(timeoutSeconds),
  };
}

async function migrateInBackground(config: Config, log: Log, signal: AbortSignal): Promise<void> {
  const options: MigrateOptions = { url: config.databaseUrl, prefix: prefixOf(config.dbNamespace) };
  const { applied, version } = await migrateWhenReachable(options, {
    signal,
    onFailure(error, pauseSeconds) {
      log.warn({ component: 'migrate', retry_in_seconds: pauseSeconds, error: error.message }, 'The database is away');
    },
  });
  log.info({ component: 'migrate', applied, version }, 'The schema is up to date');
}
