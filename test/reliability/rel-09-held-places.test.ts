import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { type Answer, freshEmail, openTestServer } from '../support/server.js';
import { assertUnavailable } from '../support/unavailable.js';
import { until } from '../support/until.js';

const password = 'correct horse battery';

// One thread and two who wait beside it: three places. The look-ups stand still, so nobody has reached the queue yet.
for (const what of ['sign-ins', 'sign-ups'] as const) {
  t.test(`REL-09: of ten ${what} at one instant seven are refused before their look-up`, async (t) => {
    const { call, database } = await openTestServer(t, { CRYPTO_MAX_QUEUE: '2', DB_MAX_POOL_SIZE: '10' });
    const email = freshEmail();
    t.equal((await call('POST', '/signup', { body: { email, password } })).status, 200);
    const ask = (): Promise<Answer> =>
      what === 'sign-ins'
        ? call('POST', '/token?grant_type=password', { body: { email, password } })
        : call('POST', '/signup', { body: { email: freshEmail(), password } });

    const answers: Answer[] = [];
    await database.admin.query('begin; lock table users in access exclusive mode');
    const asked = Array.from({ length: 10 }, async () => answers.push(await ask()));
    await until(() => answers.length >= 7);
    // Whoever has a place waits for the table.
    await pause(50);
    t.equal(answers.length, 7);
    for (const answer of answers) assertUnavailable(t, answer);
    await database.admin.query('rollback');
    await Promise.all(asked);
    t.same(
      answers.slice(7).map(({ status }) => status),
      [200, 200, 200],
    );
    t.equal((await ask()).status, 200, 'the places are free again');
  });
}

t.test('REL-09: a request that fails on its way to the queue gives its place back', async (t) => {
  const { call, database } = await openTestServer(t, { CRYPTO_MAX_QUEUE: '1' });
  const body = { email: freshEmail(), password };
  t.equal((await call('POST', '/signup', { body })).status, 200);
  await database.admin.query('alter table users rename to users_away');
  for (let n = 0; n < 4; n++) t.equal((await call('POST', '/token?grant_type=password', { body })).status, 500);
  await database.admin.query('alter table users_away rename to users');
  t.equal((await call('POST', '/token?grant_type=password', { body })).status, 200);
});
