/** Deletes stale rows while the server runs. */
import { setTimeout as pause } from 'node:timers/promises';
import { SchemaNotReadyError } from '../../db/errors.js';
import { type PruneAges, type PrunedTable, pruneBatch } from '../../db/prune.js';
import type { Database } from '../../db/types.js';
import type { Config } from '../config/settings.js';
import type { Log } from '../telemetry/log.js';

export interface HousekeepingOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Pick<Log, 'debug' | 'warn'>;
  /** Interval of the rounds. Default one minute. */
  readonly everyMs?: number;
}

export interface Housekeeping {
  /** Counts a new flow of a provider, of a company or of the pages. Every thousandth starts an extra round, so that clean-up keeps pace (SEC-88). */
  recordFlow(): void;
  /** Later rounds follow this configuration. */
  use(config: Config): void;
  close(): void;
}

const EVERY_MS = 60_000;
const BATCH = 500;
/** Pause between two batches for other requests: at most 5,000 rows a second are deleted. */
const BATCH_PAUSE_MS = 100;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
/** Longer than a state is valid (SEC-60), so that a late callback gets the right error. */
const WAITING_FLOW_SECONDS = 900;
const FLOWS_PER_ROUND = 1000;
/** Longer than a notice waits for its mail server. */
const NOTICE_SECONDS = 3 * DAY_SECONDS;
const REFUSAL_SECONDS = 7 * DAY_SECONDS;
const IMPORT_SECONDS = 7 * DAY_SECONDS;

/** Rows that anyone can create are always deleted, as are events (AUTH_WEBHOOKS_RETENTION). */
const ALWAYS: readonly PrunedTable[] = [
  'flow_states',
  'one_time_tokens',
  'events',
  'webhook_queues',
  'mfa_challenges',
  'mfa_factors',
  'refusals',
  'provider_traces',
  'import_runs',
  'stats_daily',
];
/** The same where passkeys or wallets are on. */
const WITH_CHALLENGES: readonly PrunedTable[] = ['used_challenges'];
/** The same with the OAuth server. */
const WITH_OAUTH: readonly PrunedTable[] = [
  'oauth_authorizations',
  'oauth_clients',
  'oauth_revoked_tokens',
  'dpop_proofs',
];
/** The same with SAML. */
const WITH_SAML: readonly PrunedTable[] = ['saml_relay_states', 'saml_assertions'];
/** The same with provisioning. */
const WITH_SCIM: readonly PrunedTable[] = ['scim_users'];
/** The same where the pages are on. */
const WITH_PAGES: readonly PrunedTable[] = ['browsers', 'page_flows'];
/** Passkeys of users, those of operators, and messages of wallets. */
const usesChallenges = (config: Config): boolean =>
  config.passkeyEnabled ||
  config.consolePort !== null ||
  config.externalWeb3SolanaEnabled ||
  config.externalWeb3EthereumEnabled;

/** Rows of accounts. Finding ended sessions reads all of them, so it is done less often. */
const WITH_CLEANUP: readonly PrunedTable[] = ['sessions', 'outbox'];
const ROUNDS_PER_CLEANUP = 10;

/**
 * Minimum ages of stale rows in seconds. Most include an extra day, so that late requests get the right error.
 * @param auditSeconds for audit entries; null keeps all
 */
