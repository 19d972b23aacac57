/**
 * Builds the parts of one server thread in order, hands them in, and stops them in reverse. The only place that knows
 * them all.
 */
import { type DatabaseOptions, openDatabase } from '../db/pool.js';
import { type Replica, watchReplica } from '../db/replica.js';
import { awaitSchema } from '../db/schema-gate.js';
import { prefixOf } from '../db/statements.js';
import type { Database } from '../db/types.js';
import { openCryptoPool } from '../workers/pool.js';
import { argon2Kind } from '../workers/tasks/stored-hash.js';
import { authenticateAdmin, authenticateUser } from './accounts/caller.js';
import { openDecoyKinds } from './accounts/decoy-kinds.js';
import { deriveKeys } from './accounts/keys.js';
import { compileRedirects } from './accounts/redirects.js';
import { refundFailedMail } from './accounts/send-rules.js';
import type { App } from './app.js';
import type { Config } from './config/settings.js';
import { openCaptcha } from './guards/captcha/index.js';
import { clientKeyOf, keySourceOf } from './guards/client-key.js';
import { openLimits } from './guards/limits.js';
import { keepHouse } from './housekeeping.js';
import type { Edge, EdgeOptions } from './http/listen.js';
import type { Route } from './http/types.js';
import { type CapturedMail, openMailRoom } from './mail/room.js';
import { observeThread } from './observe.js';
import { describeApi } from './openapi/document.js';
import { openProviders } from './providers/index.js';
import { watchReadiness } from './readiness.js';
import { routes } from './routes/index.js';
import { openSmsRoom } from './sms/index.js';
import { withLaterTexts } from './sms/later.js';
import type { SmsSink } from './sms/log.js';
import { edgeLog } from './telemetry/edge-log.js';
import type { Log } from './telemetry/log.js';
import type { MetricSnapshot } from './telemetry/metric-sources.js';

/** One thread's part of what the process may use. */
export interface ThreadShare {
  readonly hashThreads: number;
  /** 0: as many as the server grants. */
  readonly maxConnections: number;
}

export interface BootOptions {
  readonly config: Config;
  readonly version: string;
  /** Number of our newest migration. */
  readonly schemaVersion: number;
  readonly share: ThreadShare;
  readonly log: Log;
  /** Listens itself, or takes sockets from an acceptor on another thread. */
  readonly openEdge: (options: EdgeOptions<App>) => Edge | Promise<Edge>;
  readonly development?: Development | undefined;
}

/** What `latchkey dev` puts in place of the outside world. */
export interface Development {
  /** Takes each mail where no mail server is set. */
  readonly captureMail: (mail: CapturedMail) => void;
  /** Takes each text of SMS_PROVIDER=log. */
  readonly captureSms: SmsSink;
  /** Routes beside the table of routes. */
  readonly routes: readonly Route<App>[];
}

export interface ServerThread {
  readonly app: App;
  readonly edge: Edge;
  /** This thread's metrics; empty while they are off. */
  snapshot(): Promise<readonly MetricSnapshot[]>;
  /**
   * Finishes what runs, then closes everything.
   * @param timeoutSeconds how long running requests may take
   * @param isProcessEnding false: other threads go on, so the process stays ready. Default true.
   */
  stop(timeoutSeconds: number, isProcessEnding?: boolean): Promise<void>;
}

/** What is being handed over when the server stops may finish. The other mails wait in the outbox. */
const SENDING_CLOSE_SECONDS = 1;

/**
 * Builds the parts; one that fails closes those before it, which would keep the process alive.
 * @throws ListenError, EngineMissingError, and whatever keeps a crypto thread from starting
 */
