/** The overview: what was counted by day, by whom, and what the servers do at present. */

import { addDayCounts, countActiveUsers } from '../../src/db/figures.js';
import { openDatabase } from '../../src/db/pool.js';
import { readSeries } from '../../src/server/console/overview-figures.js';
import { openTestConsole } from '../support/console.js';
import { createTestDatabase } from '../support/database.js';
import { keepLog } from '../support/quiet-log.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

// biome-ignore lint/suspicious/noExplicitAny: as the API answers.
type Body = any;

t.test('sign-ins, sign-ups, refreshes and active users are counted, and threads report', async (t) => {
  const console = await openTestConsole(t);
  const { post } = console;
  const browser = await console.signIn('viewer');
  const email = freshEmail();
  const { refresh_token } = (await post('/signup', { email, password })).body;
  await post('/token?grant_type=password', { email, password });
  await post('/token?grant_type=password', { email, password: 'a wrong one' });
  await post('/token?grant_type=refresh_token', { refresh_token });
  let body: Body;
  await until(async () => {
    body = (await browser.get('/api/overview?days=3')).body;
    return (
      body.series.some(({ name }: Body) => name === 'active') &&
      body.series.some(({ name }: Body) => name === 'refresh')
    );
  });
  const today = new Date().toISOString().slice(0, 10);
  t.equal(body.days.length, 3);
  t.equal(body.days[2], today);
  const find = (name: string, method: string, result: string): Body =>
    body.series.find((one: Body) => one.name === name && one.method === method && one.result === result);
  t.match(find('sign_in', 'password', 'ok'), { counts: [0, 0, 2], link: '/activity?action=login' });
  t.match(find('sign_in', 'password', 'invalid_credentials'), {
    counts: [0, 0, 1],
    link: '/requests?code=invalid_credentials',
  });
  t.match(find('sign_up', '', 'ok'), { counts: [0, 0, 1], link: `/users?created_from=${body.days[0]}T00:00:00Z` });
  t.match(find('refresh', '', 'ok'), { counts: [0, 0, 1] });
  t.match(body.live, {
    processes: 1,
    threads: 1,
    in_flight: Number,
    hashes_queued: 0,
    mails_waiting: 0,
    p99_ms: Number,
  });
  t.ok(body.live.p50_ms <= body.live.p99_ms);
  t.match(body.links, { mails_waiting: '/mail', p99_ms: /^\/requests/ });
  t.match(find('active', 'day', ''), { counts: [0, 0, 1] });
  t.equal(body.is_recording, true);
  for (const fault of body.faults) t.match(fault, { name: /^[A-Za-z_]+$/, text: /./, link: /^\/configuration/ });
  for (const bad of ['0', '367', 'x', '-1']) t.equal((await browser.get(`/api/overview?days=${bad}`)).status, 400, bad);
  const { rows } = await console.database.admin.query("select * from stats_daily where name = 'scan'");
  t.equal(rows.length, 1);
});

t.test(
  'active users are counted when they are looked at; with too many sessions, when they were counted last',
  async (t) => {
    const console = await openTestConsole(t, { CONSOLE_RECORDS_ENABLED: 'false' });
    const browser = await console.signIn('viewer');
    await console.post('/signup', { email: freshEmail(), password });
    const before = Date.now();
    const { series, active_until } = (await browser.get('/api/overview?days=2')).body;
    t.match(
      series.filter(({ name }: Body) => name === 'active'),
      ['day', 'week', 'month'].map((method) => ({ method, counts: [0, 1] })),
    );
    t.ok(Date.parse(active_until) >= before - 1, active_until);

    const log = keepLog();
    const db = openDatabase({
      url: console.database.url,
      maxConnections: 2,
      prefix: '',
      preparedStatements: true,
      log,
    });
    t.teardown(() => db.close());
    const few = () => readSeries(db, 2, 0);
    t.match(await few(), { active_until: null, series: [] }, 'never counted');
    await countActiveUsers(db);
    await console.post('/signup', { email: freshEmail(), password });
    const then = await few();
    t.equal(then.series.find(({ method }) => method === 'day')?.counts[1], 1, 'as it was then');
    t.ok(Math.abs(Date.parse(then.active_until!) - Date.now()) < 60_000);
    t.equal((await readSeries(db, 2)).series.find(({ method }) => method === 'day')?.counts[1], 2);
  },
);

t.test('warnings about settings are faults', async (t) => {
  const console = await openTestConsole(t, { JWT_SECRET: 'short' });
  const browser = await console.signIn('viewer');
  const { faults } = (await browser.get('/api/overview')).body;
  t.ok(faults.some(({ name, text }: Body) => name === 'AUTH_JWT_SECRET' && /shorter than 32 bytes/.test(text)));
});

t.test('active users: once an hour among all, by day, week and month; counts of instances add up', async (t) => {
  const { url, admin } = await createTestDatabase(t);
  const log = keepLog();
  const db = openDatabase({ url, maxConnections: 2, prefix: '', preparedStatements: true, log });
  t.teardown(() => db.close());
  await admin.query(`
    insert into users (id, aud) select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'authenticated'
      from generate_series(1, 6) n;
    insert into sessions (user_id, created_at, refreshed_at)
      select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, now() - interval '60 days',
        case n when 1 then now() when 2 then now() when 3 then (now() at time zone 'utc')::date::timestamp at time zone 'utc' - interval '1 hour'
          when 4 then now() - interval '5 days' when 5 then now() - interval '20 days' end
      from generate_series(1, 6) n;
    insert into sessions (user_id, created_at)
      values ('00000000-0000-4000-8000-000000000001', (now() at time zone 'utc')::date::timestamp at time zone 'utc' - interval '2 hours')`);
  const read = async () => {
    const { rows } = await admin.query(
      "select (now() at time zone 'utc')::date - day as ago, method, count::int from stats_daily where name = 'active' order by 1, 2",
    );
    return rows;
  };
  await Promise.all([countActiveUsers(db), countActiveUsers(db)]);
  const expected = [
    { ago: 0, method: 'day', count: 2 },
    { ago: 0, method: 'month', count: 5 },
    { ago: 0, method: 'week', count: 4 },
    { ago: 1, method: 'day', count: 2 },
  ];
  t.same(await read(), expected);
  await admin.query('delete from sessions');
  await countActiveUsers(db);
  t.same(await read(), expected, 'not again within the hour');
  await admin.query("delete from stats_daily where name = 'scan'");
  await countActiveUsers(db);
  t.same(await read(), expected, 'who was active that day stays counted');

  const count = { day: '2026-01-01', name: 'refresh', method: '', result: 'ok', count: 3 };
  const other = { ...count, name: 'sign_up' };
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => addDayCounts(db, n % 2 === 0 ? [count, other] : [other, count])),
  );
  const { rows } = await admin.query("select name, count::int from stats_daily where day = '2026-01-01' order by 1");
  t.same(rows, [
    { name: 'refresh', count: 60 },
    { name: 'sign_up', count: 60 },
  ]);
});
