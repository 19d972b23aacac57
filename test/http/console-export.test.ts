/** Exports of users and of the audit log: page by page, safe for spreadsheets, recorded once. */

import { forgetStepUps, openTestConsole, type SignedInOperator } from '../support/console.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

/** All pages of an export, as the page of the console puts them together. */
async function exportAll(browser: SignedInOperator, path: string, body: Record<string, unknown>): Promise<string[]> {
  const pages: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const answer = await browser.post(path, { ...body, cursor });
    if (answer.status !== 200) throw new Error(answer.text);
    pages.push(answer.body.text);
    if (answer.body.next_cursor === null) return pages;
    cursor = answer.body.next_cursor;
  }
}

/** RFC 4180 2. */
function parseCsv(text: string): string[][] {
  return [...text.matchAll(/(?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n))+?(?<=\r\n)/g)].map(([line]) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n)/g)].map(([, cell]) =>
      cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!,
    ),
  );
}

t.test('users as CSV and NDJSON, page by page, with filters, and one audit row', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('admin', 'ann');
  await console.database.admin.query(`
    insert into users (id, aud, role, email, is_anonymous, user_metadata, created_at)
    select gen_random_uuid(), 'authenticated', 'authenticated', 'user' || n || '@example.com', n <= 40,
      jsonb_build_object('n', n), now() - n * interval '1 second' from generate_series(1, 2300) n`);
  const pages = await exportAll(browser, '/api/users/export', { format: 'csv', reason: 'audit of 2026' });
  t.equal(pages.length, 3);
  const rows = parseCsv(pages.join(''));
  t.equal(rows.length, 2301, 'one row of names');
  t.same(rows[0]!.slice(0, 5), ['id', 'aud', 'role', 'email', 'phone']);
  t.same(
    rows.slice(1).map((row) => row[3]),
    Array.from({ length: 2300 }, (_, n) => `user${n + 1}@example.com`),
  );
  t.equal(rows[7]![rows[0]!.indexOf('user_metadata')], '{"n": 7}'.replace(' ', ''));

  const lines = (
    await exportAll(browser, '/api/users/export', { format: 'ndjson', filter: { anonymous: 'true' } })
  ).join('');
  const users = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.equal(users.length, 40);
  t.ok(users.every(({ is_anonymous }) => is_anonymous === true));
  t.notMatch(lines, /password_hash/);

  const { rows: audit } = await console.database.admin.query(
    "select payload from audit_log where payload->>'action' = 'users_exported' order by created_at",
  );
  t.equal(audit.length, 2, 'not one for each page');
  t.match(audit[0].payload, { actor_username: 'ann', traits: { format: 'csv', filter: {}, reason: 'audit of 2026' } });
  t.match(audit[1].payload.traits, { format: 'ndjson', filter: { anonymous: 'true' } });
});

t.test('what users choose is no formula', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('admin');
  const evil = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', 'a","b', 'line\nbreak'];
  await console.database.admin.query(
    `insert into users (id, aud, role, email, created_at)
    select gen_random_uuid(), 'authenticated', e.value, 'u' || e.ordinality || '@example.com', now() - e.ordinality * interval '1 second'
    from unnest($1::text[]) with ordinality e (value, ordinality)`,
    [evil],
  );
  const rows = parseCsv((await exportAll(browser, '/api/users/export', { format: 'csv' })).join('')).slice(1);
  t.same(
    rows.map((row) => row[2]),
    [...evil.slice(0, 7).map((text) => `'${text}`), ...evil.slice(7)],
  );
});

t.test('the audit log; cursors cannot be made, and who may export', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('admin', 'ann');
  await console.database.admin.query(`
    insert into audit_log (payload, created_at)
    select jsonb_build_object('action', case when n % 2 = 0 then 'login' else 'logout' end, 'actor_username', 'u' || n),
      now() - n * interval '1 second' from generate_series(1, 2100) n`);
  const pages = await exportAll(browser, '/api/activity/export', { format: 'ndjson', filter: { action: 'login' } });
  const entries = pages
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).payload.action);
  t.equal(entries.length, 1050);
  t.ok(entries.every((action) => action === 'login'));
  const csv = (await exportAll(browser, '/api/activity/export', { format: 'csv' })).join('');
  t.match(csv, /^id,created_at,action,.*,ip_address\r\n/);
  t.match(csv, /"activity_exported".*"127\.0\.0\.1"\r\n/, 'the export before is in it');

  const first = await browser.post('/api/activity/export', { format: 'csv' });
  const cursor = first.body.next_cursor;
  const other = await console.signIn('admin', 'ben');
  for (const [who, path, given] of [
    [other, '/api/activity/export', cursor],
    [browser, '/api/users/export', cursor],
    [browser, '/api/activity/export', `${cursor.slice(0, 40)}${cursor[40] === 'A' ? 'B' : 'A'}${cursor.slice(41)}`],
    [browser, '/api/activity/export', Buffer.from('["2026-11-25T00:00:00Z","x"]').toString('base64url')],
  ] as const) {
    t.equal((await who.post(path, { format: 'csv', cursor: given })).status, 400, path);
  }
  t.equal((await browser.post('/api/users/export', { format: 'xml' })).status, 400);
  t.equal((await browser.post('/api/users/export', { format: 'csv', filter: { banned: 'maybe' } })).status, 400);
  t.equal((await browser.post('/api/users/export', { format: 'csv', filter: { banned: true } })).status, 400);
  const support = await console.signIn('support');
  t.equal((await support.post('/api/users/export', { format: 'csv' })).status, 403);
  await console.post('/signup', { email: freshEmail(), password });
  await forgetStepUps(console);
  t.match(await browser.post('/api/users/export', { format: 'csv' }), { body: { error_code: 'operator_step_up' } });
});
