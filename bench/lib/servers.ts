/** Servers under measurement: real processes, started as an operator would, each on a database of its own. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HEAP_METER_MODULE } from '../../test/support/heap-meter.js';
import type { BareJob, BareServer } from './bare-server-process.js';
import { exitOf, startProgram, Worker } from './processes.js';

export interface ServerOptions {
  /** Root of a built checkout. */
  readonly root: string;
  readonly databaseUrl: string;
  /** An empty directory to run in, so that no `.env` is read. */
  readonly cwd: string;
  readonly logLevel: string;
  /** Hash threads; undefined: what the server chooses. */
  readonly cryptoThreads?: number | undefined;
  readonly signsInline?: boolean;
  /** File a CPU profile is written to, between two SIGUSR2. */
  readonly profile?: string;
  /** File that measureHeap() reads, which sends SIGUSR2. */
  readonly heapFile?: string;
  /** A program that node runs under. */
  readonly under?: Wrapper;
  /** Settings beside the usual ones, their names without AUTH_. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Wrapper {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Flags of node. */
  readonly flags: readonly string[];
  /** How many times as long the server takes to start. */
  readonly slowness: number;
}

export interface ServerUnderTest {
  readonly url: string;
  readonly pid: number;
  /** Sends SIGTERM. @returns the exit code, or the name of the signal that ended it */
  stop(): Promise<number | string>;
}

const START_PATIENCE_SECONDS = 30;
const JWT_SECRET = 'bench-secret-bench-secret-bench-secret-42';

/** Starts a server with nothing around the answers, on the database and with the secret of a real one. */
export async function startBareServer(databaseUrl: string): Promise<ServerUnderTest> {
  const worker = new Worker<BareJob, BareServer>(new URL('./bare-server-process.js', import.meta.url));
  const { port } = await worker.run({ databaseUrl, jwtSecret: JWT_SECRET }, START_PATIENCE_SECONDS);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: worker.pid,
    stop: async () => {
      worker.end();
      return 0;
    },
  };
}

/** @throws when the server ends or is not ready within 30 s (more under another program) */
export async function startServerUnderTest(options: ServerOptions): Promise<ServerUnderTest> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const imports = [
    './tether.js',
    ...(options.signsInline ? ['./inline-signing.js'] : []),
    ...(options.profile === undefined ? [] : ['./profiler.js']),
    ...(options.heapFile === undefined ? [] : [HEAP_METER_MODULE]),
  ];
  const { command, flags, slowness } = options.under ?? { command: [], flags: [], slowness: 1 };
  const line = [
    ...command,
    process.execPath,
    ...flags,
    ...imports.map((name) => `--import=${new URL(name, import.meta.url).href}`),
    join(options.root, 'bin/latchkey.cjs'),
    'serve',
  ];
  const child = startProgram(
    line[0]!,
    line.slice(1),
    // Its log goes to /dev/null by setting: what it says on standard error is why it did not start.
    { cwd: options.cwd, env: environmentOf(options, port), stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2000);
  });
  const exit = exitOf(child);
  let ended: number | string | undefined;
  void exit.then((code) => {
    ended = code;
  });
  for (let tries = 0; !(await isReady(url)); tries += 1) {
    if (ended !== undefined) throw new Error(`The server ended with ${ended} before it was ready. ${complaint}`);
    if (tries === START_PATIENCE_SECONDS * slowness * 20)
      throw new Error(`The server was not ready in time. ${complaint}`);
    await pause(50);
  }
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      return exit;
    },
  };
}

/** The settings of a server under measurement: the defaults, but for where it listens and that sign-ups are confirmed. */
export function environmentOf(options: ServerOptions, port: number): Record<string, string> {
  const threads = options.cryptoThreads;
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    AUTH_SITE_URL: 'http://localhost:3000',
    AUTH_API_EXTERNAL_URL: 'http://localhost:9999',
    AUTH_DB_DRIVER: 'postgres',
    AUTH_DB_DATABASE_URL: options.databaseUrl,
    AUTH_API_HOST: '127.0.0.1',
    AUTH_API_PORT: String(port),
    AUTH_JWT_SECRET: JWT_SECRET,
    AUTH_MAILER_AUTOCONFIRM: 'true',
    AUTH_LOG_LEVEL: options.logLevel,
    AUTH_LOG_FILE: '/dev/null',
    ...(options.profile === undefined ? {} : { BENCH_PROFILE: options.profile }),
    ...(options.heapFile === undefined ? {} : { LATCHKEY_TEST_HEAP_FILE: options.heapFile }),
    ...(threads === undefined ? {} : { AUTH_CRYPTO_THREADS: String(threads), UV_THREADPOOL_SIZE: String(threads + 4) }),
    ...Object.fromEntries(Object.entries(options.settings ?? {}).map(([name, value]) => [`AUTH_${name}`, value])),
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
