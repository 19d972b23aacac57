/** Addresses of workers as Patroni leaves them: nothing behind a proxy, a machine that is silent, a standby where the primary was. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { changePort, promote, withClient } from '../support/citus/cluster.js';
import { readShardMap } from '../support/citus/distributed.js';
import { openSessions, refresh } from '../support/citus/refresh-load.js';
import { CITUS_SETTINGS, openOwnCluster } from '../support/citus/server.js';
import { withDatabase } from '../support/postgres.js';
import { openTestServer, password } from '../support/server.js';
import { startSwitchingProxy } from '../support/switching-proxy.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

/** More than chance would open on the other worker alone. */
const SIGN_INS = 12;

void t.test('Citus: what is at the address of a worker while another server takes over', async (t) => {
  const own = await openOwnCluster(t);
  if (own === undefined) return;
  const { cluster, citusUrl } = own;
  const worker = cluster.workers[0]!;
  const proxy = await startSwitchingProxy(t, worker.url);
  const proxyPort = Number(new URL(proxy.url).port);
  const move = (from: number, to: number) => changePort([cluster.coordinator.url, citusUrl], from, to);
  await move(worker.port, proxyPort);
  const server = await openTestServer(
    t,
    { ...CITUS_SETTINGS, DB_ACQUIRE_TIMEOUT: '2s', SESSIONS_CHECK_ACCESS_TOKEN: 'true' },
    () => citusUrl,
  );
  const sessions = await openSessions(server, 16);
  const map = await readShardMap(citusUrl);
  const away = sessions.filter(({ id }) => map.find(id).node.endsWith(`:${proxyPort}`));
  t.ok(away.length > 2 && away.length < sessions.length, 'both workers have sessions');

  const signInsGoOn = async (t: Test): Promise<void> => {
    for (const { email } of sessions.slice(0, SIGN_INS)) {
      t.equal((await server.post('/token?grant_type=password', { email, password })).status, 200);
    }
  };
  const allAreServed = async (t: Test): Promise<void> => {
    for (const session of sessions) {
      t.equal((await refresh(server, session)).status, 200);
      t.equal((await server.call('GET', '/user', { bearer: session.accessToken })).status, 200);
    }
  };

  await t.test('a proxy that accepts connections and closes them: new sessions begin elsewhere', async (t) => {
    await worker.crash();
    await until(async () => (await refresh(server, away[0]!)).status === 503);
    t.equal((await refresh(server, away[0]!)).status, 503);
    await signInsGoOn(t);
    await worker.start();
    await until(async () => (await refresh(server, away[0]!)).status === 200);
    await allAreServed(t);
  });

  await t.test('no answer to a connection: new sessions begin elsewhere', async (t) => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    t.teardown(() => silent.close());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    await withClient(citusUrl, (client) => client.query('delete from avoided_nodes'));
    proxy.pointTo(`postgres://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    await worker.crash();
    const isAvoided = () =>
      withClient(citusUrl, async (client) => {
        return (await client.query('select from avoided_nodes where until > now()')).rowCount === 1;
      });
    await until(async () => (await refresh(server, away[0]!)).status === 503 && (await isAvoided()));
    for (const session of sessions.filter((one) => !away.includes(one))) {
      t.equal((await refresh(server, session)).status, 200, 'sessions of the other worker notice nothing');
    }
    await worker.start();
    proxy.pointTo(worker.url);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await refresh(server, away[0]!)).status === 200);
    await allAreServed(t);
  });

  await t.test('a standby where the primary was: the successor is asked at once, also for what is read', async (t) => {
    await move(proxyPort, worker.port);
    await until(async () => (await refresh(server, away[0]!)).status === 200);
    const successor = await cluster.addStandby(worker);
    await withClient(worker.url, async (client) => {
      await client.query(`alter system set primary_conninfo = 'host=127.0.0.1 port=${successor.port} user=postgres'`);
      const { rows } = await client.query('show data_directory');
      await client.query(`copy (select where false) to '${rows[0].data_directory}/standby.signal'`);
    });
    await worker.stop();
    await promote(successor);
    await move(worker.port, successor.port);
    await worker.start();
    await withClient(worker.url, (client) => client.query('select pg_wal_replay_pause()'));
    const [ended, ...others] = away;
    await withClient(citusUrl, (client) => client.query('delete from sessions where id = $1', [ended!.id]));
    const stale = await withClient(withDatabase(worker.url, new URL(citusUrl).pathname.slice(1)), (client) =>
      client.query(`select from sessions_${map.find(ended!.id).id} where id = $1`, [ended!.id]),
    );
    t.equal(stale.rowCount, 1, 'the old primary does not know yet');
    t.equal((await server.call('GET', '/user', { bearer: ended!.accessToken })).status, 403);
    for (const session of others) {
      t.equal((await server.call('GET', '/user', { bearer: session.accessToken })).status, 200);
      t.equal((await refresh(server, session)).status, 200);
    }
    await signInsGoOn(t);
  });
});
