/** A log-out is of one node; its event and its audit entry reach the coordinator afterwards, each once. */
import { withClient } from '../support/citus/cluster.js';
import { readShardMap } from '../support/citus/distributed.js';
import { type LoadedSession, openSessions, refresh } from '../support/citus/refresh-load.js';
import { CITUS_SETTINGS, openOwnCluster } from '../support/citus/server.js';
import { openTestServer, type TestServer } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

void t.test('Citus: a log-out is of one node, and what it leaves for the coordinator is not lost', async (t) => {
  const own = await openOwnCluster(t);
  if (own === undefined) return;
  const { cluster, citusUrl } = own;
  const query = (sql: string, values: unknown[] = []) =>
    withClient(citusUrl, async (client) => (await client.query(sql, values)).rows);
  await query("update event_log set types = '{*}'");
  const open = (t: Test) => openTestServer(t, CITUS_SETTINGS, () => citusUrl);
  const sessions: LoadedSession[] = [];
  await t.test('sessions', async (t) => {
    sessions.push(...(await openSessions(await open(t), 14)));
    t.equal(sessions.length, 14);
  });
  const logOut = (server: TestServer, session: LoadedSession) =>
    server.call('POST', '/logout?scope=local', { bearer: session.accessToken });

  /** Until the server, the only one, knows where sessions are: it asks their nodes. */
  const reachNodes = (server: TestServer, { accessToken }: LoadedSession) =>
    until(async () => {
      await server.call('GET', '/user', { bearer: accessToken });
      const [row] = await query(
        `select bool_or(result::int > 0) as is_known from run_command_on_workers($$select count(*) from pg_stat_activity
         where application_name = 'latchkey' and datname = current_database()$$)`,
      );
      return row.is_known;
    });

  /** Log-outs by a server that is gone before the coordinator is back. */
  const leaveRecords = async (t: Test, ...some: readonly LoadedSession[]) => {
    await t.test('with records that wait', async (t) => {
      const server = await open(t);
      await reachNodes(server, some[0]!);
      await cluster.coordinator.crash();
      for (const session of some) t.equal((await logOut(server, session)).status, 204);
    });
    await cluster.coordinator.start();
  };

  /** How often each is there, of a session: events by type, and entries of the audit log. */
  const written = async ({ id, email }: LoadedSession) => {
    const [row] = await query(
      `select (select count(*)::int from events where type = 'session.revoked' and data ->> 'session_id' = $1) as revoked,
        (select count(*)::int from events where type = 'session.reuse_detected' and data ->> 'session_id' = $1) as reused,
        (select count(*)::int from audit_log where payload ->> 'action' = 'logout' and payload ->> 'actor_username' = $2) as audit,
        (select count(*)::int from session_records where session_id::text = $1) as waiting`,
      [id, email],
    );
    return row as { revoked: number; reused: number; audit: number; waiting: number };
  };
  const arrives = async (t: Test, session: LoadedSession, wanted: object) => {
    await until(async () => {
      const { waiting, ...found } = await written(session);
      return waiting === 0 && Object.values(found).some((count) => count > 0);
    });
    t.match(await written(session), wanted);
  };
  const LOGGED_OUT = { revoked: 1, reused: 0, audit: 1, waiting: 0 };

  await t.test('the session ends at once, the rest arrives', async (t) => {
    const server = await open(t);
    const session = sessions[0]!;
    t.equal((await logOut(server, session)).status, 204);
    t.equal((await refresh(server, session)).status, 400);
    await arrives(t, session, LOGGED_OUT);
    const [event] = await query(
      "select data from events where type = 'session.revoked' and data ->> 'session_id' = $1",
      [session.id],
    );
    t.equal(event.data.actor.type, 'user', 'with the origin of the request');
    t.equal(typeof event.data.request_id, 'string');
    t.equal((await logOut(server, session)).status, 204, 'it has ended before');
    t.match(await written(session), { revoked: 1, audit: 2 }, 'which is an entry, and no event');
  });

  await t.test('many at once', async (t) => {
    const server = await open(t);
    const some = sessions.slice(1, 7);
    const answers = await Promise.all(some.map((session) => logOut(server, session)));
    t.strictSame([...new Set(answers.map(({ status }) => status))], [204]);
    for (const session of some) await arrives(t, session, LOGGED_OUT);
  });

  await t.test('without the coordinator: sessions end, and a used token ends its session', async (t) => {
    const server = await open(t);
    const [loggedOut, reused] = sessions.slice(7, 9) as [LoadedSession, LoadedSession];
    const { refreshToken: used } = reused;
    t.equal((await refresh(server, reused)).status, 200);
    t.equal((await refresh(server, reused)).status, 200);
    await reachNodes(server, loggedOut);
    await cluster.coordinator.crash();
    t.equal((await logOut(server, loggedOut)).status, 204);
    t.equal((await refresh(server, loggedOut)).status, 400);
    const again = await server.post('/token?grant_type=refresh_token', { refresh_token: used });
    t.equal(again.status, 400);
    await cluster.coordinator.start();
    await until(async () => (await server.call('GET', '/health/ready')).status === 200);
    for (const session of [loggedOut, reused]) t.equal((await refresh(server, session)).status, 400);
    await arrives(t, loggedOut, LOGGED_OUT);
    await arrives(t, reused, { revoked: 1, reused: 1, audit: 0, waiting: 0 });
  });

  await t.test('a server that is gone before the coordinator is back: the next one carries it', async (t) => {
    const session = sessions[9]!;
    await leaveRecords(t, session);
    t.match(await written(session), { revoked: 0, audit: 0, waiting: 1 });
    await open(t);
    await arrives(t, session, LOGGED_OUT);
  });

  await t.test('an account that is deleted before loses no event', async (t) => {
    const session = sessions[13]!;
    await leaveRecords(t, session);
    await query('delete from users where email = $1', [session.email]);
    await open(t);
    await arrives(t, session, LOGGED_OUT);
  });

  await t.test('one that cannot be written holds up no other', async (t) => {
    const [refused, other] = sessions.slice(10, 12) as [LoadedSession, LoadedSession];
    await query(
      `create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`,
    );
    await query(`create trigger refuse before insert on audit_log for each row
      when (new.payload ->> 'actor_username' = '${refused.email}') execute function refuse()`);
    await leaveRecords(t, refused, other);
    await open(t);
    await arrives(t, other, LOGGED_OUT);
    t.match(await written(refused), { revoked: 0, audit: 0, waiting: 1 });
    await query('drop trigger refuse on audit_log');
    await open(t);
    await arrives(t, refused, LOGGED_OUT);
  });

  await t.test('the same record twice is written once', async (t) => {
    const session = sessions[12]!;
    const other = await open(t);
    const { shards } = await readShardMap(citusUrl);
    t.ok(shards.every(({ records }) => records !== undefined));
    // As of a server that is interrupted before it removes the record from the node.
    const trigger =
      'create trigger keep before delete on %s for each row execute function suppress_redundant_updates_trigger()';
    const made = await query('select success from run_command_on_shards($1, $2)', ['session_records', trigger]);
    t.ok(made.every(({ success }) => success));
    t.equal((await logOut(other, session)).status, 204);
    await until(async () => (await written(session)).revoked > 0);
    const [brought] = await query(
      'select jsonb_agg(to_jsonb(r)) as again from session_records r where session_id = $1',
      [session.id],
    );
    await query('select take_session_records($1)', [JSON.stringify(brought.again)]);
    t.match(await written(session), { revoked: 1, audit: 1, waiting: 1 });
  });
});
