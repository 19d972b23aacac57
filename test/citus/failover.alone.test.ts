/** REL-01 on a cluster: the standby of a worker takes over the worker's address. */
import { changePort, promote, withClient } from '../support/citus/cluster.js';
import { readShardMap } from '../support/citus/distributed.js';
import { openSessions, refresh, underLoad } from '../support/citus/refresh-load.js';
import { CITUS_SETTINGS, openOwnCluster } from '../support/citus/server.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { startSwitchingProxy } from '../support/switching-proxy.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

/** As REL-01 allows after one primary has failed. */
const RECOVERY_MS = 3000;

void t.test('Citus: a standby that is promoted behind the address of its worker', async (t) => {
  const own = await openOwnCluster(t);
  if (own === undefined) return;
  const { cluster, citusUrl } = own;
  const worker = cluster.workers[0]!;
  const proxy = await startSwitchingProxy(t, worker.url);
  const proxyPort = Number(new URL(proxy.url).port);
  await changePort([cluster.coordinator.url, citusUrl], worker.port, proxyPort);
  const standby = await cluster.addStandby(worker);
  await withClient(worker.url, async (client) => {
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query('select pg_reload_conf()');
    await until(
      async () => (await client.query("select from pg_stat_replication where sync_state = 'sync'")).rowCount === 1,
    );
  });

  const server = await openTestServer(t, CITUS_SETTINGS, () => citusUrl);
  const sessions = await openSessions(server, 32);
  const map = await readShardMap(citusUrl);
  const isThere = ({ id }: { id: string }): boolean => !map.find(id).node.endsWith(`:${proxyPort}`);
  const [away, there] = [sessions.filter((session) => !isThere(session)), sessions.filter(isThere)];
  t.ok(away.length > 0 && there.length > 0, 'both workers have sessions');

  let promotedMs = 0;
  const rate = await underLoad(server, sessions, async () => {
    await until(() => sessions.every(({ answers }) => answers.length > 20));
    await worker.crash();
    await until(() => away.every(({ answers }) => answers.at(-1)!.status === 503));
    await promote(standby);
    proxy.pointTo(standby.url);
    promotedMs = performance.now();
    await until(() => away.every(({ answers }) => answers.at(-1)!.status === 200));
  });
  const tookMs =
    Math.max(...away.map(({ answers }) => answers.findLast(({ status }) => status === 503)!.atMs)) - promotedMs;
  t.comment(`${rate.toFixed(0)} refreshes a second; the last refusal ${tookMs.toFixed(0)} ms after the promotion`);
  t.ok(tookMs < RECOVERY_MS, `served again after ${tookMs.toFixed(0)} ms`);
  const statuses = (of: typeof sessions) => [
    ...new Set(of.flatMap(({ answers }) => answers.map(({ status }) => status))),
  ];
  t.strictSame(statuses(there), [200], 'sessions of the other worker notice nothing');
  t.strictSame(statuses(away).sort(), [200, 503]);
  for (const session of sessions) {
    t.equal((await refresh(server, session)).status, 200, 'the last token that was acknowledged goes on');
    t.equal((await server.call('GET', '/user', { bearer: session.accessToken })).status, 200);
  }
  t.equal((await server.post('/token?grant_type=password', { email: away[0]!.email, password })).status, 200);
  t.equal((await server.post('/signup', { email: freshEmail(), password })).status, 200, 'the copies are written, too');
  t.equal((await server.call('POST', '/logout', { bearer: away[0]!.accessToken })).status, 204);
});
