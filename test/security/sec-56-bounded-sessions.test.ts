import { setTimeout as pause } from 'node:timers/promises';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

async function signUp({ post }: TestServer) {
  const { body } = await post('/signup', { email: freshEmail(), password });
  return body as { refresh_token: string; user: { id: string; email: string } };
}
const refresh = ({ post }: TestServer, token: string) =>
  post('/token?grant_type=refresh_token', { refresh_token: token });

t.test('SEC-56: a session ends at its absolute age, however busy it is', async (t) => {
  const server = await openTestServer(t, { SESSIONS_TIMEBOX: '2s' });
  let token = (await signUp(server)).refresh_token;
  const startedMs = performance.now();
  let last = await refresh(server, token);
  t.equal(last.status, 200);
  while (last.status === 200 && performance.now() - startedMs < 10_000) {
    token = last.body.refresh_token;
    await pause(200);
    last = await refresh(server, token);
  }
  t.ok(performance.now() - startedMs > 1500, 'not before');
  t.match(last.body, { code: 400, error_code: 'session_expired', msg: 'Invalid Refresh Token: Session Expired' });
});

t.test('SEC-56: an idle session ends, a used one continues', async (t) => {
  const server = await openTestServer(t, { SESSIONS_INACTIVITY_TIMEOUT: '2s' });
  const [idle, used] = [await signUp(server), await signUp(server)];
  let token = used.refresh_token;
  for (let times = 0; times < 6; times++) {
    await pause(500);
    const answer = await refresh(server, token);
    t.equal(answer.status, 200, 'used every half second');
    token = answer.body.refresh_token;
  }
  t.match((await refresh(server, idle.refresh_token)).body, { error_code: 'session_expired', msg: /\(Inactivity\)$/ });
});

t.test('SEC-56: hours and minutes, by the database; without settings there is no end', async (t) => {
  const server = await openTestServer(t, { SESSIONS_TIMEBOX: '1h', SESSIONS_INACTIVITY_TIMEOUT: '10m' });
  const age = (column: string, by: string, userId: string, { database } = server) =>
    database.admin.query(`update sessions set ${column} = now() - interval '${by}' where user_id = $1`, [userId]);

  const old = await signUp(server);
  await age('created_at', '59 minutes', old.user.id);
  await age('refreshed_at', '1 minute', old.user.id);
  const { body } = await refresh(server, old.refresh_token);
  t.ok(body.refresh_token);
  await age('created_at', '61 minutes', old.user.id);
  t.match((await refresh(server, body.refresh_token)).body, { error_code: 'session_expired' });

  const idle = await signUp(server);
  await age('created_at', '11 minutes', idle.user.id);
  t.match((await refresh(server, idle.refresh_token)).body, { error_code: 'session_expired', msg: /\(Inactivity\)$/ });
  await age('refreshed_at', '9 minutes', idle.user.id);
  t.equal((await refresh(server, idle.refresh_token)).status, 200);

  const endless = await openTestServer(t);
  const ancient = await signUp(endless);
  await age('created_at', '9 years', ancient.user.id, endless);
  t.equal((await refresh(endless, ancient.refresh_token)).status, 200);
});

t.test('SEC-56: one session per user, if configured', async (t) => {
  const server = await openTestServer(t, { SESSIONS_SINGLE_PER_USER: 'true' });
  const earlier = await signUp(server);
  await pause(5);
  await server.post('/token?grant_type=password', { email: earlier.user.email, password });
  t.match((await refresh(server, earlier.refresh_token)).body, {
    error_code: 'session_expired',
    msg: /Revoked by Newer Login/,
  });
});

t.test('SEC-56: the settings are documented', async (t) => {
  const { text } = readSource('docs/settings.md');
  for (const name of ['AUTH_SESSIONS_TIMEBOX', 'AUTH_SESSIONS_INACTIVITY_TIMEOUT', 'AUTH_SESSIONS_SINGLE_PER_USER']) {
    t.match(text, `\`${name}\``);
  }
});
