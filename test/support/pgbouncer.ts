/** A PgBouncer in transaction mode in front of a Postgres, otherwise with its defaults. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.js';
import { isListening } from './listening.js';

const program = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);

export interface PgBouncer {
  readonly port: number;
  /** Since 1.21 it follows named statements from one server connection to the next. */
  readonly keepsStatements: boolean;
  readonly version: string;
  /** How many transactions passed, health checks included. */
  countTransactions(): Promise<number>;
  stop(): Promise<void>;
}

/** Set by a test for the files it runs: their servers connect through this port. */
export const BOUNCER_PORT_VARIABLE = 'LATCHKEY_TEST_BOUNCER_PORT';
export const BOUNCER_LOSES_STATEMENTS_VARIABLE = 'LATCHKEY_TEST_BOUNCER_LOSES_STATEMENTS';

/** @returns its version, or null when none is installed (Debian: apt-get install pgbouncer) */
export function findPgBouncer(): string | null {
  if (program === undefined) return null;
  return /PgBouncer (\d+\.\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1] ?? null;
}

/** @param adminUrl superuser's URL of the Postgres behind it, which every client becomes */
export async function startPgBouncer(adminUrl: string): Promise<PgBouncer> {
  const version = findPgBouncer();
  if (program === undefined || version === null) throw new Error('There is no PgBouncer on this machine.');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const keepsStatements = major > 1 || minor >= 21;
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-pgbouncer-'));
  chmodSync(directory, 0o755);
  const { hostname, port: serverPort, username, password } = new URL(adminUrl);
  const port = await freePort();
  const configuration = join(directory, 'pgbouncer.ini');
  const login = password === '' ? '' : ` password='${decodeURIComponent(password)}'`;
  writeFileSync(
    configuration,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username}${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
; Fewer than the callers of a test, so that connections change hands.
default_pool_size = 3
max_client_conn = 500
server_idle_timeout = 5
; Seconds between its counts.
stats_period = 1
stats_users = ${username}
${keepsStatements ? 'max_prepared_statements = 200' : ''}
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`,
  );
  const child = spawn(program, ['-q', configuration], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const exited = once(child, 'exit');
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${said}`);
    await pause(20);
  }
  return {
    port,
    version,
    keepsStatements,
    async countTransactions() {
      const client = new pg.Client({ host: '127.0.0.1', port, user: username, database: 'pgbouncer' });
      await client.connect();
      try {
        const { rows } = await client.query<{ total_xact_count: string }>('show stats');
        return rows.reduce((sum, row) => sum + Number(row.total_xact_count), 0);
      } finally {
        await client.end();
      }
    },
    async stop() {
      child.kill('SIGINT');
      const force = setTimeout(() => child.kill('SIGKILL'), 2000);
      await exited;
      clearTimeout(force);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