export async function bootThread(options: BootOptions): Promise<ServerThread> {
  const opened: Closer[] = [];
  try {
    return await buildThread(options, opened);
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

type Closer = () => Promise<void> | void;

/** @param opened is told how to close each part as soon as it is open */
async function buildThread(options: BootOptions, opened: Closer[]): Promise<ServerThread> {
  const { config, log, share, development } = options;
  const providers = await openProviders({ config, log });
  const observation = await observeThread(config, options.version, log, {
    inFlight: () => edge.inFlight(),
    database: () => db.stats(),
    crypto: () => crypto.stats(),
    mail: () => mail.stats(),
    limits: () => limits.stats(),
  });
  opened.push(observation.close);
  const argon2 = {
    memoryKiB: config.argon2MemoryKib,
    iterations: config.argon2Iterations,
    parallelism: config.argon2Parallelism,
  };
  const pool = await openCryptoPool({
    hashThreads: share.hashThreads,
    signThreads: 1,
    argon2,
    jwtSecret: config.jwtSecret,
    jwtKeyId: config.jwtKeyId,
    maxQueuedHashes: config.cryptoMaxQueue,
  });
  opened.push(() => pool.close());
  const crypto = observation.ofCrypto(pool);
  const databaseOptions = {
    maxConnections: share.maxConnections,
    prefix: prefixOf(config.dbNamespace),
    preparedStatements: config.dbPreparedStatements,
    acquireTimeoutSeconds: config.dbAcquireTimeoutSeconds,
    statementTimeoutSeconds: config.dbStatementTimeoutSeconds,
    idleTimeoutSeconds: config.dbConnMaxIdleSeconds,
    maxLifetimeSeconds: config.dbConnMaxLifetimeSeconds,
    log,
  };
  const connections = openDatabase({ ...databaseOptions, url: config.databaseUrl });
  opened.push(() => connections.close());
  const db = observation.ofDatabase(awaitSchema(connections, options.schemaVersion));
  const replica = openReplica(config, db, databaseOptions);
  opened.push(() => replica?.close());
  const readiness = watchReadiness(connections, options.schemaVersion);
  const limits = openLimits({ config, db, log });
  const mail = openMailRoom({
    config,
    db,
    log,
    onFailed: (failed) => refundFailedMail(limits, failed),
    capture: development?.captureMail,
    around: observation.aroundMail,
  });
  opened.push(() => mail.close(0));
  const housekeeping = keepHouse({ config, db, log });
  opened.push(housekeeping.close);
  const sender = openSmsRoom({ config, log, ...(development && { sink: development.captureSms }) });
  const sms = withLaterTexts(observation.ofSms(sender), log);
  let api: object | undefined;
  const app: App = {
    config,
    db,
    ...(replica && { replica }),
    crypto,
    keys: deriveKeys(config),
    decoyKinds: openDecoyKinds({ jwtSecret: config.jwtSecret, usualKind: argon2Kind(argon2), db, log }),
    limits,
    housekeeping,
    mail,
    sms,
    providers,
    redirects: compileRedirects(config),
    log,
    readiness,
    version: options.version,
    describeApi: () => {
      api ??= describeApi(routes, options.version);
      return api;
    },
    countDeed: observation.countDeed,
  };

  const { observer } = observation;
  const edge: Edge = await options.openEdge({
    ...edgeOptions(app, [...routes, ...(development?.routes ?? [])]),
    observer,
  });
  return {
    app,
    edge,
    snapshot: observation.snapshot,
    async stop(timeoutSeconds, isProcessEnding = true) {
      if (isProcessEnding) readiness.beginDrain();
      edge.beginDrain();
      housekeeping.close();
      await edge.close(timeoutSeconds);
      await Promise.all([mail.close(SENDING_CLOSE_SECONDS), sms.close(SENDING_CLOSE_SECONDS)]);
      await crypto.close();
      await replica?.close();
      await db.close();
      await observation.close();
    },
  };
}

/** A read that the replica fails is asked again of the primary, so it gets less time. */
function openReplica(config: Config, primary: Database, options: Omit<DatabaseOptions, 'url'>): Replica | undefined {
  const { dbReplicaUrl: url, dbReplicaMaxLagSeconds: maxLagSeconds } = config;
  if (url === null) return undefined;
  const replica = openDatabase({ ...options, url, acquireTimeoutSeconds: 1, statementTimeoutSeconds: 1 });
  return watchReplica({ primary, replica, maxLagSeconds, log: options.log });
}

function edgeOptions(app: App, routes: readonly Route<App>[]): EdgeOptions<App> {
  const { config, log } = app;
  const isAdmin = (token: string): Promise<boolean> =>
    authenticateAdmin(app, token).then(
      () => true,
      () => false,
    );
  const keySource = keySourceOf(config);
  const captcha = config.securityCaptchaEnabled ? openCaptcha({ config, isAdmin, log }) : null;
  return {
    context: app,
    routes,
    host: config.apiHost,
    port: config.port,
    authenticate: (auth, token, request, mayLag) =>
      auth === 'admin'
        ? authenticateAdmin(app, token)
        : authenticateUser(app, token, request.header('x-jwt-aud'), mayLag),
    ...(captcha === null ? {} : { challenge: (request) => captcha.verify(request) }),
    ...(config.rateLimitHeader === '' ? {} : { admit: (limit, request) => app.limits.takeForClient(limit, request) }),
    clientKey: (request) => clientKeyOf(request, keySource),
    maxRequestSeconds: config.apiMaxRequestSeconds,
    corsAllowedHeaders: config.corsAllowedHeaders,
    requestIdHeader: config.requestIdHeader ? config.requestIdHeader.toLowerCase() : null,
    log: edgeLog(app.log),
  };
}
