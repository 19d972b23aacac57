import { readShardMap } from '../support/citus/distributed.js';
import { openSessions, rateBetween, refresh, underLoad } from '../support/citus/refresh-load.js';
import { CITUS_SETTINGS, openOwnCluster } from '../support/citus/server.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

void t.test(
  'Citus: while a worker is down, sessions of the others work, and nothing acknowledged is lost',
  async (t) => {
    const own = await openOwnCluster(t);
    if (own === undefined) return;
    const { cluster, citusUrl } = own;
    const server = await openTestServer(t, CITUS_SETTINGS, () => citusUrl);

    const sessions = await openSessions(server, 32);
    const map = await readShardMap(citusUrl);
    const down = cluster.workers[0]!;
    const isDown = ({ id }: { id: string }): boolean => map.find(id).node.endsWith(`:${down.port}`);
    const [away, there] = [sessions.filter(isDown), sessions.filter((session) => !isDown(session))];
    t.ok(away.length > 0 && there.length > 0, 'both workers have sessions');

    let [startedMs, killedMs, crashedMs] = [0, 0, 0];
    await underLoad(server, sessions, async () => {
      await until(() => sessions.every(({ answers }) => answers.length > 3));
      startedMs = performance.now();
      await until(() => sessions.every(({ answers }) => answers.length > 30));
      killedMs = performance.now();
      await down.crash();
      crashedMs = performance.now();
      await until(() => away.every(({ answers }) => answers.filter(({ status }) => status === 503).length > 1));
      await until(() => there.every(({ answers }) => answers.filter(({ atMs }) => atMs > crashedMs).length > 30));
    });
    const [before, meanwhile] = [
      rateBetween(sessions, startedMs, killedMs),
      rateBetween(there, crashedMs, performance.now()),
    ];
    t.comment(`${before.toFixed(0)} refreshes a second, ${meanwhile.toFixed(0)} of the other worker after the end`);
    t.strictSame(
      [...new Set(there.flatMap(({ answers }) => answers.map(({ status }) => status)))],
      [200],
      'sessions of the other worker notice nothing',
    );
    t.strictSame([...new Set(away.flatMap(({ answers }) => answers.map(({ status }) => status)))].sort(), [200, 503]);
    const refused = await refresh(server, away[0]!);
    t.equal(refused.status, 503);
    t.ok(Number(refused.headers.get('retry-after')) > 0, 'with Retry-After');

    await t.test('anybody signs in, with a session on a node that is there', async (t) => {
      for (const { email } of sessions.slice(0, 6)) {
        const { status, body } = await server.post('/token?grant_type=password', { email, password });
        t.equal(status, 200);
        const again = await server.post('/token?grant_type=refresh_token', { refresh_token: body.refresh_token });
        t.equal(again.status, 200);
      }
    });

    await down.start();
    await t.test('it comes back: the last token that was acknowledged goes on', async (t) => {
      for (const session of sessions) {
        await until(async () => (await refresh(server, session)).status !== 503);
        t.equal(session.answers.at(-1)!.status, 200);
        t.equal((await server.call('GET', '/user', { bearer: session.accessToken })).status, 200);
      }
    });
    await t.test('the times of sign-ins reach the copies', async (t) => {
      const session = sessions[0]!;
      const signedIn = await server.post('/token?grant_type=password', { email: session.email, password });
      const wanted = signedIn.body.user.last_sign_in_at;
      await until(
        async () =>
          (await server.call('GET', '/user', { bearer: session.accessToken })).body.last_sign_in_at === wanted,
      );
      t.pass('GET /user says so');
    });

    await t.test('without the coordinator: refreshes go on, sign-ins wait', async (t) => {
      await cluster.coordinator.crash();
      for (const session of sessions) t.equal((await refresh(server, session)).status, 200);
      const { status } = await server.post('/token?grant_type=password', { email: sessions[0]!.email, password });
      t.equal(status, 503);
      await cluster.coordinator.start();
      await until(async () => (await server.call('GET', '/health/ready')).status === 200);
      t.equal((await server.post('/token?grant_type=password', { email: sessions[0]!.email, password })).status, 200);
    });
  },
);
