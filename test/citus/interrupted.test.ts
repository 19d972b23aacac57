/** A distribution that ends in the middle is gone on with, and servers work meanwhile. */
import { distributeTables } from '../../src/db/citus/distribute.js';
import { migrate } from '../../src/db/migrate.js';
import { createCitusDatabase, withClient } from '../support/citus/cluster.js';
import { openSessions, refresh } from '../support/citus/refresh-load.js';
import { CITUS_SETTINGS, openOwnCluster } from '../support/citus/server.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

/** Enough that Citus splits them for some seconds. */
const SESSIONS = 20_000;

void t.test('Citus: a distribution that was interrupted while Citus split the sessions', async (t) => {
  const own = await openOwnCluster(t);
  if (own === undefined) return;
  const { coordinator } = own.cluster;
  const url = await createCitusDatabase(coordinator.url, 'interrupted');
  await migrate({ url, prefix: '' });
  const query = (sql: string) => withClient(url, async (client) => (await client.query(sql)).rows);
  await query(
    `insert into users (id, aud, role, email, password_hash)
     select gen_random_uuid(), 'authenticated', 'authenticated', n || '@many.example', 'x' from generate_series(1, ${SESSIONS}) n`,
  );
  await query('insert into sessions (user_id) select id from users');
  const distribute = () => distributeTables({ url, prefix: '', onStep: () => undefined });
  const layoutOf = async () =>
    (await query("select partmethod from pg_dist_partition where logicalrelid = 'sessions'::regclass"))[0]?.partmethod;

  const interrupted = distribute().then(
    () => 'done',
    () => 'failed',
  );
  await until(async () => (await layoutOf()) !== undefined);
  await coordinator.crash();
  t.equal(await interrupted, 'failed');
  await coordinator.start();
  t.equal(await layoutOf(), 'n', 'Citus has the sessions, in one piece');

  const server = await openTestServer(t, CITUS_SETTINGS, () => url);
  const sessions = await openSessions(server, 3);
  await distribute();
  t.equal(await layoutOf(), 'h', 'they are distributed');
  for (const session of sessions) t.equal((await refresh(server, session)).status, 200);
  const [counted] = await query('select count(*)::int as sessions from sessions');
  t.equal(counted.sessions, SESSIONS + sessions.length, 'none is lost');
});
