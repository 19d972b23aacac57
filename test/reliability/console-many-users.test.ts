/**
 * The console among many accounts. The long form has a million and measures; the short one asserts how much is read, which
 * does not depend on what else the machine does.
 */
import type pg from 'pg';
import type { Page } from 'playwright-core';
import { loadStatements, QUERIES_DIRECTORY } from '../../src/db/statements.js';
import { openTestConsole, type SignedInOperator } from '../support/console.js';
import { openConsolePages } from '../support/console-page.js';
import { readServerMajor } from '../support/database.js';
import { pickForm, reportProgress } from '../support/long-form.js';
import { findChromium } from '../support/mailbox-page.js';
import { addManyUsers, addressOf, EVERY } from '../support/many-users.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { quantile } from '../support/statistics.js';
import { onlyInFull, type Test, t } from '../support/tap.js';

onlyInFull('thousands of accounts and a browser, 18 s; the same with few: console-users');

const form = pickForm({
  short: { users: 15_000, pages: 20, tries: 1, isMeasured: false },
  long: { users: 1_000_000, pages: 1000, tries: 200, isMeasured: true },
});
const LIMIT = 50;
/** At the server. */
const MOST_MS = 50;
const SEARCH_MS = 2000;
/** From the change of address in the browser until its rows are painted. */
const MOST_PAINT_MS = 150;
const PAINTS = 40;
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

type ReadAnswer = Awaited<ReturnType<SignedInOperator['get']>>;

const emailsOf = (answer: { body: { users: { email: string }[] } }) => answer.body.users.map(({ email }) => email);
const newest = (from: number, count = LIMIT) => Array.from({ length: count }, (_, n) => addressOf(from + n));
/** The first page of those that are something. */
const each = (step: number) => Array.from({ length: LIMIT }, (_, n) => addressOf((n + 1) * step));

/** @returns the cursor of a page. @param page counted from 1 */
async function walkTo(browser: SignedInOperator, page: number): Promise<string> {
  let cursor = '';
  for (let n = 1; n < page; n++) cursor = (await browser.get(`/api/users?cursor=${cursor}`)).body.next_cursor;
  return cursor;
}

/** @param first address in the first row; null: an empty list. @returns milliseconds from the change of address to its frame */
const paint = (page: Page, address: string, first: string | null): Promise<number> =>
  page.evaluate(
    async ([to, wanted]) => {
      // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
      const { history, document, dispatchEvent, PopStateEvent, requestAnimationFrame } = globalThis as any;
      const startMs = performance.now();
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
      const isThere = () =>
        wanted === null
          ? document.querySelector('main .empty') !== null
          : document.querySelector('main tbody a')?.textContent === wanted;
      while (!isThere() || document.querySelector('[aria-busy="true"]') !== null) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      // A task after the frame that shows them.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - startMs;
    },
    [address, first] as const,
  );

t.test(`the console among ${form.users} users`, async (t) => {
  const chromium = form.isMeasured ? findChromium() : null;
  const pages = chromium === null ? null : await openConsolePages(t, chromium);
  const console = pages?.console ?? (await openTestConsole(t));
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

  const { rows } = await admin.query<{ id: string }>('select id from users where email = $1', [addressOf(420)]);
  const { id } = rows[0]!;
  const lists: readonly (readonly [name: string, path: string, expected: readonly string[]])[] = [
    ['first page', '/users', newest(1)],
    [`page ${form.pages}`, `/users?cursor=${cursor}`, newest((form.pages - 1) * LIMIT + 1)],
    ['prefix of an address that all have', '/users?q=u00', newest(1)],
    ['prefix of an address that one has', '/users?q=u0000042', newest(42, 1)],
    ['prefix of a number that many have', '/users?q=%2B15550', each(EVERY.phone)],
    ['prefix of a number that one has', '/users?q=%2B1555000042', [addressOf(420)]],
    ['prefix of an id that one has', `/users?q=${id.slice(0, 13)}`, [addressOf(420)]],
  ];
  const measure = async (t: Test, name: string, path: string, check: (answer: ReadAnswer) => void) => {
    const times: number[] = [];
    for (let n = 0; n < form.tries; n++) {
      const sentMs = performance.now();
      const answer = await browser.get(path);
      times.push(performance.now() - sentMs);
      if (n === 0) check(answer);
    }
    const p95 = quantile(times, 0.95);
    if (form.isMeasured) {
      reportProgress(`${name}: median ${quantile(times, 0.5).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);
      t.ok(p95 <= MOST_MS, `${name}: p95 ${p95.toFixed(1)} ms`);
    }
  };

  await t.test('pages and searches', async (t) => {
    for (const [name, path, expected] of [
      ...lists,
      ['not confirmed', '/users?confirmed=false', each(EVERY.unconfirmed)],
      ['of a provider', '/users?provider=github', each(EVERY.github)],
      ['banned', '/users?banned=true', each(EVERY.banned)],
    ] as const) {
      await measure(t, name, `/api${path}`, (answer) => t.same(emailsOf(answer), expected, name));
    }
    await measure(t, 'a filter that nobody matches', '/api/users?anonymous=true', ({ body }) => {
      t.same(body.users, []);
      t.type(body.searched_until, 'string');
    });
  });

  await t.test('one user, and what happened', async (t) => {
    await measure(t, 'one user', `/api/users/${id}`, ({ body }) => {
      t.match(body, { user: { email: addressOf(420) }, sessions: [{}] });
      t.equal(body.sessions.length, 1);
    });
    for (const [name, path, count] of [
      ['activity', '/api/activity', LIMIT],
      ['activity of one action', '/api/activity?action=login', LIMIT],
      ['activity of one user', `/api/users/${id}/activity`, 1],
    ] as const) {
      await measure(t, name, path, ({ body }) => t.equal(body.entries.length, count, name));
    }
  });

  await t.test('painted in a browser', async (t) => {
    if (!form.isMeasured) return t.pass('in the long form');
    if (pages === null) return skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
    const { page } = await pages.enter('viewer', { path: '/users?q=nobody' });
    await page.getByText('No account matches').waitFor();
    for (const [name, path, [first]] of lists) {
      const times: number[] = [];
      for (let n = 0; n < PAINTS; n++) {
        await paint(page, '/users?q=nobody', null);
        times.push(await paint(page, path, first!));
      }
      const p95 = quantile(times, 0.95);
      reportProgress(`${name}: painted within ${quantile(times, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`);
      t.ok(p95 <= MOST_PAINT_MS, `${name}: p95 ${p95.toFixed(0)} ms`);
    }
  });

  await t.test('a part of an address: found, or a search that says where it ended and goes on there', async (t) => {
    const oldest = addressOf(form.users);
    const part = oldest.slice(2, 12);
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const sentMs = performance.now();
      const answer = await browser.get(`/api/users?contains=${encodeURIComponent(part)}&cursor=${next}`);
      const tookMs = performance.now() - sentMs;
      t.equal(answer.status, 200);
      if (form.isMeasured)
        reportProgress(`part of an address: ${tookMs.toFixed(0)} ms, until ${answer.body.searched_until}`);
      // The last ten thousand are looked at to their end.
      if (form.isMeasured) t.ok(tookMs < SEARCH_MS + 500, `${tookMs.toFixed(0)} ms`);
      seen.push(...emailsOf(answer));
      next = answer.body.next_cursor;
      t.equal(answer.body.searched_until === null, next === null, 'it says until when it has searched');
    }
    t.same(seen, [oldest]);
  });
});
