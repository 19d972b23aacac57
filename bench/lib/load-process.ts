/** A load generator: autocannon in a process of its own, closed loop, every connection chaining its own tokens. */
import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import { giveRequests, takeAnswers } from './cannon-client.js';
import { serveJobs } from './processes.js';
import { percentile } from './statistics.js';
import { type Account, findRefreshToken, renderRequest, requestFor, type Traffic } from './traffic.js';
import { readCpuSeconds } from './usage.js';

export interface LoadJob {
  readonly url: string;
  readonly traffic: Traffic;
  /** One connection each, unless there is a number of connections: then each request is for the next account. */
  readonly accounts: readonly Account[];
  readonly connections?: number;
  readonly warmUpSeconds: number;
  /** Length of the window that counts. */
  readonly seconds: number;
  /** Whose processor time to read at both ends of the window. */
  readonly serverPid: number;
  readonly databasePid: number;
}

export interface LoadResult {
  /** Only 2xx, over the window. */
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers in the window, by status; connections that broke and time-outs are under `error`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Processor microseconds a 2xx answer; undefined where the system does not tell. */
  readonly cpuMicroseconds: { readonly server?: number; readonly database?: number; readonly generator: number };
}

/** Added to the run's length so that it outlasts the window; autocannon stops at the first sample after it. */
const SLACK_SECONDS = 0.2;

async function run(job: LoadJob): Promise<LoadResult> {
  const statuses: Record<string, number> = {};
  const latenciesMs: number[] = [];
  const readUsage = () => ({
    server: readCpuSeconds(job.serverPid),
    database: readCpuSeconds(job.databasePid, true),
    generator: process.cpuUsage(),
    atMs: performance.now(),
  });
  let isCounting = false;
  let before = readUsage();
  let after = before;
  const count = (status: string) => {
    if (isCounting) statuses[status] = (statuses[status] ?? 0) + 1;
  };

  let taken = 0;
  const takesTurns = job.connections !== undefined;
  const line = job.accounts.map((account): { -readonly [Member in keyof Account]: Account[Member] } => ({
    ...account,
  }));
  const { host } = new URL(job.url);
  const setupClient = (client: autocannon.Client): void => {
    let place = taken++ % line.length;
    const fresh = () => (job.traffic === 'signup' ? `${randomUUID()}@example.com` : '');
    const prepare = () => renderRequest(requestFor(job.traffic, line[place]!, fresh()), host);
    let request = prepare();
    giveRequests(client, () => request);
    let answer: Buffer | undefined;
    if (job.traffic === 'refresh') {
      takeAnswers(client, (received) => {
        answer = received;
      });
    }
    client.on('response', (status, _bytes, milliseconds) => {
      count(String(status));
      if (status < 200 || status > 299) return;
      if (isCounting) latenciesMs.push(milliseconds);
      if (answer !== undefined) {
        const refreshToken = findRefreshToken(answer);
        if (refreshToken === undefined) return count('no token in the answer');
        line[place]!.refreshToken = refreshToken;
      }
      if (takesTurns) place = taken++ % line.length;
      if (takesTurns || job.traffic === 'refresh' || job.traffic === 'signup') request = prepare();
    });
  };

  const openWindow = setTimeout(() => {
    before = readUsage();
    isCounting = true;
  }, job.warmUpSeconds * 1000);
  const closeWindow = setTimeout(
    () => {
      isCounting = false;
      after = readUsage();
    },
    (job.warmUpSeconds + job.seconds) * 1000,
  );
  try {
    const result = await autocannon({
      url: job.url,
      connections: job.connections ?? job.accounts.length,
      duration: job.warmUpSeconds + job.seconds + SLACK_SECONDS,
      // Types of @types/autocannon lag behind: how often it looks whether to stop.
      ...({ sampleInt: 100 } as object),
      setupClient,
    });
    if (result.errors > 0) statuses['error'] = result.errors;
  } finally {
    clearTimeout(openWindow);
    clearTimeout(closeWindow);
  }

  const seconds = (after.atMs - before.atMs) / 1000;
  const sorted = Float64Array.from(latenciesMs).sort();
  const perAnswer = (cpuSeconds: number) => (cpuSeconds * 1e6) / sorted.length;
  const generator = after.generator.user + after.generator.system - before.generator.user - before.generator.system;
  return {
    requestsPerSecond: sorted.length / seconds,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    statuses,
    cpuMicroseconds: {
      generator: generator / sorted.length,
      ...(before.server === undefined || after.server === undefined
        ? {}
        : { server: perAnswer(after.server - before.server) }),
      ...(before.database === undefined || after.database === undefined
        ? {}
        : { database: perAnswer(after.database - before.database) }),
    },
  };
}

serveJobs(run);
