import pg from 'pg';
import { asAdmin } from '../support/admin.js';
import { untilBlocked } from '../support/lock-waits.js';
import { pickForm, sameInFull } from '../support/long-form.js';
import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const newPassword = 'another passphrase';

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

/** Actions that end sessions of an account, and the sessions that stay. */
const ends: [string, (server: TestServer, session: Session) => Promise<{ status: number }>][] = [
  [
    'a new password',
    ({ call }, { access_token: bearer }) => call('PUT', '/user', { bearer, body: { password: newPassword } }),
  ],
  [
    'a password set by an operator',
    (server, { user }) => asAdmin(server)('PUT', `/admin/users/${user.id}`, { password: newPassword }),
  ],
  ['a ban', (server, { user }) => asAdmin(server)('PUT', `/admin/users/${user.id}`, { ban_duration: '1h' })],
  ['a global logout', ({ call }, { access_token: bearer }) => call('POST', '/logout', { bearer })],
  ['a logout of the others', ({ call }, { access_token: bearer }) => call('POST', '/logout?scope=others', { bearer })],
];

const signUp = async ({ post }: TestServer): Promise<{ email: string; session: Session }> => {
  const email = freshEmail();
  return { email, session: (await post('/signup', { email, password })).body };
};

const signIn = ({ post }: TestServer, email: string) => post('/token?grant_type=password', { email, password });

const refresh = ({ post }: TestServer, refresh_token: string) =>
  post('/token?grant_type=refresh_token', { refresh_token });

for (const [name, end] of ends) {
  t.test(`SEC-82: a sign-in that waits for the same row does not outlive ${name}`, sameInFull, async (t) => {
    const server = await openTestServer(t);
    const { email, session } = await signUp(server);
    const holder = new pg.Client({ connectionString: server.database.url });
    await holder.connect();
    t.teardown(() => holder.end());
    await holder.query('begin');
    await holder.query('select id from users where id = $1 for update', [session.user.id]);
    const signedIn = signIn(server, email);
    await untilBlocked(server.database, 1);
    const ended = end(server, session);
    await untilBlocked(server.database, 2);
    await holder.query('commit');
    t.ok([200, 204].includes((await ended).status), name);
    await assertEnded(t, server, await signedIn);
  });
}

/** No session was created, or it has ended already. */
async function assertEnded(t: Test, server: TestServer, { status, body }: Awaited<ReturnType<typeof signIn>>) {
  if (status !== 200) return t.match(body.error_code, /^(invalid_credentials|user_banned)$/);
  const answer = await refresh(server, body.refresh_token);
  return t.match(answer.body.error_code, /^(refresh_token_not_found|user_banned)$/, 'the session has ended');
}

t.test('SEC-82: no sign-in concurrent with the end of all sessions survives it', async (t) => {
  const server = await openTestServer(t, { DB_MAX_POOL_SIZE: '8' });
  const rounds = pickForm({ short: 42, full: 200, long: 2000 });
  let survivors = 0;
  let opened = 0;
  for (let round = 0; round < rounds; round++) {
    const [, end] = ends[round % 3]!;
    const { email, session } = await signUp(server);
    const before = [signIn(server, email), signIn(server, email), signIn(server, email)];
    const ending = end(server, session);
    const answers = await Promise.all([...before, signIn(server, email), signIn(server, email), signIn(server, email)]);
    await ending;
    for (const { status, body } of answers) {
      if (status !== 200) continue;
      opened += 1;
      if ((await refresh(server, body.refresh_token)).status === 200) survivors += 1;
    }
  }
  t.ok(opened > 0, `${opened} sign-ins were in time to be ended`);
  t.equal(survivors, 0);
});

t.test('SEC-82: pending auth codes and linking flows end with the sessions', sameInFull, async (t) => {
  const flow = await openMailFlow(t);
  const { post, database } = flow;
  const verifier = 'v'.repeat(43);
  for (const [name, end] of ends) {
    const email = freshEmail();
    await post('/signup', { email, password });
    await flow.follow((await flow.nextMail(email)).link!);
    const { body: session } = await signIn(flow, email);
    const pkce = { code_challenge: verifier, code_challenge_method: 'plain' };
    await post('/otp', { email, ...pkce });
    const { query } = await flow.follow((await flow.nextMail(email)).link!);
    await database.admin.query(
      `insert into flow_states (authentication_method, provider, linking_target_id, linking_session_id)
      select 'oauth', 'github', s.user_id, s.id from sessions s where s.user_id = $1`,
      [session.user.id],
    );
    t.ok([200, 204].includes((await end(flow, session)).status), name);
    const exchanged = await post('/token?grant_type=pkce', { auth_code: query.get('code'), code_verifier: verifier });
    t.match(exchanged, { status: 404, body: { error_code: 'flow_state_not_found' } }, name);
    const { rows } = await database.admin.query('select id from flow_states where linking_session_id is not null');
    t.same(rows, [], `${name}: no linking flow has a session left, without which it links nothing (SEC-86)`);
  }
});

t.test('SEC-82: after a ban, a refresh token of an ended session is not found, not reused', sameInFull, async (t) => {
  const server = await openTestServer(t);
  const { session } = await signUp(server);
  const ban = (ban_duration: string) => asAdmin(server)('PUT', `/admin/users/${session.user.id}`, { ban_duration });
  await ban('1h');
  t.match((await refresh(server, session.refresh_token)).body, { error_code: 'user_banned' });
  await ban('none');
  t.match((await refresh(server, session.refresh_token)).body, { error_code: 'refresh_token_not_found' });
});
