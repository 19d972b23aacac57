/** A statement of the server through the real pgbench: what one-by-one work can reach at most. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitOf, startProgram } from './processes.js';
import { statement } from './statements.js';

/** @returns e.g. `pgbench (PostgreSQL) 15.18`, or undefined where there is none on the PATH */
export function findPgbench(): string | undefined {
  try {
    return execFileSync('pgbench', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Which value each parameter of a statement gets, in order; `:name` is a variable of pgbench. */
const parameters = {
  'sessions.redeem_refresh_token': [
    ':session_id',
    ':generation',
    "'bench'",
    "'127.0.0.1'",
    'null',
    'null',
    'null',
    ':version',
  ],
  'users.known_caller': [':user_id', ':session_id', ':version'],
} as const;

export type PgbenchStatement = keyof typeof parameters;

/**
 * A statement of the server as a pgbench script: the first run of a client looks up its session, every run executes it. It
 * knows the account's version, as the server does after its first answer.
 */
export function pgbenchScript(key: PgbenchStatement): string {
  const text = statement(key).text.replace(/\$(\d+)/g, (_, number: string) => parameters[key][Number(number) - 1]!);
  return `\\if :generation < 0
select s.id as session_id, s.user_id, concat_ws(' ', u.updated_at, u.xmin) as version
from sessions s join users u on u.id = s.user_id where s.tag = 'bench' order by s.id offset :client_id limit 1 \\gset
\\set generation 0
\\endif
${text};
\\set generation :generation + 1
`;
}

export interface PgbenchRun {
  readonly statement: PgbenchStatement;
  readonly databaseUrl: string;
  /** Where the script may be written. */
  readonly directory: string;
  readonly clients: number;
  readonly threads: number;
  /** Whole seconds. */
  readonly seconds: number;
}

/** @returns transactions a second without the time of connecting, and how many there were */
export async function runPgbench(run: PgbenchRun): Promise<{ requestsPerSecond: number; count: number }> {
  const file = join(run.directory, 'statement.pgbench');
  writeFileSync(file, pgbenchScript(run.statement));
  const { hostname, port, username, password, pathname } = new URL(run.databaseUrl);
  const flags = { client: run.clients, jobs: run.threads, time: Math.max(1, Math.round(run.seconds)), file };
  const child = startProgram(
    'pgbench',
    [
      '--no-vacuum',
      '--protocol=prepared',
      '--define=generation=-1',
      ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    ],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: username,
        PGPASSWORD: password,
        PGDATABASE: pathname.slice(1),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await exitOf(child);
  const read = readPgbench(output);
  if (code !== 0 || read === undefined) throw new Error(`pgbench failed (${code}): ${output.slice(-500)}`);
  return read;
}

/** Reads the two numbers of pgbench's summary; undefined when they are not there. */
export function readPgbench(output: string): { requestsPerSecond: number; count: number } | undefined {
  const count = /number of transactions actually processed: (\d+)/.exec(output)?.[1];
  const tps = /^tps = ([\d.]+) \(without initial connection time\)/m.exec(output)?.[1];
  if (count === undefined || tps === undefined) return undefined;
  return { requestsPerSecond: Number(tps), count: Number(count) };
}
