/**
 * Creates the parts of one server thread in order, passes them in, and stops them in reverse. Parts that a reload makes
 * anew are in generation.ts.
 */
import { requireSchema } from '../../db/schema-gate.js';
import { openCryptoPool } from '../../workers/pool.js';
import { argon2Kind } from '../../workers/tasks/stored-hash.js';
import { openDecoyKinds } from '../accounts/decoy-kinds.js';
import { viewUser } from '../accounts/user-view.js';
import type { ConfigSources } from '../config/load.js';
import { type Config, pickLasting } from '../config/settings.js';
import { endpoints } from '../endpoints/index.js';
import { startEvents } from '../events/index.js';
import { subscribeUserCreated } from '../events/user-created.js';
import type { Edge } from '../http/listen.js';
import type { EdgeOptions } from '../http/options.js';
import { describeApi } from '../openapi/document.js';
import { isRecording } from '../records/is-recording.js';
import { describeScimCall } from '../scim/scim-call.js';
import { type SettingUse, watchSettings } from '../stored-settings/watch-settings.js';
import { edgeLog } from '../telemetry/edge-log.js';
import type { Log } from '../telemetry/log.js';
import type { MetricSnapshot } from '../telemetry/metric-sources.js';
import type { App } from './app.js';
import { countAuditFor } from './count-audit.js';
import type { Development } from './development.js';
import { type Generation, type LastingParts, openGeneration } from './generation.js';
import { openGenerationSwap, type PreparedGeneration } from './generation-swap.js';
import { startHousekeeping } from './housekeeping.js';
import { newState } from './kept-state.js';
import { observeThread } from './observe.js';
import { openReplica } from './open-replica.js';
import { watchReadiness } from './readiness.js';
import { withRequestOrigin } from './request-origin.js';
import type { ThreadShare } from './shares.js';
import { openThreadDatabase, threadDatabaseOptions } from './thread-database.js';

export interface BootOptions {
  readonly config: Config;
  readonly settingSources: ConfigSources;
  /** Which settings of the database are in use; null: they are not followed. */
  readonly stored: SettingUse | null;
  /** Called with the newest version in the database, each time this thread looks. */
  readonly onNewestSettings?: ((version: number) => void) | undefined;
  /** Number of this configuration; a thread that replaces another one may begin with a later one. */
  readonly generation: number;
  readonly version: string;
  /** Number of our newest migration. */
  readonly schemaVersion: number;
  readonly share: ThreadShare;
  /** Default true: this thread does what one of the process does for all. */
  readonly runsJobs?: boolean | undefined;
  readonly log: Log;
  /** Opens an edge that listens, or one that gets its connections from an acceptor. */
  readonly openEdge: (options: EdgeOptions<App>) => Edge<App> | Promise<Edge<App>>;
  readonly development?: Development | undefined;
  /** Opens the crypto threads, or takes some that are open; default: opens them. */
  readonly openCrypto?: typeof openCryptoPool | undefined;
}

export interface ServerThread {
  /** Of the configuration of the start. */
  readonly app: App;
  readonly edge: Edge<App>;
  /** Of the console; null where it is off. */
  readonly consoleEdge: Edge<App> | null;
  /** This thread's metrics; empty when they are off. */
  snapshot(): Promise<readonly MetricSnapshot[]>;
  /**
   * Makes the parts of another configuration, without using them yet.
   * @throws Error when one of them cannot be made
   */
  prepare(config: Config, generation: number): Promise<PreparedGeneration>;
  /** Which settings of the database the process uses from now on. */
  useSettings(use: SettingUse): void;
  /**
   * Finishes running requests, then closes everything.
   * @param timeoutSeconds limit for running requests
   * @param isProcessEnding false: other threads continue, so the process stays ready. Default true.
   */
  stop(timeoutSeconds: number, isProcessEnding?: boolean): Promise<void>;
}

/** Time for mails and texts that are being sent when the server stops. Other mails wait in the outbox. */
const SENDING_CLOSE_SECONDS = 1;

