/** Databases of several sizes, made inside Postgres. */
import { statfsSync } from 'node:fs';
import { migrate } from '../../src/db/migrate.js';
import { type BenchDatabase, query } from './database.js';
import type { Say } from './run-bench.js';
import { statement } from './statements.js';
import type { SampledSession } from './token-mint.js';

/** Measured: tables and indexes of an account with its identity and half a session, built at once. */
const BYTES_A_USER = 1500;
/** Sorting for the indexes, and what pages grow by while the load writes to them. */
const HEADROOM = 1.5;
/** The journal may grow to the max_wal_size of the bench. */
const JOURNAL_BYTES = 4 * 2 ** 30;
const CHUNK = 100_000;

export interface Relation {
  readonly name: string;
  /** The table it belongs to, or is. */
  readonly of_table: 'users' | 'identities' | 'sessions';
  readonly bytes: number;
}

/** @param text e.g. `10k,1m` @returns numbers of users, ascending @throws on anything else */
export function parseSizes(text: string): number[] {
  const sizes = text.split(',').map((word) => {
    const [, digits, unit = ''] = /^(\d{1,9})([km]?)$/i.exec(word.trim()) ?? [];
    const size = Number(digits) * { '': 1, k: 1e3, m: 1e6 }[unit.toLowerCase() as '' | 'k' | 'm'];
    if (!(size >= 1000 && size <= 1e9)) {
      throw new Error(`--sizes takes numbers from 1k to 1000m with commas between them, not ${JSON.stringify(word)}`);
    }
    return size;
  });
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** Bytes of disk that databases of these sizes need. */
export function estimateDiskBytes(sizes: readonly number[]): number {
  const data = sizes.reduce((sum, size) => sum + size, 0) * BYTES_A_USER * HEADROOM;
  return Math.round(data + Math.min(JOURNAL_BYTES, data));
}

/** @throws when there is less room than the databases need */
export function assertRoom(sizes: readonly number[], directory: string, say: Say): void {
  const { bavail, bsize } = statfsSync(directory);
  const [need, free] = [estimateDiskBytes(sizes), bavail * bsize];
  const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  say(`disk: ${gb(need)} needed, ${gb(free)} free in ${directory}`);
  if (need > free) throw new Error(`There is not enough room: choose smaller --sizes, or set TMPDIR to a larger disk`);
}

/** @returns the URL of a database with so many users and half as many sessions */
export async function fillDatabase(database: BenchDatabase, users: number, say: Say): Promise<string> {
  const url = await database.create(`growth_${users}`);
  await migrate({ url, prefix: '' });
  const run = (key: string, values: unknown[] = []) => query(url, statement(`growth.${key}`).text, values);
  const { rows: indexes } = await query<{ name: string; definition: string }>(url, statement('growth.indexes').text);
  for (const { name } of indexes) await query(url, `drop index ${name}`);
  for (let first = 1; first <= users; first += CHUNK) {
    await run('fill', [first, Math.min(users, first + CHUNK - 1), users]);
    const done = Math.min(users, first + CHUNK - 1);
    if (done % (CHUNK * 10) === 0 || done === users)
      say(`${done.toLocaleString('en')} of ${users.toLocaleString('en')} users made`);
  }
  for (const { definition } of indexes) await query(url, definition);
  await query(url, statement('bench-data.analyze').text);
  // What was written must not be flushed while something is measured.
  await query(url, 'checkpoint');
  say(`${users.toLocaleString('en')} users: indexed and analysed`);
  return url;
}

export async function readRelations(url: string): Promise<Relation[]> {
  return (await query<Relation & { [column: string]: unknown }>(url, statement('growth.sizes').text)).rows;
}

export async function sampleSessions(url: string, count: number): Promise<SampledSession[]> {
  return (await query<SampledSession & { [column: string]: unknown }>(url, statement('growth.sample').text, [count]))
    .rows;
}
