import { asAdmin } from '../support/admin.js';
import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

const signIn = async ({ post }: TestServer, email: string, secret = password): Promise<Session> =>
  (await post('/token?grant_type=password', { email, password: secret })).body;
const isAlive = async ({ post }: TestServer, { refresh_token }: Session): Promise<boolean> =>
  (await post('/token?grant_type=refresh_token', { refresh_token })).status === 200;

t.test('SEC-55: each sign-in is a separate session, by every method', async (t) => {
  const flow = await openMailFlow(t);
  const { post, database } = flow;
  const email = freshEmail();
  const ids = async () => (await database.admin.query('select id from sessions')).rows.map(({ id }) => id as string);
  const sessions: string[] = [];
  const assertNew = async (name: string, bearer: string) => {
    const { session_id } = JSON.parse(Buffer.from(bearer.split('.')[1]!, 'base64url').toString());
    t.notOk(sessions.includes(session_id), `${name}: a new one`);
    sessions.push(session_id);
    t.same((await ids()).sort(), [...sessions].sort(), `${name}: one more`);
  };

  await post('/signup', { email, password });
  t.same(await ids(), [], 'a sign-up that waits for its confirmation opens none');
  const confirmed = await flow.follow((await flow.nextMail(email)).link!);
  await assertNew('confirmation', confirmed.fragment.get('access_token')!);
  await assertNew('password', (await signIn(flow, email)).access_token);
  await assertNew('password again', (await signIn(flow, email)).access_token);
  for (const path of ['/otp', '/magiclink', '/recover']) {
    await post(path, { email });
    const followed = await flow.follow((await flow.nextMail(email)).link!);
    await assertNew(path, followed.fragment.get('access_token')!);
  }
});

t.test('SEC-55: what ends which sessions', async (t) => {
  const server = await openTestServer(t);
  const { call, post } = server;
  const admin = asAdmin(server);
  const put = (bearer: string, body: object) => call('PUT', '/user', { bearer, body });
  const newPassword = 'a new passphrase';
  /** The action, and whether this session and the other one stay. */
  const actions: [string, (here: Session) => Promise<{ status: number }>, boolean, boolean][] = [
    ['nothing', async () => ({ status: 200 }), true, true],
    ['another name', ({ access_token }) => put(access_token, { data: { name: 'Ann' } }), true, true],
    ['a new password', ({ access_token }) => put(access_token, { password: newPassword }), true, false],
    [
      'one by an operator',
      ({ user }) => admin('PUT', `/admin/users/${user.id}`, { password: newPassword }),
      false,
      false,
    ],
    ['a ban', ({ user }) => admin('PUT', `/admin/users/${user.id}`, { ban_duration: '1h' }), false, false],
    [
      'soft deletion',
      ({ user }) => admin('DELETE', `/admin/users/${user.id}`, { should_soft_delete: true }),
      false,
      false,
    ],
    ['deletion', ({ user }) => admin('DELETE', `/admin/users/${user.id}`), false, false],
    ['logout', ({ access_token: bearer }) => call('POST', '/logout', { bearer }), false, false],
    ['global logout', ({ access_token: bearer }) => call('POST', '/logout?scope=global', { bearer }), false, false],
    [
      'logout of the others',
      ({ access_token: bearer }) => call('POST', '/logout?scope=others', { bearer }),
      true,
      false,
    ],
    ['logout of this one', ({ access_token: bearer }) => call('POST', '/logout?scope=local', { bearer }), false, true],
  ];
  const bystander = await post('/signup', { email: freshEmail(), password });
  for (const [name, act, livesHere, livesThere] of actions) {
    const email = freshEmail();
    const { body: here } = await post('/signup', { email, password });
    const there = await signIn(server, email);
    t.ok([200, 204].includes((await act(here)).status), name);
    t.same([await isAlive(server, here), await isAlive(server, there)], [livesHere, livesThere], name);
    if (name === 'a ban') {
      await admin('PUT', `/admin/users/${here.user.id}`, { ban_duration: 'none' });
      t.same([await isAlive(server, here), await isAlive(server, there)], [false, false], 'sessions stay ended');
    }
  }
  t.ok(await isAlive(server, bystander.body), 'no other user is signed out');
});
