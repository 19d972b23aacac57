import { setTimeout as pause } from 'node:timers/promises';
import { call, freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';
import { until } from '../support/until.js';

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
  const answers = Promise.all(Array.from({ length: 100 }, () => post('/signup', { email: freshEmail(), password })));
  t.equal((await call('GET', '/health')).status, 200, 'alive meanwhile');
  // The waiting of all is bounded: they end although the database does not move.
  const refused = (await answers).filter(({ status }) => status !== 200);
  for (const answer of refused) assertUnavailable(t, answer);
  t.equal(refused.length, 100, 'all rejected');
  await database.admin.query('rollback');
  const { rows } = await database.admin.query('select email from users');
  t.same(rows, [], 'no rejected request wrote anything');

  // As many at once as may be hashed within the time of a request, again and again where that is too much.
  const persist = async (): Promise<void> => {
    const email = freshEmail();
    for (;;) {
      const answer = await post('/signup', { email, password });
      if (answer.status === 200) return;
      assertUnavailable(t, answer);
      await pause(100);
    }
  };
  await t.resolves(Promise.all(Array.from({ length: 100 }, persist)), 'no connection was lost: it serves on');
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
    // A separate statement for each; GET /user and the refresh grant would batch them.
    const answer = await call(url, 'POST', '/verify', { body: { type: 'recovery', token_hash: 'f'.repeat(56) } });
    answered += 1;
    return answer;
  });
  // 1 has the connection, 512 wait for it. All of them have to arrive first, which takes its time on a busy machine.
  await until(() => answered >= 600 - 513);
  await pause(200);
  t.equal(answered, 600 - 513, 'in flight is bounded');
  await database.admin.query('rollback');
  for (const answer of await Promise.all(waiting)) if (answer.status !== 403) assertUnavailable(t, answer);
});
