import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { launcher } from './binary.js';
import { endGroup, endWithTest } from './child-groups.js';
import { coverageEnvironment } from './coverage-variable.js';
import { keepForSearch, noteSettings } from './secret-search.js';
import { testEnvironment } from './server.js';
import type { Test } from './tap.js';

/** How the binary is started, and where. */
export interface Launch {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
}

/** In a directory without a .env. */
export const ownLaunch: Launch = {
  command: [process.execPath, launcher],
  cwd: fileURLToPath(new URL('.', import.meta.url)),
};

export interface Ending {
  readonly code: number | null;
  /** The signal that ended it; null when it exited by itself. */
  readonly signal: NodeJS.Signals | null;
}

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** All lines of its log so far. */
  readonly lines: readonly string[];
  readonly exited: Promise<Ending>;
  /** Stops reading its log: what it writes from now on fails with EPIPE. */
  hangUp(): void;
  signal(signal: NodeJS.Signals): void;
  /** @returns the exit code, or null with the signal that ended it */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

/**
 * Starts the real binary as a process of its own and waits until it listens. Killed at teardown if it still runs.
 * @param environment variables as they are, e.g. NODE_OPTIONS
 */
export async function spawnServer(
  t: Test,
  databaseUrl: string,
  settings: Record<string, string> = {},
  environment: Record<string, string> = {},
  launch = ownLaunch,
): Promise<ServerProcess> {
  const variables = { ...testEnvironment(databaseUrl, settings), ...environment };
  const { child, exited } = spawnBinary(t, ['serve'], variables, launch);
  const lines: string[] = [];
  const port = await listeningPort(child, lines, exited);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid!,
    lines,
    exited,
    hangUp: () => void child.stderr!.destroy(),
    signal: (signal) => void child.kill(signal),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs a command of the real binary to its end. */
export async function runBinary(
  t: Test,
  args: readonly string[],
  environment: Record<string, string>,
  launch = ownLaunch,
): Promise<Ending & { readonly stdout: string; readonly stderr: string }> {
  const { child, exited } = spawnBinary(t, args, environment, launch);
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]!.setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
    });
  }
  const [ending] = await Promise.all([exited, once(child, 'close')]);
  return { ...ending, ...printed };
}

function spawnBinary(
  t: Test,
  args: readonly string[],
  environment: Record<string, string>,
  { command: [program, ...first], cwd }: Launch,
) {
  noteSettings(environment);
  const child = spawn(program, [...first, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...coverageEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that the children of npx end with it.
    detached: true,
  });
  endWithTest(child);
  const exited = once(child, 'exit').then(([code, signal]): Ending => ({ code, signal }));
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) endGroup(child);
    await exited;
  });
  return { child, exited };
}

async function listeningPort(child: ChildProcess, lines: string[], exited: Promise<unknown>): Promise<number> {
  const reader = createInterface({ input: child.stderr! });
  return new Promise((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(line);
      keepForSearch('stderr', line);
      const entry = line.startsWith('{') ? (JSON.parse(line) as { msg?: string; port?: number }) : {};
      if (entry.msg === 'Latchkey is listening') resolve(entry.port!);
    });
    void exited.then(() => reject(new Error(`The server ended before it listened:\n${lines.slice(-200).join('\n')}`)));
  });
}