export function pruneAges(config: Config, auditSeconds: number | null): PruneAges {
  return {
    mailedCode: config.mailerOtpExpSeconds,
    textedCode: config.smsOtpExpSeconds,
    // A flow that starts with a mail is valid as long as its link.
    flow: Math.max(config.externalFlowStateExpirySeconds, config.mailerOtpExpSeconds) + DAY_SECONDS,
    waitingFlow: WAITING_FLOW_SECONDS,
    deadSession: DAY_SECONDS,
    sessionTimebox: config.sessionsTimeboxSeconds,
    sessionInactivity: config.sessionsInactivityTimeoutSeconds,
    mail: Math.max(config.mailerOtpExpSeconds, NOTICE_SECONDS) + DAY_SECONDS,
    counter: Math.max(config.smtpMaxFrequencySeconds ?? 0, config.smsMaxFrequencySeconds) + 2 * DAY_SECONDS,
    audit: auditSeconds,
    event: config.webhooksRetentionSeconds,
    challenge: Math.max(config.mfaChallengeExpirySeconds, config.mfaFactorExpirySeconds) + DAY_SECONDS,
    unusedBrowser: config.pagesSessionSeconds,
    pageFlow: DAY_SECONDS,
    // An hour after the end of its code.
    authorization:
      Math.max(
        config.oauthServerAuthorizationTtlSeconds + config.oauthServerCodeTtlSeconds,
        config.oauthServerDeviceCodeTtlSeconds,
      ) + HOUR_SECONDS,
    refusal: REFUSAL_SECONDS,
    trace: DAY_SECONDS,
    importRun: IMPORT_SECONDS,
    unusedClient: config.oauthServerDynamicClientTtlSeconds || null,
  };
}

/**
 * Starts rounds in the background. Instances on one database skip each other's rows; a failure waits for the next
 * round.
 */
export function startHousekeeping({ config, db, log, everyMs = EVERY_MS }: HousekeepingOptions): Housekeeping {
  let current = config;
  const pruning = new Map<PrunedTable, Promise<void>>();
  let rounds = Math.floor(Math.random() * ROUNDS_PER_CLEANUP);
  let flows = 0;
  let isClosed = false;

  /** Continues until no stale row is left, so that it keeps up with any rate. */
  async function pruneAll(kind: PrunedTable): Promise<void> {
    let gone = 0;
    try {
      for (let last = BATCH; last >= BATCH && !isClosed; ) {
        if (gone > 0) await pause(BATCH_PAUSE_MS, undefined, { ref: false });
        last = await pruneBatch(db, kind, pruneAges(current, null), BATCH);
        gone += last;
      }
    } catch (error) {
      // Before the first migration there are no rows to delete.
      if (error instanceof SchemaNotReadyError) return;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { component: 'server', table: kind, reason },
        'Stale rows could not be deleted; the next round tries again',
      );
    }
    if (gone > 0) log.debug({ component: 'server', table: kind, rows: gone }, 'Stale rows were deleted');
  }

  /** One at a time per table. */
  function prune(kind: PrunedTable): Promise<void> {
    const running = pruning.get(kind) ?? pruneAll(kind).finally(() => pruning.delete(kind));
    pruning.set(kind, running);
    return running;
  }

  async function round(): Promise<void> {
    const isCleanup = current.dbCleanupEnabled && rounds++ % ROUNDS_PER_CLEANUP === 0;
    const optional = [
      usesChallenges(current) ? WITH_CHALLENGES : [],
      current.pagesEnabled ? WITH_PAGES : [],
      current.oauthServerEnabled ? WITH_OAUTH : [],
      current.samlEnabled ? WITH_SAML : [],
      current.scimEnabled ? WITH_SCIM : [],
      isCleanup ? WITH_CLEANUP : [],
    ];
    const kinds = [...ALWAYS, ...optional.flat()];
    for (const kind of kinds) if (!isClosed) await prune(kind);
  }

  const schedule = (delayMs: number): NodeJS.Timeout =>
    setTimeout(() => {
      void round().finally(() => {
        if (!isClosed) timer = schedule(everyMs);
      });
    }, delayMs).unref();
  // Random, so that instances started together do not delete together, and not while the server starts.
  let timer = schedule((0.5 + Math.random() / 2) * everyMs);
  return {
    recordFlow() {
      flows += 1;
      if (flows % FLOWS_PER_ROUND !== 0 || isClosed) return;
      void prune('flow_states');
      if (current.pagesEnabled) void prune('page_flows');
      if (current.oauthServerEnabled) void prune('oauth_authorizations');
      if (current.samlEnabled) void prune('saml_relay_states');
    },
    use(next) {
      current = next;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
