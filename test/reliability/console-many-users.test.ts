/**
 * The console among many accounts. The long form has a million and measures; the short one asserts how much is read, which
 * does not depend on what else the machine does.
 */
import type pg from 'pg';
import t from 'tap';
import { loadStatements, QUERIES_DIRECTORY } from '../../src/db/statements.js';
import { openTestConsole, type SignedInOperator } from '../support/console.js';
import { readServerMajor } from '../support/database.js';
import { pickForm, reportProgress } from '../support/long-form.js';
import { addManyUsers, addressOf } from '../support/many-users.js';
import { quantile } from '../support/statistics.js';

const form = pickForm({
  short: { users: 30_000, pages: 20, tries: 1, isMeasured: false },
  long: { users: 1_000_000, pages: 1000, tries: 200, isMeasured: true },
});
const LIMIT = 50;
/** At the server. */
const MOST_MS = 50;
const SEARCH_MS = 2000;
const AFTER_ALL = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const;
const NO_FILTERS = Array.from({ length: 7 }, () => null);

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** @returns how many rows of users a statement reads */
async function countRead(admin: pg.Client, key: string, values: readonly unknown[]): Promise<number> {
  const { text } = loadStatements(QUERIES_DIRECTORY, '').get(`console.${key}`)!;
  const { rows } = await admin.query(`explain (analyze, format json) ${text}`, [...values]);
  const count = (plan: Plan): number => {
    const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
    const below = (plan.Plans ?? []).reduce((sum, one) => sum + count(one), 0);
    return below + (plan['Relation Name'] === 'users' ? own : 0);
  };
  return count(rows[0]['QUERY PLAN'][0].Plan);
}

const emailsOf = (answer: { body: { users: { email: string }[] } }) => answer.body.users.map(({ email }) => email);
const newest = (from: number, count = LIMIT) => Array.from({ length: count }, (_, n) => addressOf(from + n));

/** @returns the cursor of a page. @param page counted from 1 */
async function walkTo(browser: SignedInOperator, page: number): Promise<string> {
  let cursor = '';
  for (let n = 1; n < page; n++) cursor = (await browser.get(`/api/users?cursor=${cursor}`)).body.next_cursor;
  return cursor;
}

t.test(`the console among ${form.users} users`, async (t) => {
  const console = await openTestConsole(t);
  const { admin } = console.database;
  await addManyUsers(admin, form.users);
  reportProgress(`${form.users} users`);
  const browser = await console.signIn('viewer');
  const cursor = await walkTo(browser, form.pages);

  await t.test('what a page reads', async (t) => {
    if ((await readServerMajor(admin)) >= 17) {
      const page = (after: readonly unknown[]) =>
        countRead(admin, 'users', ['authenticated', ...after, null, 10_000, LIMIT, ...NO_FILTERS]);
      const place = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
      // Each account once in the order of the list, and once to be shown.
      for (const after of [AFTER_ALL, place]) t.ok((await page(after)) <= 2 * (LIMIT + 1), `${await page(after)} rows`);
    }
    const [first, last] = ['u00', 'u00\u{10ffff}'];
    const found = await countRead(admin, 'users_by_email', [first, last, null, LIMIT + 1]);
    // One further shows whether there is a next page, another that no more have the same address.
    t.ok(found <= LIMIT + 2, `${found} rows of a prefix that all have`);
    const filtered = await countRead(admin, 'users', [
      'authenticated',
      ...AFTER_ALL,
      null,
      10_000,
      LIMIT,
      ...NO_FILTERS.slice(1),
      'nobody',
    ]);
    t.equal(filtered, 10_000, 'a filter that nobody matches reads so many and no more');
  });

  for (const [name, path, expected] of [
    ['first page', '/api/users', newest(1)],
    [`page ${form.pages}`, `/api/users?cursor=${cursor}`, newest((form.pages - 1) * LIMIT + 1)],
    ['prefix that all have', '/api/users?q=u00', newest(1)],
    ['prefix that one has', '/api/users?q=u0000042', newest(42, 1)],
  ] as const) {
    await t.test(name, async (t) => {
      const times: number[] = [];
      for (let n = 0; n < form.tries; n++) {
        const sentMs = performance.now();
        const answer = await browser.get(path);
        times.push(performance.now() - sentMs);
        if (n === 0) t.same(emailsOf(answer), expected);
      }
      const p95 = quantile(times, 0.95);
      t.comment(`p95 ${p95.toFixed(1)} ms`);
      if (form.isMeasured) t.ok(p95 <= MOST_MS, `${name}: p95 ${p95.toFixed(1)} ms`);
    });
  }

  await t.test('a part of an address: found, or a search that says where it ended and goes on there', async (t) => {
    const oldest = addressOf(form.users);
    const part = oldest.slice(2, 12);
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const sentMs = performance.now();
      const answer = await browser.get(`/api/users?contains=${encodeURIComponent(part)}&cursor=${next}`);
      const tookMs = performance.now() - sentMs;
      t.equal(answer.status, 200);
      t.comment(`${tookMs.toFixed(0)} ms, until ${answer.body.searched_until}`);
      // The last ten thousand are looked at to their end.
      if (form.isMeasured) t.ok(tookMs < SEARCH_MS + 500, `${tookMs.toFixed(0)} ms`);
      seen.push(...emailsOf(answer));
      next = answer.body.next_cursor;
      t.equal(answer.body.searched_until === null, next === null, 'it says until when it has searched');
    }
    t.same(seen, [oldest]);
  });
});
