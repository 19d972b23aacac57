import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Runner } from './postgres-binaries.js';

/**
 * Runs Postgres and stops it when standard input closes, as it does when the process at the other end ends, also after
 * kill -9. A shell takes 1 MB of memory, another Node process would take 40.
 */
const SUPERVISOR = `
exec 3<&0
"$@" 3<&- </dev/null & server=$!
{ cat <&3 >/dev/null; kill -INT $server; } 2>/dev/null & watch=$!
trap 'kill -INT $server' INT TERM
wait $server; code=$?
while kill -0 $server 2>/dev/null; do wait $server; code=$?; done
kill $watch 2>/dev/null
exit $code`;

/** Without the variables of this process: PG… and LD_… would change the behaviour. */
export const PLAIN_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };

const STOP_TIMEOUT_MS = 10_000;

export type Supervisor = ChildProcessByStdio<Writable, null, Readable>;

/** The server ended before it was ready. */
export class StartFailure extends Error {
  readonly output: string;

  constructor(output: string) {
    super(`The built-in Postgres did not start: ${output.trim().split('\n').slice(-5).join(' | ') || 'no output'}`);
    this.output = output;
    this.name = 'StartFailure';
  }
}

/**
 * Starts the server and waits until it accepts connections.
 * @param onLine receives every line of the log
 * @throws StartFailure
 */
export async function superviseServer(
  command: readonly string[],
  runner: Runner,
  onLine: (line: string) => void,
): Promise<Supervisor> {
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'latchkey-postgres', ...command], {
    ...(runner.uid === undefined ? {} : { uid: runner.uid, gid: runner.gid }),
    cwd: '/',
    env: PLAIN_ENVIRONMENT,
    // A separate session: Ctrl-C in the terminal stops Latchkey, which stops Postgres after its last request.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  const output: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new StartFailure(output.join('\n'))));
    createInterface({ input: child.stderr }).on('line', (line) => {
      onLine(line);
      if (output.length < 100) output.push(line);
      if (/database system is ready to accept (?:read-only )?connections/.test(line)) resolve();
    });
  }).catch((error: unknown) => {
    child.stdin.destroy();
    throw error;
  });
  // None of these keeps this process alive.
  child.unref();
  for (const stream of [child.stdin, child.stderr]) (stream as unknown as { unref(): void }).unref();
  return child;
}

/** Stops the server like `pg_ctl stop -m fast`, and after a time-out like `-m immediate`. */
export async function stopServer(child: Supervisor, dataDirectory: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const timeout = setTimeout(() => {
    const running = findRunning(dataDirectory);
    if (running !== undefined) process.kill(running.pid, 'SIGQUIT');
  }, STOP_TIMEOUT_MS);
  child.stdin.end();
  await exited;
  clearTimeout(timeout);
}

/** The running server whose postmaster.pid is in this directory. */
export function findRunning(dataDirectory: string): { pid: number; port: string; isSupervised: boolean } | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  const found = inspectProcess(pid);
  // After kill -9 or a reboot the process id may belong to another program.
  if (found === undefined || !found.command.includes('postgres')) return undefined;
  const parent = inspectProcess(found.parent);
  return { pid, port: lines[3] ?? '?', isSupervised: parent?.command.includes(dataDirectory) ?? false };
}

/** Waits for a server to end. After kill -9 of its starter it takes a moment to shut down. */
export async function waitUntilGone(dataDirectory: string, timeoutMs: number): Promise<boolean> {
  for (const endMs = performance.now() + timeoutMs; performance.now() < endMs; await pause(50)) {
    if (findRunning(dataDirectory) === undefined) return true;
  }
  return false;
}

function inspectProcess(pid: number): { parent: number; command: string } | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name is in parentheses and may contain blanks; state and parent follow.
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return { parent, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') };
    }
    const line = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return { parent: Number.parseInt(line, 10), command: line.replace(/^\d+\s+/, '') };
  } catch {
    return undefined;
  }
}
