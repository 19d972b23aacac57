/**
 * The metrics of one server thread, and the page of all threads. Loaded only with metrics enabled. Labels have fixed sets of values (routes, methods, statuses, error codes, names of limits),
 * never a person, an address or a raw path (SEC-76).
 */
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { addEventMetrics } from './event-metrics.js';
import { addFactorMetrics } from './factor-metrics.js';
import { addKeyMetrics } from './key-metrics.js';
import type { MetricSnapshot, MetricSources, ThreadMetrics } from './metric-sources.js';
import { addOauthMetrics } from './oauth-metrics.js';
import { addOrganizationMetrics } from './organization-metrics.js';
import { addPasswordMetrics } from './password-metrics.js';
import { watchRuntime } from './runtime.js';
import { addSsoMetrics } from './sso-metrics.js';

type Aggregator = MetricSnapshot['aggregator'];
interface Description {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly aggregator?: Aggregator;
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const GC_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5];
/** Grants of /token that sign in; refresh_token is counted separately. */
const SIGN_IN_GRANTS = new Set(['password', 'pkce', 'id_token']);

export function openThreadMetrics(sources: MetricSources): ThreadMetrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = ({ labelNames = [], ...rest }: Description) =>
    new Counter({ aggregator: 'sum', ...rest, labelNames: [...labelNames], registers });
  const histogram = ({ labelNames = [], ...rest }: Description, buckets: readonly number[]) =>
    new Histogram({ aggregator: 'sum', ...rest, labelNames: [...labelNames], buckets: [...buckets], registers });
  /** A gauge that is read on each scrape. */
  const gauge = (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum') =>
    new Gauge({
      name,
      help,
      aggregator,
      registers,
      collect() {
        this.set(read());
      },
    });
  /** A counter whose total is kept by its source. */
  const total = (name: string, help: string, read: () => number, aggregator: Aggregator = 'sum') =>
    new Counter({
      name,
      help,
      aggregator,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  /** The same with a label. */
  const totals = (name: string, help: string, label: string, read: () => Readonly<Record<string, number>>) =>
    new Counter({
      name,
      help,
      labelNames: [label],
      aggregator: 'sum',
      registers,
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
      },
    });

  new Gauge({
    name: 'latchkey_build_info',
    help: 'Version that runs; always 1.',
    labelNames: ['version', 'node_version'],
    aggregator: 'first',
    registers,
  }).set({ version: sources.version, node_version: process.version }, 1);

  const requests = counter({
    name: 'latchkey_http_requests_total',
    help: 'Requests by method, route and status; 499 means that the client closed the connection.',
    labelNames: ['method', 'route', 'status'],
  });
  const durations = histogram(
    {
      name: 'latchkey_http_request_duration_seconds',
      help: 'Time from the head of a request to its answer.',
      labelNames: ['method', 'route'],
    },
    REQUEST_SECONDS,
  );
  gauge('latchkey_http_requests_in_flight', 'Requests in progress.', sources.inFlight);
  const signIns = counter({
    name: 'latchkey_sign_ins_total',
    help: 'Attempts to sign in by method and result: ok, or the error code.',
    labelNames: ['method', 'result'],
  });
  const signUps = counter({
    name: 'latchkey_sign_ups_total',
    help: 'Requests to /signup by result: ok, or the error code.',
    labelNames: ['result'],
  });
  const refreshes = counter({
    name: 'latchkey_token_refreshes_total',
    help: 'Redemptions of refresh tokens by result: ok, or the error code.',
    labelNames: ['result'],
  });
  const auditEvents = counter({
    name: 'latchkey_account_events_total',
    help: 'Audit events by action.',
    labelNames: ['action'],
  });
  const texts = counter({
    name: 'latchkey_sms_total',
    help: 'Text messages handed to the gateway, by outcome.',
    labelNames: ['outcome'],
  });

  const hooks = histogram(
    {
      name: 'latchkey_hook_duration_seconds',
      help: 'Time of calls of hooks with all their tries, by outcome.',
      labelNames: ['hook', 'outcome'],
    },
    REQUEST_SECONDS,
  );

  const { database, crypto, mail, texts: queued, limits } = sources;
  gauge('latchkey_db_connections_open', 'Connections to the database.', () => database().open);
  gauge('latchkey_db_connections_idle', 'Idle connections to the database.', () => database().idle);
  gauge('latchkey_db_connections_limit', 'Maximum number of connections.', () => database().limit);
  gauge('latchkey_db_waiting_callers', 'Callers waiting for a connection.', () => database().waiting);
  gauge('latchkey_hash_jobs_running', 'Passwords being hashed or checked.', () => crypto().hashesRunning);
  gauge('latchkey_hash_jobs_queued', 'Passwords waiting for a hash thread.', () => crypto().hashesQueued);
  total(
    'latchkey_hash_jobs_shed_total',
    'Password jobs rejected because the queue was full.',
    () => crypto().hashesRejected,
  );
  gauge('latchkey_signatures_queued', 'Access tokens waiting to be signed.', () => crypto().signaturesQueued);
  total('latchkey_crypto_threads_lost_total', 'Crypto threads that died.', () => crypto().threadsLost);
  gauge('latchkey_mails_waiting', 'Mails in the outbox, of all instances.', () => mail().waiting, 'max');
  total('latchkey_mails_sent_total', 'Mails accepted by the mail server.', () => mail().sent);
  total('latchkey_mails_retried_total', 'Failed attempts that are retried.', () => mail().retried);
  totals('latchkey_mails_failed_total', 'Mails given up, by reason.', 'reason', () => mail().failed);
  gauge('latchkey_texts_waiting', 'Texts in the outbox, of all instances.', () => queued().waiting, 'max');
  total('latchkey_texts_sent_total', 'Texts of the outbox that gateway or hook accepted.', () => queued().sent);
  total('latchkey_texts_retried_total', 'Failed attempts that are retried.', () => queued().retried);
  totals('latchkey_texts_failed_total', 'Texts given up, by reason.', 'reason', () => queued().failed);
  totals('latchkey_limit_refusals_total', 'Rejections by limit.', 'limit', () => limits().rejections);
  gauge('latchkey_limit_keys_remembered', 'Keys rejected from memory at present.', () => limits().remembered);
  total('latchkey_log_write_failures_total', 'Failed writes to the log.', sources.logFailures);

  addKeyMetrics(registers, sources.tokenKeys);
  addFactorMetrics(registers, sources.factors);
  addSsoMetrics(registers, sources.ssoEnds);
  addOauthMetrics(registers, sources.oauth);
  addPasswordMetrics(registers, sources.passwords);
  const organizations = addOrganizationMetrics(registers, sources.organizations);
  addEventMetrics(registers, sources.events);
  const collections = histogram(
    { name: 'latchkey_gc_duration_seconds', help: 'Pauses for garbage collection by kind.', labelNames: ['kind'] },
    GC_SECONDS,
  );
  const runtime = watchRuntime((kind, seconds) => collections.observe({ kind }, seconds));
  const delay = (part: 'p50' | 'p99' | 'max', words: string) =>
    gauge(`latchkey_event_loop_delay_${part}_seconds`, words, () => runtime.loopDelay()[part], 'max');
  delay('p50', 'Median delay of the event loop in the last 10 to 20 seconds, of the slowest thread.');
  delay('p99', '99th percentile of the delay of the event loop in the last 10 to 20 seconds, of the slowest thread.');
  delay('max', 'Longest delay of the event loop in the last 10 to 20 seconds.');
  gauge('latchkey_heap_used_bytes', 'Heap in use, all server threads.', () => runtime.heap().used);
  gauge('latchkey_heap_limit_bytes', 'Heap the server threads may grow to.', () => runtime.heap().limit);
  gauge('latchkey_active_handles', 'Timers, sockets and requests the event loops hold.', runtime.activeHandles);
  gauge('process_resident_memory_bytes', 'Resident memory of the process.', runtime.residentBytes, 'max');
  gauge('process_start_time_seconds', 'When the process started, in Unix time.', runtime.startSeconds, 'min');
  new Gauge({
    name: 'latchkey_threads',
    help: 'Threads by kind.',
    labelNames: ['kind'],
    aggregator: 'sum',
    registers,
    collect() {
      this.set({ kind: 'server' }, 1);
      this.set({ kind: 'hash' }, crypto().hashThreads);
      this.set({ kind: 'sign' }, 1);
    },
  });
  new Gauge({
    name: 'process_open_fds',
    help: 'Open file descriptors of the process.',
    aggregator: 'max',
    registers,
    async collect() {
      this.set(await runtime.openFiles());
    },
  });
  total('process_cpu_seconds_total', 'Processor time of the process, all threads.', runtime.cpuSeconds, 'max');

  return {
    observeRequest(entry) {
      const { method } = entry;
      const route = entry.route ?? 'none';
      requests.inc({ method, route, status: entry.status });
      durations.observe({ method, route }, entry.durationMs / 1000);
      if (method !== 'POST') return;
      const result = entry.status < 400 ? 'ok' : (entry.errorCode ?? 'client_left');
      if (route === '/signup') signUps.inc({ result });
      else if (route === '/verify') signIns.inc({ method: 'otp', result });
      else if (entry.grantType === 'refresh_token') refreshes.inc({ result });
      else if (SIGN_IN_GRANTS.has(entry.grantType ?? '')) signIns.inc({ method: entry.grantType!, result });
    },
    countAuditEvent(action) {
      auditEvents.inc({ action });
      organizations.countAuditEvent(action);
    },
    countSms: (outcome) => texts.inc({ outcome }),
    observeHook: (hook, outcome, seconds) => hooks.observe({ hook, outcome }, seconds),
    async snapshot() {
      const all = (await registry.getMetricsAsJSON()) as unknown as MetricSnapshot[];
      return all.filter(organizations.isShown);
    },
    close: () => runtime.close(),
  };
}

/** @returns the merged metrics of several threads */
export async function mergeSnapshots(threads: readonly (readonly MetricSnapshot[])[]): Promise<MetricSnapshot[]> {
  return (await aggregate(threads).getMetricsAsJSON()) as unknown as MetricSnapshot[];
}

/**
 * @param target labels of target_info
 * @returns the page in the Prometheus text format 0.0.4
 */
export async function renderMetrics(
  threads: readonly (readonly MetricSnapshot[])[],
  target: Readonly<Record<string, string>>,
): Promise<string> {
  const info: MetricSnapshot = {
    name: 'target_info',
    help: 'Build and resource attributes of the process; always 1.',
    type: 'gauge',
    aggregator: 'first',
    values: [{ value: 1, labels: target }],
  };
  return aggregate([...threads, [info]]).metrics();
}

export const PAGE_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

const aggregate = (threads: readonly (readonly MetricSnapshot[])[]): Registry =>
  AggregatorRegistry.aggregate(threads as unknown as Parameters<typeof AggregatorRegistry.aggregate>[0]);
