import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { openDatabase } from '../../src/db/pool.js';
import { loadConfig } from '../../src/server/config/load.js';
import { keepHouse } from '../../src/server/housekeeping.js';
import { createTestDatabase } from '../support/database.js';
import { keepLog } from '../support/quiet-log.js';
import { testEnvironment } from '../support/server.js';

async function openHouse(t: Test, settings: Record<string, string>) {
  const { url, admin } = await createTestDatabase(t);
  const log = keepLog();
  const db = openDatabase({ url, maxConnections: 2, prefix: '', preparedStatements: true, log });
  t.teardown(() => db.close());
  await admin.query(`
    insert into flow_states (id, authentication_method, created_at)
    select gen_random_uuid(), 'oauth', now() - make_interval(days => d) from generate_series(0, 1200) d;
    insert into users (id, aud) values ('00000000-0000-0000-0000-000000000001', 'authenticated');
    insert into sessions (user_id, revoked_at) values
      ('00000000-0000-0000-0000-000000000001', null), ('00000000-0000-0000-0000-000000000001', now() - interval '3 days');
    insert into one_time_tokens (kind, recipient, sign_up, created_at) values
      ('sign_up', 'old@example.com', '{}', now() - interval '9 days'), ('sign_up', 'new@example.com', '{}', now())`);
  const { config } = loadConfig({ environment: testEnvironment(url, settings) });
  const house = keepHouse({ config, db, log, everyMs: 20 });
  t.teardown(() => house.close());
  const counts = async () =>
    (
      await admin.query(
        `select (select count(*)::int from flow_states) as flows, (select count(*)::int from sessions) as sessions,
          (select count(*)::int from one_time_tokens) as tokens, (select count(*)::int from users) as users`,
      )
    ).rows[0];
  const settled = async () => {
    for (let tries = 0; tries < 200 && (await counts()).flows > 3; tries++) await pause(20);
    await pause(100);
    return counts();
  };
  return { settled, admin, log, house };
}

t.test('with clean-up, what has ended goes, and what has not stays', async (t) => {
  const { settled } = await openHouse(t, { DB_CLEANUP_ENABLED: 'true' });
  const { flows, ...others } = await settled();
  t.ok(flows >= 1 && flows <= 3, 'flows of today and yesterday stay');
  t.same(others, { sessions: 1, tokens: 1, users: 1 });
});

t.test('without, only what strangers can leave behind goes', async (t) => {
  const { settled } = await openHouse(t, {});
  const { flows, ...others } = await settled();
  t.ok(flows >= 1 && flows <= 3);
  t.same(others, { sessions: 2, tokens: 2, users: 1 });
});

t.test('a round that fails is told, and the next one works', async (t) => {
  const { settled, admin, log } = await openHouse(t, {});
  await admin.query('alter table flow_states rename to elsewhere');
  const warnings = () => log.lines.filter((line) => line.startsWith('["warn"'));
  for (let tries = 0; tries < 100 && warnings().length === 0; tries++) await pause(20);
  t.match(warnings()[0], /could not be deleted/);
  await admin.query('alter table elsewhere rename to flow_states');
  t.ok((await settled()).flows <= 3);
});
