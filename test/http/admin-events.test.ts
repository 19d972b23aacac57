import { setTimeout as pause } from 'node:timers/promises';
import { asAdmin } from '../support/admin.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const recorded = { WEBHOOKS_EVENTS: 'user.*' };

/** The longest that a request may wait for an event; docs/events.md. */
const MOST_SECONDS = 30;

t.test('events are fetched by cursor, and a request waits for the next', async (t) => {
  const server = await openTestServer(t, recorded);
  const admin = asAdmin(server);
  t.match(await admin('GET', '/admin/events'), { status: 200, body: { events: [], next_cursor: '0' } });
  const signUp = () => server.post('/signup', { email: freshEmail(), password });
  const first = await signUp();
  const waited = await admin('GET', '/admin/events?after=0&wait=5');
  t.match(waited.body.events, [{ type: 'user.created', data: { user_id: first.body.user.id }, id: String }]);

  const cursor = waited.body.next_cursor;
  const begunMs = Date.now();
  const empty = await admin('GET', `/admin/events?after=${cursor}&wait=1`);
  t.same(empty.body, { events: [], next_cursor: cursor }, 'nothing came');
  t.ok(Date.now() - begunMs >= 400, 'it waited');

  const waiting = admin('GET', `/admin/events?after=${cursor}&wait=9`);
  await pause(100);
  const second = await signUp();
  t.match((await waiting).body.events, [{ type: 'user.created', data: { user_id: second.body.user.id } }]);
});

t.test('a cursor skips nothing that is committed late', async (t) => {
  const server = await openTestServer(t, recorded);
  const admin = asAdmin(server);
  const { admin: late } = server.database;
  await until(async () => (await late.query("select 1 from event_log where types @> '{user.*}'")).rowCount === 1);
  const id = '00000000-0000-4000-8000-000000000009';
  await late.query('begin');
  await late.query("insert into users (id, aud) values ($1, 'authenticated')", [id]);
  t.equal((await server.post('/signup', { email: freshEmail(), password })).status, 200);
  const early = await admin('GET', '/admin/events?wait=5');
  t.equal(early.body.events.length, 1);
  await late.query('commit');
  const rest = await admin('GET', `/admin/events?after=${early.body.next_cursor}&wait=9`);
  t.match(rest.body.events, [{ type: 'user.created', data: { user_id: id } }]);
});

t.test('a cursor that is wrong or too old is refused', async (t) => {
  const server = await openTestServer(t, recorded);
  const admin = asAdmin(server);
  for (const query of ['after=x', 'after=-1', 'after=99', 'after=99&wait=9', 'limit=0', 'limit=1001', 'wait=soon']) {
    t.match(
      await admin('GET', `/admin/events?${query}`),
      { status: 400, body: { error_code: 'validation_failed' } },
      query,
    );
  }
  await server.database.admin.query('update event_log set last_position = 50, pruned_position = 40');
  t.match(await admin('GET', '/admin/events?after=12'), { status: 400, body: { msg: /too old/ } });
  t.match(await admin('GET', '/admin/events'), { status: 200, body: { next_cursor: '40' } });
  t.equal((await server.call('GET', '/admin/events')).status, 401);
});

t.test('waiting requests look once and are woken, also by an event of another instance', async (t) => {
  const first = await openTestServer(t, recorded);
  const second = await openTestServer(t, { ...recorded, DB_DATABASE_URL: first.database.url });
  const admin = asAdmin(first);
  const { next_cursor: cursor } = (await admin('GET', '/admin/events')).body;
  const channel = 'latchkey_events';
  const { admin: sql } = first.database;
  const listeners = async () =>
    (
      await sql.query(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and query = 'listen \"' || $1 || '\"'",
        [channel],
      )
    ).rows[0].n;
  const askedMs = performance.now();
  const waiting = Array.from({ length: 20 }, () => admin('GET', `/admin/events?after=${cursor}&wait=${MOST_SECONDS}`));
  await until(async () => (await listeners()) === 1);
  const reads = async () => {
    const { rows } = await sql.query(
      "select coalesce(sum(seq_scan + idx_scan), 0)::int as n from pg_stat_user_tables where relname = 'event_log'",
    );
    return rows[0].n;
  };
  await pause(1500);
  const before = await reads();
  await pause(3000);
  // Two dispatchers look about once a second; twenty requests that looked twice a second would be 120.
  t.ok((await reads()) - before < 30, 'nobody looks while nothing happens');
  const { body } = await second.post('/signup', { email: freshEmail(), password });
  for (const answer of await Promise.all(waiting)) {
    t.match(answer, { status: 200, body: { events: [{ data: { user_id: body.user.id } }] } });
  }
  t.ok(performance.now() - askedMs < MOST_SECONDS * 1000, 'woken before the time is over');
});

t.test('more than 64 waiting requests are answered at once, and a stopping server answers all', async (t) => {
  const server = await openTestServer(t, recorded);
  const admin = asAdmin(server);
  let answered = 0;
  const askedMs = performance.now();
  const waiting = Array.from({ length: 70 }, async () => {
    const { status, body } = await admin('GET', `/admin/events?wait=${MOST_SECONDS}`);
    answered += 1;
    return { status, body };
  });
  await until(() => answered >= 6);
  await pause(300);
  t.equal(answered, 6, 'those beyond the bound');
  await server.server.stop(5);
  for (const answer of await Promise.all(waiting)) t.match(answer, { status: 200, body: { events: [] } });
  t.ok(performance.now() - askedMs < MOST_SECONDS * 1000, 'none waited to the end');
});
