/** `node dist/bench/admin-list.js [accounts]`: how long a page of GET /admin/users takes on a large table. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../src/db/migrate.js';
import { query, startBenchDatabase } from './lib/database.js';
import { startServerUnderTest } from './lib/servers.js';
import { statement } from './lib/statements.js';
import { openTokenMint } from './lib/token-mint.js';

const ROUNDS = 100;
const PER_PAGE = 50;

/** @returns milliseconds of each call, sorted */
async function measure(url: string, bearer: string, rounds = ROUNDS): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const startMs = performance.now();
    const answer = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } });
    await answer.text();
    took.push(performance.now() - startMs);
    if (answer.status !== 200) throw new Error(`${url} was answered ${answer.status}`);
  }
  return took.sort((a, b) => a - b);
}

/** A cursor far down the list: found by going there a thousand at a time. */
async function deepCursor(url: string, bearer: string, accounts: number): Promise<string> {
  let cursor = '';
  for (let passed = 0; passed < accounts / 2; passed += 1000) {
    const path = `${url}/admin/users?limit=1000&cursor=${cursor}`;
    const answer = await fetch(path, { headers: { authorization: `Bearer ${bearer}` } });
    cursor = ((await answer.json()) as { pagination: { next_cursor: string } }).pagination.next_cursor;
  }
  return cursor;
}

async function main(): Promise<void> {
  const accounts = Number(process.argv[2] ?? 100_000);
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const cwd = mkdtempSync(join(tmpdir(), 'latchkey-bench-list-'));
  const database = await startBenchDatabase();
  try {
    const databaseUrl = await database.create('admin_list');
    await migrate({ url: databaseUrl, prefix: '' });
    await query(databaseUrl, statement('admin-list.populate').text, [accounts]);
    await query(databaseUrl, statement('bench-data.analyze').text);
    await query(databaseUrl, statement('admin-list.sign_in').text);
    const options = { root, databaseUrl, cwd, logLevel: 'error' };
    const bearer = openTokenMint(options).operatorToken();
    const server = await startServerUnderTest(options);
    try {
      const last = Math.ceil(accounts / PER_PAGE);
      const cursor = await deepCursor(server.url, bearer, accounts);
      const cases: [string, string][] = [
        ['first page', 'page=1'],
        ['middle page', `page=${Math.floor(last / 2)}`],
        ['last page', `page=${last}`],
        ['last page, oldest first', `page=${last}&sort=created_at%20asc`],
        ['1,000 a page, middle', `page=${Math.floor(accounts / 2000)}&per_page=1000`],
        ['filter, one match', 'filter=person-4242%40'],
        ['filter by name, many', 'filter=number%2042'],
        ['filter, no match', 'filter=nobody'],
        ['exact email', 'email=person-4242%40example.com'],
        ['cursor, first', `limit=${PER_PAGE}`],
        ['cursor, middle', `limit=${PER_PAGE}&cursor=${cursor}`],
      ];
      process.stdout.write(`| ${accounts.toLocaleString('en')} accounts | p50 ms | p99 ms |\n|---|--:|--:|\n`);
      for (const [name, parameters] of cases) {
        const took = await measure(`${server.url}/admin/users?${parameters}`, bearer);
        const [p50, p99] = [took[Math.floor(ROUNDS * 0.5)]!, took[Math.floor(ROUNDS * 0.99)]!];
        process.stdout.write(`| ${name} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |\n`);
      }
    } finally {
      await server.stop();
    }
  } finally {
    await database.stop();
    rmSync(cwd, { recursive: true, force: true });
  }
}

await main();
