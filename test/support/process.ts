import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { testEnvironment } from './server.js';

const launcher = fileURLToPath(new URL('../../../bin/latchkey.cjs', import.meta.url));

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Every line of its log so far. */
  readonly lines: readonly string[];
  /** @returns the exit code, or null with the signal that ended it */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts the real binary as a process of its own and waits until it listens. Killed at teardown if it still runs. */
export async function spawnServer(
  t: Test,
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [launcher, 'serve'], {
    // A directory without a .env of somebody's.
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { PATH: process.env['PATH'], ...testEnvironment(databaseUrl, settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  t.teardown(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    return exited;
  });
  const lines: string[] = [];
  const port = await listeningPort(child, lines, exited);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid!,
    lines,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const [code, endedBy] = await exited;
      return { code, signal: endedBy };
    },
  };
}

async function listeningPort(child: ChildProcess, lines: string[], exited: Promise<unknown>): Promise<number> {
  const reader = createInterface({ input: child.stderr! });
  return new Promise((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(line);
      const entry = line.startsWith('{') ? (JSON.parse(line) as { msg?: string; port?: number }) : {};
      if (entry.msg === 'Latchkey is listening') resolve(entry.port!);
    });
    void exited.then(() => reject(new Error(`The server ended before it listened:\n${lines.join('\n')}`)));
  });
}