/**
 * Creates the parts. When one fails, the others are closed, since they would keep the process alive.
 * @throws ListenError, EngineMissingError, or the error of a crypto thread that cannot start
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

const ignore = (): void => undefined;

type Closer = () => Promise<void> | void;

/** @param opened receives a function that closes each part once it is open */
async function buildThread(options: BootOptions, opened: Closer[]): Promise<ServerThread> {
  const { log, share, development } = options;
  // Not the whole configuration: these parts survive a reload.
  const config = pickLasting(options.config);
  const state = newState();
  let current: Generation | undefined;
  const sources = {
    inFlight: () => edge.inFlight(),
    database: () => db.stats(),
    crypto: () => crypto.stats(),
    mail: () => current!.app.mail.stats(),
    texts: () => current!.app.sms.stats(),
    events: () => events.stats(),
    limits: () => current!.app.limits.stats(),
    passwords: () => current!.app.passwords.stats(),
    tokenKeys: () => current!.app.tokenKeys.stats(),
    factors: () => current!.app.factorCounts.read(),
    ssoEnds: () => current!.app.ssoEnds.counts,
    oauth: () => current!.app.oauthCounts.read(),
    organizations: () => (current!.app.organizationRoles === null ? null : state.organizations),
  };
  const observation = await observeThread(config, options.version, log, sources);
  opened.push(observation.close);
  const argon2 = {
    memoryKiB: config.argon2MemoryKib,
    iterations: config.argon2Iterations,
    parallelism: config.argon2Parallelism,
  };
  const pool = await (options.openCrypto ?? openCryptoPool)({
    hashThreads: share.hashThreads,
    signThreads: 1,
    argon2,
    jwtSecret: config.jwtSecret,
    // Generation.finish() names the signing key.
    jwtKeyId: '',
    maxQueuedHashes: config.cryptoMaxQueue,
  });
  opened.push(() => pool.close());
  const crypto = observation.wrapCrypto(pool);
  const databaseOptions = threadDatabaseOptions(config, share.maxConnections, log);
  const connections = await openThreadDatabase(config, databaseOptions);
  opened.push(() => connections.close());
  let isKnown = options.stored?.isKnown ?? true;
  const mayBegin = () => isKnown;
  const gated = requireSchema(connections, options.schemaVersion, mayBegin);
  const checked = observation.wrapDatabase(gated);
  const userCreated = subscribeUserCreated(checked, viewUser);
  const events = startEvents({ config, db: checked, log, subscribers: [userCreated], viewUser });
  opened.push(() => events.close(0));
  const { db } = events;
  const replica = openReplica(config, db, databaseOptions);
  opened.push(() => replica?.close());
  const readiness = watchReadiness(connections, options.schemaVersion, mayBegin);
  const watch =
    options.stored &&
    watchSettings({ db: connections, use: options.stored, log, onNewest: options.onNewestSettings ?? ignore });
  opened.push(() => watch?.close());
  const housekeeping = startHousekeeping({ config: options.config, db, log });
  opened.push(housekeeping.close);
  const routes = [...endpoints, ...(development?.routes ?? [])];
  const records = isRecording(config)
    ? (await import('../records/index.js')).openRecords({
        db: checked,
        log,
        routes,
        threads: share.serverThreads,
        sources: { ...sources, version: options.version },
        describeProvisioned: describeScimCall,
      })
    : null;
  opened.push(() => records?.close());
  let api: object | undefined;
  const parts: LastingParts = {
    settingSources: options.settingSources,
    db,
    lookForSettings: watch?.look,
    ...(replica && { replica }),
    crypto,
    decoyKinds: openDecoyKinds({ jwtSecret: config.jwtSecret, usualKind: argon2Kind(argon2), db, log }),
    housekeeping,
    events,
    userCreated,
    log,
    readiness,
    version: options.version,
    describeApi: () => {
      api ??= describeApi(endpoints, options.version);
      return api;
    },
    countAuditEvent: countAuditFor(observation.countAuditEvent, records),
    countSignIn: records?.countSignIn,
    observation,
    allowFunctions: (functions) => connections.allowFunctions(functions),
    state,
    development,
    runsJobs: options.runsJobs ?? true,
  };
  current = await openGeneration(parts, options.config, options.generation);
  records?.use(current.app.config);
  opened.push(() => current?.close(0));
  await current.finish();
  const edge = await options.openEdge({
    ...current.rules,
    routes: routes.map(withRequestOrigin),
    host: config.apiHost,
    port: config.port,
    log: edgeLog(log),
    whenStarted: gated.whenCurrent,
    observer: records?.observe(observation.observer) ?? observation.observer,
    onRefusal: records?.onRefusal,
    onProvisioned: records?.onProvisioned,
  });
  opened.push(() => edge.close(0));
  // Loaded only where it is on.
  const console =
    config.consolePort === null
      ? null
      : await (await import('../console/open-console.js')).openConsole(current.app, config, (edge) =>
          options.openEdge({ ...edge, routes: edge.routes.map(withRequestOrigin) }),
        );
  const swapRules = ({ rules, app }: Generation) => {
    records?.use(app.config);
    return Promise.all([edge.swap(rules), console?.swap(app)]);
  };
  const swap = openGenerationSwap(parts, swapRules, current, (next) => {
    current = next;
    isKnown = true;
  });
  return {
    app: current.app,
    edge,
    consoleEdge: console?.edge ?? null,
    snapshot: observation.snapshot,
    prepare: swap.prepare,
    useSettings(use) {
      isKnown ||= use.isKnown;
      watch?.use(use);
    },
    async stop(timeoutSeconds, isProcessEnding = true) {
      if (isProcessEnding) readiness.beginDrain();
      edge.beginDrain();
      housekeeping.close();
      watch?.close();
      events.releaseWaiters();
      await Promise.all([edge.close(timeoutSeconds), console?.edge.close(timeoutSeconds)]);
      await Promise.all([
        current!.close(SENDING_CLOSE_SECONDS),
        swap.close(SENDING_CLOSE_SECONDS),
        events.close(SENDING_CLOSE_SECONDS),
      ]);
      await Promise.all([crypto.close(), records?.close()]);
      await replica?.close();
      await db.close();
      await observation.close();
    },
  };
}
