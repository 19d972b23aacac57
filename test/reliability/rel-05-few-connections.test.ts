import { setTimeout as pause } from 'node:timers/promises';
import { call, freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';

const newPassword = 'a longer horse, a better battery';

t.test('REL-05: one connection serves everything, for twenty people at once', async (t) => {
  const { call, post } = await openTestServer(t, { DB_MAX_POOL_SIZE: '1' });
  const person = async (): Promise<void> => {
    const email = freshEmail();
    const token = (grant: string, body: unknown) => post(`/token?grant_type=${grant}`, body);
    const signedUp = await post('/signup', { email, password });
    t.equal(signedUp.status, 200, 'sign-up');
    const signedIn = await token('password', { email, password });
    t.equal(signedIn.status, 200, 'sign-in');
    t.equal((await token('password', { email, password: newPassword })).status, 400, 'wrong password');
    const refreshed = await token('refresh_token', { refresh_token: signedIn.body.refresh_token });
    t.equal(refreshed.status, 200, 'refresh');
    const bearer = refreshed.body.access_token;
    t.equal((await call('GET', '/user', { bearer })).body.email, email);
    const changed = await call('PUT', '/user', { bearer, body: { password: newPassword, data: { n: 1 } } });
    t.equal(changed.status, 200, 'change');
    t.equal((await call('POST', '/logout', { bearer })).status, 204, 'logout');
    t.equal((await token('password', { email, password: newPassword })).status, 200, 'sign-in again');
  };
  await Promise.all(Array.from({ length: 20 }, person));
  t.equal((await call('GET', '/health/ready')).status, 200);
});

t.test('REL-05: two connections, a hundred clients, and a database that is blocked for a while', async (t) => {
  const { call, post, database } = await openTestServer(t, { DB_MAX_POOL_SIZE: '2' });
  await database.admin.query('begin');
  await database.admin.query('lock table users in access exclusive mode');
  const answers = Promise.all(
    Array.from({ length: 100 }, async () => {
      const sentMs = performance.now();
      const answer = await post('/signup', { email: freshEmail(), password });
      return { answer, tookMs: performance.now() - sentMs };
    }),
  );
  await pause(6000);
  t.equal((await call('GET', '/health')).status, 200, 'alive meanwhile');
  await database.admin.query('rollback');

  const done = await answers;
  const refused = done.filter(({ answer }) => answer.status !== 200);
  for (const { answer } of refused) assertUnavailable(t, answer);
  t.equal(refused.length, 100, 'all rejected');
  const [slowestMs, , inLineMs] = refused.map(({ tookMs }) => tookMs).sort((a, b) => b - a) as [number, number, number];
  // Demanded: 2 s for queued requests; the two that have a connection give up after 3 s. On top of that comes the work
  // of a hundred clients.
  t.comment(
    `queued requests were refused within ${Math.round(inLineMs)} ms, those at the lock ${Math.round(slowestMs)} ms`,
  );
  t.ok(slowestMs < 5500, `${Math.round(slowestMs)} ms: before the database moved again`);
  const { rows } = await database.admin.query('select email from users');
  t.same(rows, [], 'no rejected request wrote anything');

  const after = await Promise.all(
    Array.from({ length: 100 }, () => post('/signup', { email: freshEmail(), password })),
  );
  t.ok(after.filter(({ status }) => status === 200).length > 50, 'no connection was lost: it serves on');
  for (const answer of after) if (answer.status !== 200) assertUnavailable(t, answer);
});

t.test('REL-05: a full queue refuses the next request at once', async (t) => {
  const { url, database } = await openTestServer(t, {
    DB_MAX_POOL_SIZE: '1',
    DB_ACQUIRE_TIMEOUT: '9s',
    DB_STATEMENT_TIMEOUT: '9s',
    API_MAX_REQUEST_DURATION: '20s',
  });
  // The statements of the start, which would take a place in the queue.
  await pause(500);
  await database.admin.query('begin');
  await database.admin.query('lock table users in access exclusive mode');
  let answered = 0;
  const waiting = Array.from({ length: 600 }, async () => {
    const sentMs = performance.now();
    // A separate statement for each; GET /user and the refresh grant would batch them.
    const answer = await call(url, 'POST', '/verify', { body: { type: 'recovery', token_hash: 'f'.repeat(56) } });
    answered += 1;
    return { answer, tookMs: performance.now() - sentMs };
  });
  // 1 has the connection, 512 wait for it. All of them have to arrive first, which takes its time on a busy machine.
  for (let tries = 0; tries < 60 && answered < 600 - 513; tries++) await pause(100);
  await pause(200);
  t.equal(answered, 600 - 513, 'in flight is bounded');
  await database.admin.query('rollback');
  for (const { answer } of await Promise.all(waiting)) if (answer.status !== 403) assertUnavailable(t, answer);
});
