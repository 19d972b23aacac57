import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { openDatabase } from '../../src/db/pool.js';
import { MAX_WAITING_FLOWS } from '../../src/db/prune.js';
import { requireSchema } from '../../src/db/schema-gate.js';
import { loadConfig } from '../../src/server/config/load.js';
import { startHousekeeping } from '../../src/server/runtime/housekeeping.js';
import { createTestDatabase } from '../support/database.js';
import { keepLog } from '../support/quiet-log.js';
import { testEnvironment } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

async function openHousekeeping(t: Test, settings: Record<string, string>, everyMs = 20) {
  const { url, admin } = await createTestDatabase(t);
  const log = keepLog();
  const db = openDatabase({ url, maxConnections: 2, prefix: '', preparedStatements: true, log });
  t.teardown(() => db.close());
  /** Rounds, by a table of which each has one batch. */
  let rounds = 0;
  const counting: typeof db = {
    ...db,
    run: (name, values) => {
      if (name === 'prune.stats_daily') rounds += 1;
      return db.run(name, values);
    },
  };
  await admin.query(`
    insert into flow_states (id, authentication_method, created_at)
    select gen_random_uuid(), 'oauth', now() - make_interval(days => d) from generate_series(0, 1200) d;
    insert into users (id, aud) values ('00000000-0000-0000-0000-000000000001', 'authenticated');
    insert into sessions (user_id, revoked_at) values
      ('00000000-0000-0000-0000-000000000001', null), ('00000000-0000-0000-0000-000000000001', now() - interval '3 days');
    insert into one_time_tokens (kind, recipient, sign_up, created_at) values
      ('sign_up', 'old@example.com', '{}', now() - interval '9 days'), ('sign_up', 'new@example.com', '{}', now())`);
  const { config } = loadConfig({ environment: testEnvironment(url, settings) });
  const housekeeping = startHousekeeping({ config, db: counting, log, everyMs });
  t.teardown(() => housekeeping.close());
  const counts = async () =>
    (
      await admin.query(
        `select (select count(*)::int from flow_states) as flows, (select count(*)::int from sessions) as sessions,
          (select count(*)::int from one_time_tokens) as tokens, (select count(*)::int from users) as users`,
      )
    ).rows[0];
  const settled = async () => {
    // So that the less frequent work is done too, and that round has ended.
    const enough = rounds + 12;
    await until(() => rounds >= enough);
    return counts();
  };
  return { settled, admin, log, housekeeping };
}

t.test('with clean-up, expired rows are deleted and others stay', async (t) => {
  const { settled } = await openHousekeeping(t, { DB_CLEANUP_ENABLED: 'true' });
  const { flows, ...others } = await settled();
  t.ok(flows >= 1 && flows <= 3, 'flows of today and yesterday stay');
  t.same(others, { sessions: 1, tokens: 1, users: 1 });
});

t.test('traces of providers go after a day, imports after a week, with clean-up or without', async (t) => {
  const { admin, settled } = await openHousekeeping(t, {});
  await admin.query(`
    insert into provider_traces (id, provider, is_dry, operator_name, created_at, expires_at)
    select gen_random_uuid(), 'github', true, 'ada', now() - make_interval(hours => h), now()
    from unnest(array[1, 23, 25, 400]) h`);
  await admin.query(`
    insert into import_runs (operator_id, operator_name, file_name, file_bytes, fingerprint, layout, is_dry, place, counts, created_at)
    select gen_random_uuid(), 'ada', 'a.csv', 1, '', '{}', true, '{}', '{}', now() - make_interval(hours => h)
    from unnest(array[1, 167, 169, 400]) h`);
  await settled();
  t.equal((await admin.query('select from provider_traces')).rowCount, 2);
  t.equal((await admin.query('select from import_runs')).rowCount, 2);
});

t.test(
  'REL-28: without clean-up, rows that unauthenticated clients create are deleted, expired codes included',
  async (t) => {
    const { settled } = await openHousekeeping(t, {});
    const { flows, ...others } = await settled();
    t.ok(flows >= 1 && flows <= 3);
    t.same(others, { sessions: 2, tokens: 1, users: 1 });
  },
);

/** Flows that began at a provider, with their age in minutes. */
const insertFlows = (admin: pg.Client, count: number, minutes: number, more = 'null, null') =>
  admin.query(
    `insert into flow_states (authentication_method, provider, created_at, used_at, auth_code_hash)
     select 'oauth', 'google', now() - make_interval(mins => $2) + n * interval '1 microsecond', ${more}
     from generate_series(1, $1::int) n`,
    [count, minutes],
  );

t.test('SEC-88: an abandoned flow is deleted after 15 minutes', async (t) => {
  const { settled, admin } = await openHousekeeping(t, {});
  await insertFlows(admin, 3, 14);
  await insertFlows(admin, 700, 16);
  await insertFlows(admin, 2, 16, 'now(), null');
  await insertFlows(admin, 5, 16, "now(), 'code ' || n");
  await settled();
  const { rows } = await admin.query(
    "select count(*)::int as n, count(auth_code_hash)::int as codes from flow_states where provider <> ''",
  );
  t.same(rows, [{ n: 8, codes: 5 }], 'an auth code that is out has a time of its own');
});

t.test('SEC-88: the newest 50,000 pending flows stay, at any rate', async (t) => {
  const { admin, housekeeping } = await openHousekeeping(t, {}, 3_600_000);
  await insertFlows(admin, 2000, 2);
  await insertFlows(admin, MAX_WAITING_FLOWS, 1);
  const waiting = async () => {
    const { rows } = await admin.query(
      "select count(*)::int as n, extract(epoch from now() - min(created_at)) < 90 as are_new from flow_states where provider <> ''",
    );
    return rows[0];
  };
  for (let n = 0; n < 999; n++) housekeeping.recordFlow();
  await pause(300);
  t.equal((await waiting()).n, MAX_WAITING_FLOWS + 2000, 'not looked at with every flow');
  housekeeping.recordFlow();
  await until(async () => (await waiting()).n <= MAX_WAITING_FLOWS);
  t.same(await waiting(), { n: MAX_WAITING_FLOWS, are_new: true });
});

t.test('a failed round is logged, and the next one works', async (t) => {
  const { settled, admin, log } = await openHousekeeping(t, {});
  await admin.query('alter table flow_states rename to elsewhere');
  const warnings = () => log.lines.filter((line) => line.startsWith('["warn"'));
  await until(() => warnings().length > 0);
  t.match(warnings()[0], /could not be deleted/);
  await admin.query('alter table elsewhere rename to flow_states');
  t.ok((await settled()).flows <= 3);
});

t.test('REL-30: a round before the schema exists deletes nothing and warns of nothing', async (t) => {
  const { url } = await createTestDatabase(t, { isEmpty: true });
  const log = keepLog();
  const db = openDatabase({ url, maxConnections: 1, prefix: '', preparedStatements: true, log });
  t.teardown(() => db.close());
  const { config } = loadConfig({ environment: testEnvironment(url, { DB_CLEANUP_ENABLED: 'true' }) });
  let statements = 0;
  const counted = { ...requireSchema(db, 1) };
  const housekeeping = startHousekeeping({
    config,
    db: {
      ...counted,
      run: (name, values) => {
        statements += 1;
        return counted.run(name, values);
      },
    },
    log,
    everyMs: 5,
  });
  t.teardown(() => housekeeping.close());
  await until(() => statements >= 20);
  t.same(log.lines, []);
});
