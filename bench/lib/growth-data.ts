/** Databases of several sizes, filled inside Postgres. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { migrate } from '../../src/db/migrate.js';
import type { Progress, Run } from './command.js';
import { query, statement } from './database.js';
import type { SampledSession } from './tokens.js';

/** Measured: tables and indexes of a user with an identity and half a session. */
const BYTES_A_USER = 1500;
/** Sorting for the indexes, and what pages grow by during the load. */
const HEADROOM = 1.5;
/** The max_wal_size of the bench. */
const WAL_BYTES = 4 * 2 ** 30;
const CHUNK = 100_000;

export const growthTables = ['users', 'identities', 'sessions'] as const;
export type GrowthTable = (typeof growthTables)[number];
/** Bytes of a table and of all its indexes. */
export type TableSizes = Readonly<Record<GrowthTable, { readonly table: number; readonly indexes: number }>>;

/** @param text e.g. `10k,1m` @returns numbers of users, ascending @throws on anything else */
export function parseSizes(text: string): number[] {
  const sizes = text.split(',').map((word) => {
    const [, digits, unit = ''] = /^(\d{1,9})([km]?)$/i.exec(word.trim()) ?? [];
    const size = Number(digits) * { '': 1, k: 1e3, m: 1e6 }[unit.toLowerCase() as '' | 'k' | 'm'];
    if (!(size >= 1000 && size <= 1e9)) {
      throw new Error(`--sizes takes numbers from 1k to 1000m, separated by commas, not ${JSON.stringify(word)}`);
    }
    return size;
  });
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** Bytes of disk that databases of these sizes need. */
export function estimateDiskBytes(sizes: readonly number[]): number {
  const data = sizes.reduce((sum, size) => sum + size, 0) * BYTES_A_USER * HEADROOM;
  return Math.round(data + Math.min(WAL_BYTES, data));
}

/** @throws when the disk has less space than the databases need */
export function assertDiskSpace(sizes: readonly number[], progress: Progress, directory = tmpdir()): void {
  const { bavail, bsize } = statfsSync(directory);
  const [need, free] = [estimateDiskBytes(sizes), bavail * bsize];
  const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  progress(`disk: ${gb(need)} needed, ${gb(free)} free in ${directory}`);
  if (need > free)
    throw new Error('There is not enough disk space: use smaller --sizes, or set TMPDIR to a larger disk');
}

/** @returns the URL of a database with so many users and half as many sessions */
export async function fillDatabase({ database, progress }: Run, users: number): Promise<string> {
  const url = await database.create(`growth_${users}`);
  await migrate({ url, prefix: '' });
  const named = users.toLocaleString('en');
  const indexes = await query<{ name: string; definition: string }>(url, statement('growth.indexes').text);
  for (const { name } of indexes) await query(url, `drop index ${name}`);
  for (let first = 1; first <= users; first += CHUNK) {
    const last = Math.min(users, first + CHUNK - 1);
    await query(url, statement('growth.fill').text, [first, last, users]);
    if (last % (CHUNK * 10) === 0) progress(`${last.toLocaleString('en')} of ${named} users created`);
  }
  for (const { definition } of indexes) await query(url, definition);
  await query(url, statement('bench-data.analyze').text);
  // What has been written must not be flushed during a measurement.
  await query(url, 'checkpoint');
  progress(`${named} users: indexed and analysed`);
  return url;
}

export async function readTableSizes(url: string): Promise<TableSizes> {
  const rows = await query<{ name: GrowthTable; table: number; indexes: number }>(url, statement('growth.sizes').text);
  return Object.fromEntries(rows.map(({ name, ...bytes }) => [name, bytes])) as TableSizes;
}

export const sampleSessions = (url: string, count: number): Promise<SampledSession[]> =>
  query<SampledSession>(url, statement('growth.sample').text, [count]);
