import { spawnServer } from '../support/process.js';
import { call, freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('REL-16, SEC-54: two processes, one database, a hundred refreshes of one token at once', async (t) => {
  // One of them is this process.
  const first = await openTestServer(t);
  const second = await spawnServer(t, first.database.url);
  const refresh = (token: string, index: number) =>
    call(index % 2 === 0 ? first.url : second.url, 'POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: token },
    });

  const { body: signedUp } = await call(first.url, 'POST', '/signup', { body: { email: freshEmail(), password } });
  const startedMs = performance.now();
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => refresh(signedUp.refresh_token, index)));
  t.comment(`100 refreshes took ${Math.round(performance.now() - startedMs)} ms`);
  t.same([...new Set(answers.map(({ status }) => status))], [200], 'no error');
  const children = new Set(answers.map(({ body }) => body.refresh_token));
  t.equal(children.size, 1, 'one child');

  const child = [...children][0];
  const grandchild = await refresh(child, 1);
  t.equal(grandchild.status, 200);
  const older = await Promise.all(Array.from({ length: 20 }, (_, index) => refresh(signedUp.refresh_token, index)));
  t.same([...new Set(older.map(({ body }) => body.error_code))], ['refresh_token_already_used'], 'reuse');
  for (const token of [child, grandchild.body.refresh_token]) {
    for (const index of [0, 1]) {
      t.equal((await refresh(token, index)).body.error_code, 'refresh_token_already_used', 'revoked on both');
    }
  }
});
