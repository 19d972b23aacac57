/** A steady mixed load in jobs of a minute, and what the server holds meanwhile. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HEAP_METER_MODULE, measureHeap } from '../../test/support/heap-meter.js';
import { type MetricsPage, openMetricsPage } from '../../test/support/metrics-page.js';
import { signInAgain, signUp } from './accounts.js';
import type { Run } from './command.js';
import { populate } from './database.js';
import { Rig } from './rig.js';
import { startServer } from './servers.js';

/** Requests per second: about a tenth of what two cores can do, hashing included. */
export const rates = { refresh: 150, user: 100, password: 3, signup: 1 } as const;
export type SoakKind = keyof typeof rates;
export const soakKinds = Object.keys(rates) as SoakKind[];

const ACCOUNTS = 64;
/**
 * The server's caches of sessions and access tokens are bounded (8192 and 4096), and in production they are full. The load
 * opens 64 sessions a minute, so that without this the heap grew by 6 MB during the run.
 */
const SESSIONS_AT_FIRST = 8192;
/** Jobs of the warm-up after the first collections, which make the process 20 MB smaller for a minute. */
const SETTLING_JOBS = 2;
/** Until the server has noticed that the connections are closed. */
const REST_SECONDS = 1;

export interface SoakOptions {
  /** Jobs of load that are measured, one after another. */
  readonly jobs: number;
  readonly warmUpJobs: number;
  readonly jobSeconds: number;
  readonly sampleSeconds: number;
  /** False for a quick run: the server starts with empty caches. */
  readonly fills: boolean;
}

/** Readings of the metrics endpoint, as columns. */
export interface Readings {
  /** Since the end of the warm-up. */
  readonly minute: number[];
  readonly residentBytes: number[];
  /** In use, garbage included: the least of a reading each second. */
  readonly heapBytes: number[];
  /** Like the descriptors without those of the database connections, whose number follows the load. */
  readonly handles: number[];
  readonly descriptors: number[];
}

export type Quantity = Exclude<keyof Readings, 'minute'>;

export interface Soak {
  readonly samples: Readings;
  /** One after each job, when the connections of the load are closed: their number follows the slowest moment. */
  readonly atRest: Readings;
  /** Of each job. */
  readonly p99Ms: Readonly<Record<SoakKind, number[]>>;
  readonly answers: number;
  /** Answers other than 2xx, and requests without one. */
  readonly faults: number;
  /** Bytes without garbage and compiled code, two jobs before the first one that counts and after the last. */
  readonly collectedHeap: { readonly start: number; readonly end: number };
}

/** @throws when a kind of request got no good answer in a whole job, or a process failed */
export async function measureSoak({ database, root, progress }: Run, options: SoakOptions): Promise<Soak> {
  const { jobs, warmUpJobs, jobSeconds, sampleSeconds, fills } = options;
  const databaseUrl = await database.create('soak');
  const page = await openMetricsPage();
  const heapFile = join(database.directory, 'heap');
  const server = await startServer({
    ...{ root, databaseUrl, cwd: database.directory, settings: page.settings },
    environment: { LATCHKEY_TEST_HEAP_FILE: heapFile },
    nodeFlags: [`--import=${HEAP_METER_MODULE}`],
  });
  await populate(databaseUrl);
  const accounts = await signUp(server.url, ACCOUNTS);
  const rig = new Rig(database, jobSeconds);

  async function runJob(startMs: number, into: Omit<Soak, 'collectedHeap'>) {
    // A token whose answer came after the end of a job would end its session, and access tokens expire after an hour.
    const sessions = await signInAgain(server.url, accounts);
    const common = { url: server.url, accounts: sessions, warmUpSeconds: 0, seconds: jobSeconds };
    const [, ...results] = await Promise.all([
      sample(page, into.samples, startMs, jobSeconds, sampleSeconds),
      ...soakKinds.map((traffic) => rig.runOpenLoop({ ...common, traffic, requestsPerSecond: rates[traffic] })),
    ]);
    await pause(REST_SECONDS * 1000);
    append(into.atRest, await readPage(page), startMs);
    let [answers, faults] = [0, 0];
    for (const [index, { statuses, p99Ms, requestsPerSecond }] of results.entries()) {
      const kind = soakKinds[index]!;
      if (requestsPerSecond === 0) throw new Error(`${kind}: no good answer in ${jobSeconds} s`);
      into.p99Ms[kind].push(p99Ms);
      for (const [status, count] of Object.entries(statuses)) {
        answers += count;
        if (status.startsWith('2')) continue;
        faults += count;
        progress(`${kind}: ${count} × ${status}`);
      }
    }
    return { ...into, answers: into.answers + answers, faults: into.faults + faults };
  }

  for (let opened = 0; fills && opened < SESSIONS_AT_FIRST; opened += ACCOUNTS) {
    if (opened % (16 * ACCOUNTS) === 0) progress(`sessions to remember: ${opened} of ${SESSIONS_AT_FIRST}`);
    const sessions = await signInAgain(server.url, accounts);
    for (const traffic of ['refresh', 'user'] as const) {
      await rig.load(server, traffic, sessions, { mostRequests: ACCOUNTS });
    }
  }
  let start = 0;
  for (let job = 1; job <= warmUpJobs; job += 1) {
    if (job === Math.max(1, warmUpJobs - SETTLING_JOBS + 1)) start = await measureHeap(server.pid, heapFile);
    progress(`warm-up ${job}/${warmUpJobs}  ${describe(await runJob(performance.now(), emptySoak()))}`);
  }
  const startMs = performance.now();
  let soak = emptySoak();
  for (let job = 1; job <= jobs; job += 1) {
    soak = await runJob(startMs, soak);
    progress(`${job}/${jobs}  ${describe(soak)}`);
  }
  const collectedHeap = { start, end: await measureHeap(server.pid, heapFile) };
  await server.stop();
  return { ...soak, collectedHeap };
}

