/** Servers under measurement: processes of their own, started as an operator would start them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '../../src/server/config/load.js';
import { planThreads } from '../../src/server/runtime/shares.js';
import { freePort } from '../../test/support/free-port.js';

export interface ServerOptions {
  /** Root of a built checkout. */
  readonly root: string;
  readonly databaseUrl: string;
  /** Working directory, without a `.env` file. */
  readonly cwd: string;
  /** Beside the usual ones; their names without `AUTH_`. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Environment variables that are not settings. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Instead of the server: bare-server.ts. */
  readonly isBare?: boolean;
  readonly nodeFlags?: readonly string[];
  /** A program that runs node, with its arguments. */
  readonly wrapper?: readonly string[];
  readonly startSeconds?: number;
}

export interface ServerUnderTest {
  readonly url: string;
  readonly pid: number;
  /** Sends SIGTERM. @returns the exit code, or the name of the signal that ended the server */
  stop(): Promise<number | string>;
}

const START_SECONDS = 30;
const servers = new Set<ChildProcess>();

/** @throws when the server exits or is not ready in time */
export async function startServer(options: ServerOptions): Promise<ServerUnderTest> {
  const port = await freePort();
  const { root, wrapper = [], nodeFlags = [], startSeconds = START_SECONDS } = options;
  const entry = options.isBare
    ? [fileURLToPath(new URL('./bare-server.js', import.meta.url))]
    : [join(root, 'bin/latchkey.cjs'), 'serve'];
  const tether = `--import=${new URL('./tether.js', import.meta.url).href}`;
  const [command, ...args] = [...wrapper, process.execPath, ...nodeFlags, tether, ...entry];
  const env = { PATH: process.env['PATH'], ...environmentOf(options, port), ...options.environment };
  const server = spawn(command!, args, { cwd: options.cwd, env, stdio: ['pipe', 'ignore', 'pipe'], detached: true });
  servers.add(server);
  const exited = once(server, 'exit').then(([code, signal]: (number | string | null)[]) => {
    servers.delete(server);
    return code ?? signal!;
  });
  let errors = '';
  server.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-2000);
  });
  const url = `http://127.0.0.1:${port}`;
  const endMs = performance.now() + startSeconds * 1000;
  while (!(await isReady(url))) {
    if (!servers.has(server)) throw new Error(`A server ended with ${await exited} before it was ready: ${errors}`);
    if (performance.now() > endMs) throw new Error(`A server was not ready within ${startSeconds} s: ${errors}`);
    await pause(50);
  }
  return {
    url,
    pid: server.pid!,
    stop: () => {
      server.kill('SIGTERM');
      return exited;
    },
  };
}

/** Ends the servers that still run. */
export function killServers(): void {
  for (const server of servers) server.kill('SIGKILL');
}

/** The environment of a server under measurement: defaults, except for where it listens and that sign-ups are confirmed. */
export function environmentOf(
  { databaseUrl, settings = {} }: Pick<ServerOptions, 'databaseUrl' | 'settings'>,
  port = 1,
) {
  const all = {
    SITE_URL: 'http://localhost:3000',
    API_EXTERNAL_URL: 'http://localhost:9999',
    DB_DRIVER: 'postgres',
    DB_DATABASE_URL: databaseUrl,
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
    JWT_SECRET: 'bench-secret-bench-secret-bench-secret-42',
    MAILER_AUTOCONFIRM: 'true',
    LOG_FILE: '/dev/null',
    ...settings,
  };
  const named = Object.entries(all).map(([name, value]) => [`AUTH_${name}`, value]);
  return { NODE_ENV: 'production', ...(Object.fromEntries(named) as Record<string, string>) };
}

/** The configuration that a server of these options has. */
export const configOf = (options: Pick<ServerOptions, 'databaseUrl' | 'settings'>): Config =>
  loadConfig({ environment: environmentOf(options), file: null }).config;

/** How many threads of such a server hash passwords, and at which cost. */
export function planHashing(options: Pick<ServerOptions, 'databaseUrl' | 'settings'>) {
  const config = configOf(options);
  const { serverThreads, share } = planThreads(config);
  const { argon2MemoryKib: memoryKiB, argon2Iterations: iterations, argon2Parallelism: parallelism } = config;
  return { threads: share.hashThreads * serverThreads, argon2: { memoryKiB, iterations, parallelism } };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}
