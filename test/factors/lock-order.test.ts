import { adminToken } from '../support/admin.js';
import { codeOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const ROUNDS = 6;

async function openAccount(server: TestServer) {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const signIn = async () => (await server.post('/token?grant_type=password', { email, password })).body as Session;
  return { session, signIn };
}

/** Statements that wait for each other are repeated, but only after Postgres has looked for a deadlock for a second. */
async function countDeadlocks({ database }: TestServer): Promise<number> {
  await database.admin.query('select pg_stat_clear_snapshot()');
  const { rows } = await database.admin.query(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  return rows[0].deadlocks;
}

const races: Readonly<Record<string, (server: TestServer) => Promise<readonly { status: number }[]>>> = {
  'right answers of one challenge': async (server) => {
    const { session } = await openAccount(server);
    const bearer = session.access_token;
    const { id, secret } = await enrolTotp(server, session);
    const challenge = await server.call('POST', `/factors/${id}/challenge`, { bearer });
    const body = { challenge_id: challenge.body.id, code: codeOf(secret) };
    return Promise.all(
      Array.from({ length: 10 }, () => server.call('POST', `/factors/${id}/verify`, { bearer, body })),
    );
  },
  'first verifications of two factors': async (server) => {
    const { session, signIn } = await openAccount(server);
    const sessions = [session, await signIn()];
    const factors = await Promise.all(sessions.map((one, n) => enrolTotp(server, one, { friendly_name: `app ${n}` })));
    return Promise.all(
      factors.map(({ id, secret }, n) => verifyWith(server, sessions[n]!, id, openApp(secret).nextCode())),
    );
  },
  'challenges, a verification and a removal': async (server) => {
    const { session } = await openAccount(server);
    const bearer = session.access_token;
    const { id, secret } = await enrolTotp(server, session);
    return Promise.all([
      verifyWith(server, session, id, codeOf(secret)),
      ...Array.from({ length: 4 }, () => server.call('POST', `/factors/${id}/challenge`, { bearer })),
      server.call('DELETE', `/factors/${id}`, { bearer }),
    ]);
  },
  'changes by an administrator and a removal': async (server) => {
    const { session } = await openAccount(server);
    const { id } = await enrolTotp(server, session);
    const path = `/admin/users/${session.user.id}/factors/${id}`;
    return Promise.all([
      ...Array.from({ length: 4 }, (_, n) =>
        server.call('PUT', path, { bearer: adminToken(), body: { friendly_name: `name ${n}` } }),
      ),
      server.call('DELETE', `/factors/${id}`, { bearer: session.access_token }),
    ]);
  },
};

for (const [name, race] of Object.entries(races)) {
  t.test(`no statement waits for another in a circle: ${name}`, async (t) => {
    const server = await openTestServer(t, { DB_MAX_POOL_SIZE: '12' });
    for (let round = 0; round < ROUNDS; round++) {
      const statuses = (await race(server)).map(({ status }) => status);
      t.ok(
        statuses.every((status) => status < 500),
        String(statuses),
      );
    }
    t.equal(await countDeadlocks(server), 0);
  });
}
