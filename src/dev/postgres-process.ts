import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Runner } from './postgres-binaries.js';

/**
 * Runs Postgres and ends it when standard input closes, which happens whenever the process that holds the other end is
 * gone, kill -9 included. A shell, because it costs 1 MB where a second node would cost 40.
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

/** Nothing of ours: PG… and LD_… variables would change what runs. */
export const PLAIN_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };

const STOP_PATIENCE_MS = 10_000;

export type Supervisor = ChildProcessByStdio<Writable, null, Readable>;

/** What the server said instead of becoming ready. */
export class StartFailure extends Error {
  constructor(readonly output: string) {
    super(
      `The built-in Postgres did not start: ${output.trim().split('\n').slice(-5).join(' | ') || 'it said nothing'}`,
    );
    this.name = 'StartFailure';
  }
}

/**
 * Starts the server and waits until it accepts connections.
 * @param onLine gets every line of its log
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
    // A session of its own: Ctrl-C in the terminal is for the server, which ends Postgres after its last request.
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
  // None of these keeps the process alive: when it ends, so does Postgres.
  child.unref();
  for (const stream of [child.stdin, child.stderr]) (stream as unknown as { unref(): void }).unref();
  return child;
}

/** Ends the server as `pg_ctl stop -m fast` does, and the hard way when it does not hear. */
export async function stopServer(child: Supervisor, dataDirectory: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const patience = setTimeout(() => {
    const running = findRunning(dataDirectory);
    if (running !== undefined) process.kill(running.pid, 'SIGQUIT');
  }, STOP_PATIENCE_MS);
  child.stdin.end();
  await exited;
  clearTimeout(patience);
}

/** The server that says in its postmaster.pid that it runs on this directory, if it does. */
export function findRunning(dataDirectory: string): { pid: number; port: string; isSupervised: boolean } | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  const found = inspectProcess(pid);
  // After kill -9 or a reboot the number may be somebody else's by now.
  if (found === undefined || !found.command.includes('postgres')) return undefined;
  const parent = inspectProcess(found.parent);
  return { pid, port: lines[3] ?? '?', isSupervised: parent?.command.includes(dataDirectory) ?? false };
}

/** Waits for a server to go: one whose starter has just been killed needs a moment to shut down. */
export async function waitUntilGone(dataDirectory: string, patienceMs: number): Promise<boolean> {
  for (const endMs = performance.now() + patienceMs; performance.now() < endMs; await pause(50)) {
    if (findRunning(dataDirectory) === undefined) return true;
  }
  return false;
}

function inspectProcess(pid: number): { parent: number; command: string } | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name stands in parentheses and may hold blanks; after it: state, parent.
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return { parent, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') };
    }
    const line = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return { parent: Number.parseInt(line, 10), command: line.replace(/^\d+\s+/, '') };
  } catch {
    return undefined;
  }
}
