/** A statement of the server in pgbench: the most that one statement at a time can reach. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { statement } from './database.js';
import type { StatementResult } from './statement-loop.js';

/** @returns e.g. `pgbench (PostgreSQL) 15.18`, or undefined when it is not on the PATH */
export function findPgbench(): string | undefined {
  try {
    return execFileSync('pgbench', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** The value of each parameter of a statement, in order; `:name` is a variable of pgbench. */
const parameters = {
  'sessions.redeem_refresh_token': `:session_id :generation 'bench' '127.0.0.1' :session_version null`.split(' '),
  'users.known_caller': [':user_id', ':session_id', ':version'],
} as const;

export type PgbenchStatement = keyof typeof parameters;

/**
 * The script: in the first run of a client it looks up its session, in every run it executes the statement. It sends the
 * user's version, as the server does after its first answer.
 */
export function pgbenchScript(key: PgbenchStatement): string {
  const text = statement(key).text.replace(/\$(\d+)/g, (_, number: string) => parameters[key][Number(number) - 1]!);
  return `\\if :generation < 0
select s.id as session_id, s.user_id, concat_ws(' ', u.updated_at, u.xmin) as version,
  concat_ws(' ', u.updated_at, u.xmin, s.facts_version) as session_version
from sessions s join users u on u.id = s.user_id where s.tag = 'bench' order by s.id offset :client_id limit 1 \\gset
\\set generation 0
\\endif
${text};
\\set generation :generation + 1
`;
}

/** @param directory for the script @throws when pgbench fails */
export async function runPgbench(
  key: PgbenchStatement,
  databaseUrl: string,
  directory: string,
  clients: number,
  seconds: number,
): Promise<StatementResult> {
  const file = join(directory, 'statement.pgbench');
  writeFileSync(file, pgbenchScript(key));
  const flags = [`--client=${clients}`, `--time=${Math.max(1, Math.round(seconds))}`, `--file=${file}`];
  const args = ['--no-vacuum', '--protocol=prepared', '--define=generation=-1', ...flags, databaseUrl];
  const { stdout } = await promisify(execFile)('pgbench', args);
  return readPgbench(stdout);
}

/** Reads pgbench's summary. @throws when the two numbers are not in it */
export function readPgbench(output: string): StatementResult {
  const count = /number of transactions actually processed: (\d+)/.exec(output)?.[1];
  const tps = /^tps = ([\d.]+) \(without initial connection time\)/m.exec(output)?.[1];
  if (count === undefined || tps === undefined) throw new Error(`pgbench failed: ${output.slice(-500)}`);
  return { requestsPerSecond: Number(tps), count: Number(count) };
}
