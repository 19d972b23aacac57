/** What a server thread does at present, and what all threads do together. */
import type { MetricSources } from '../telemetry/metric-sources.js';
import { type Latency, quantile } from './latency.js';

export interface LiveFigures {
  readonly process_name: string;
  readonly version: string;
  readonly latency: readonly (readonly [bucket: number, count: number])[];
  readonly requests_per_second: number;
  readonly in_flight: number;
  readonly hashes_running: number;
  readonly hashes_queued: number;
  readonly hashes_rejected: number;
  readonly connections_open: number;
  readonly connections_limit: number;
  readonly connections_waiting: number;
  /** Of all instances. */
  readonly mails_waiting: number;
  readonly texts_waiting: number;
  /** Since the start of the thread. */
  readonly mails_failed: number;
}

/** The same sources as those of the metrics. */
export type FigureSources = Pick<MetricSources, 'version' | 'inFlight' | 'crypto' | 'database' | 'mail' | 'texts'>;

export function measureThread(processName: string, sources: FigureSources, latency: Latency): LiveFigures {
  const { hashesRunning, hashesQueued, hashesRejected } = sources.crypto();
  const { open, limit, waiting } = sources.database();
  const mail = sources.mail();
  return {
    process_name: processName,
    version: sources.version,
    latency: latency.read(),
    requests_per_second: latency.rate(),
    in_flight: sources.inFlight(),
    hashes_running: hashesRunning,
    hashes_queued: hashesQueued,
    hashes_rejected: hashesRejected,
    connections_open: open,
    connections_limit: limit,
    connections_waiting: waiting,
    mails_waiting: mail.waiting,
    texts_waiting: sources.texts().waiting,
    mails_failed: Object.values(mail.failed).reduce((sum, count) => sum + count, 0),
  };
}

/** Of all threads of all processes. */
export function mergeFigures(threads: readonly LiveFigures[]) {
  const sum = (pick: (one: LiveFigures) => number) => threads.reduce((total, one) => total + pick(one), 0);
  const most = (pick: (one: LiveFigures) => number) => Math.max(0, ...threads.map(pick));
  const latency = threads.flatMap((one) => one.latency);
  return {
    processes: new Set(threads.map(({ process_name }) => process_name)).size,
    threads: threads.length,
    versions: [...new Set(threads.map(({ version }) => version))].sort(),
    requests_per_second: sum((one) => one.requests_per_second),
    p50_ms: quantile(latency, 0.5),
    p99_ms: quantile(latency, 0.99),
    in_flight: sum((one) => one.in_flight),
    hashes_running: sum((one) => one.hashes_running),
    hashes_queued: sum((one) => one.hashes_queued),
    hashes_rejected: sum((one) => one.hashes_rejected),
    connections_open: sum((one) => one.connections_open),
    connections_limit: sum((one) => one.connections_limit),
    connections_waiting: sum((one) => one.connections_waiting),
    mails_waiting: most((one) => one.mails_waiting),
    texts_waiting: most((one) => one.texts_waiting),
    mails_failed: sum((one) => one.mails_failed),
  };
}
