import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';
import { until } from '../support/until.js';

// One thread and a queue of two: three slots. The look-ups are blocked, so no request has reached the queue yet.
for (const what of ['sign-ins', 'sign-ups'] as const) {
  t.test(`REL-09: of ten ${what} at one instant seven are refused before their look-up`, async (t) => {
    const { post, database } = await openTestServer(t, { CRYPTO_MAX_QUEUE: '2', DB_MAX_POOL_SIZE: '10' });
    const email = freshEmail();
    t.equal((await post('/signup', { email, password })).status, 200);
    const ask = (): Promise<Answer> =>
      what === 'sign-ins'
        ? post('/token?grant_type=password', { email, password })
        : post('/signup', { email: freshEmail(), password });

    const answers: Answer[] = [];
    await database.admin.query('begin; lock table users in access exclusive mode');
    const asked = Array.from({ length: 10 }, async () => answers.push(await ask()));
    await until(() => answers.length >= 7);
    // Requests with a slot wait for the table.
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

t.test('REL-09: a request that fails on its way to the queue releases its slot', async (t) => {
  const { post, database } = await openTestServer(t, { CRYPTO_MAX_QUEUE: '1' });
  const body = { email: freshEmail(), password };
  t.equal((await post('/signup', body)).status, 200);
  await database.admin.query('alter table users rename to users_away');
  for (let n = 0; n < 4; n++) t.equal((await post('/token?grant_type=password', body)).status, 500);
  await database.admin.query('alter table users_away rename to users');
  t.equal((await post('/token?grant_type=password', body)).status, 200);
});