const emptyReadings = (): Readings => ({ minute: [], residentBytes: [], heapBytes: [], handles: [], descriptors: [] });

const emptySoak = (): Omit<Soak, 'collectedHeap'> => ({
  samples: emptyReadings(),
  atRest: emptyReadings(),
  p99Ms: { refresh: [], user: [], password: [], signup: [] },
  answers: 0,
  faults: 0,
});

type Reading = Readonly<Record<Quantity, number>>;

function append(readings: Readings, reading: Reading, startMs: number): void {
  readings.minute.push((performance.now() - startMs) / 60_000);
  for (const quantity of Object.keys(reading) as Quantity[]) readings[quantity].push(reading[quantity]);
}

/** Reads the metrics each second and keeps every `everySeconds`th reading, with the least heap since the one before. */
async function sample(page: MetricsPage, into: Readings, startMs: number, seconds: number, everySeconds: number) {
  const beginMs = performance.now();
  let heapBytes = Number.POSITIVE_INFINITY;
  // Halfway between the seconds, so that none is read at the end of the job.
  for (let second = 1; second <= seconds; second += 1) {
    await pause(Math.max(0, beginMs + (second - 0.5) * 1000 - performance.now()));
    const reading = await readPage(page);
    heapBytes = Math.min(heapBytes, reading.heapBytes);
    if (second % everySeconds !== 0) continue;
    append(into, { ...reading, heapBytes }, startMs);
    heapBytes = Number.POSITIVE_INFINITY;
  }
}

async function readPage(page: MetricsPage): Promise<Reading> {
  const values = await page.read();
  const read = (name: string): number => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`The metrics endpoint has no ${name}`);
    return value;
  };
  const databaseConnections = read('latchkey_db_connections_open');
  return {
    residentBytes: read('process_resident_memory_bytes'),
    heapBytes: read('latchkey_heap_used_bytes'),
    handles: read('latchkey_active_handles') - databaseConnections,
    descriptors: read('process_open_fds') - databaseConnections,
  };
}

function describe({ samples, atRest, answers, faults, p99Ms }: Omit<Soak, 'collectedHeap'>): string {
  const megabytes = (bytes: number | undefined) => `${((bytes ?? 0) / 1e6).toFixed(1)} MB`;
  const p99s = soakKinds.map((kind) => `${kind} ${p99Ms[kind].at(-1)?.toFixed(1)}`).join(', ');
  return (
    `${answers} answers, ${faults} not 2xx; resident ${megabytes(samples.residentBytes.at(-1))}, ` +
    `heap ${megabytes(samples.heapBytes.at(-1))}, ${atRest.handles.at(-1)} handles, ` +
    `${atRest.descriptors.at(-1)} descriptors; p99 ms: ${p99s}`
  );
}
