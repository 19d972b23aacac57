import { distributeTables } from '../../src/db/citus/distribute.js';
import { migrate } from '../../src/db/migrate.js';
import { withClient } from '../support/citus/cluster.js';
import { CITUS_SETTINGS, createEmptyDatabase } from '../support/citus/server.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

void t.test('Citus: servers work before, during and after the distribution', async (t) => {
  const url = await createEmptyDatabase(t);
  if (url === undefined) return;
  await migrate({ url, prefix: '' });
  const query = (sql: string) => withClient(url, (client) => client.query(sql));
  await query("update event_log set types = '{*}'; alter table sessions enable trigger sessions_record_events");
  const settings = { ...CITUS_SETTINGS, DB_ACQUIRE_TIMEOUT: '20s' };
  const servers = [await openTestServer(t, settings, () => url), await openTestServer(t, settings, () => url)];

  const statuses = new Set<number>();
  let [rounds, isOver] = [0, false];
  // Enough of them that some wait for the moment in which the shards take over.
  const loops = [...servers, ...servers, ...servers].map(async ({ call, post }) => {
    while (!isOver) {
      const email = freshEmail();
      const opened = await post('/signup', { email, password });
      const refreshed = await post('/token?grant_type=refresh_token', { refresh_token: opened.body.refresh_token });
      const again = await post('/token?grant_type=password', { email, password });
      const read = await call('GET', '/user', { bearer: refreshed.body.access_token });
      const ended = await call('POST', '/logout?scope=local', { bearer: refreshed.body.access_token });
      for (const { status } of [opened, refreshed, again, read]) statuses.add(status);
      if (ended.status !== 204) statuses.add(ended.status);
      rounds += 1;
    }
  });
  await until(() => rounds > 5);
  t.strictSame([...statuses], [200], 'before');
  try {
    await distributeTables({ url, prefix: '', onStep: () => undefined });
    const distributed = rounds;
    await until(() => rounds > distributed + 20);
  } finally {
    isOver = true;
    await Promise.all(loops);
  }
  t.strictSame([...statuses], [200], 'no request has failed');
  const { rows } = await query(
    `select (select count(*)::int from sessions) as sessions,
      (select count(*)::int from events where type = 'session.created') as created,
      (select count(*)::int from events where type = 'session.revoked') as revoked`,
  );
  const wanted = { sessions: rounds, created: 2 * rounds, revoked: rounds };
  t.strictSame(rows, [wanted], 'each session is there or has ended, with its events');
});
