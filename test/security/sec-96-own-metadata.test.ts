import { asAdmin, openAdminServer } from '../support/admin.js';
import { openExternalFlow } from '../support/external-flow.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

/** What fits in a bearer header of 12 kB. */
const MOST_BYTES = 12_281;
const tooLong = {
  status: 422,
  body: { code: 422, error_code: 'validation_failed', msg: /would have \d+ bytes, and at most 12281 are read/ },
};

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

t.test('SEC-96: no change of metadata takes the account away from its owner', async (t) => {
  const { call, post } = await openTestServer(t, {
    JWT_ISSUER: 'https://auth.example.com/auth/v1',
    JWT_KEY_ID: 'key-of-2026',
  });
  const email = freshEmail();
  const { body: person } = await post('/signup', { email, password });
  let { access_token: bearer, refresh_token } = person;
  let longest = 0;
  for (let n = 0; ; n++) {
    const { status, body } = await call('PUT', '/user', { bearer, body: { data: { [`k${n}`]: 'é'.repeat(50) } } });
    if (status !== 200) {
      t.match({ status, body }, tooLong);
      break;
    }
    const renewed = await post('/token?grant_type=refresh_token', { refresh_token });
    t.equal(renewed.status, 200);
    ({ access_token: bearer, refresh_token } = renewed.body);
    longest = bearer.length;
    if (longest > MOST_BYTES) t.fail(`a token of ${longest} bytes`);
    t.equal((await call('GET', '/user', { bearer })).status, 200, `${longest} bytes`);
  }
  t.ok(longest > MOST_BYTES - 600, `all but the last part is used: ${longest} bytes`);
  t.match(claimsOf(bearer).user_metadata, { k0: /é/ }, 'all of it is in the token');
  const signedIn = await post('/token?grant_type=password', { email, password });
  t.equal((await call('GET', '/user', { bearer: signedIn.body.access_token })).status, 200);
  t.equal((await call('PUT', '/user', { bearer, body: { data: { k0: null } } })).status, 200, 'it can be removed');
});

t.test('SEC-96: what operator and owner write counts together', async (t) => {
  const { call, post, admin } = await openAdminServer(t);
  const { body: person } = await post('/signup', { email: freshEmail(), password });
  const bearer = person.access_token;
  const path = `/admin/users/${person.user.id}`;
  const part = { part: 'x'.repeat(5000) };
  t.equal((await admin('PUT', path, { app_metadata: part })).status, 200);
  t.match(await call('PUT', '/user', { bearer, body: { data: part } }), tooLong);
  t.match(await admin('PUT', path, { user_metadata: part }), tooLong);
  t.equal((await admin('PUT', path, { app_metadata: { part: null }, user_metadata: part })).status, 200, 'replaced');
  t.match(await admin('PUT', path, { app_metadata: part }), tooLong);
  t.match(
    await admin('POST', '/admin/users', { email: freshEmail(), app_metadata: part, user_metadata: part }),
    tooLong,
  );
});

t.test('SEC-96: changes at once may add up to too much, and the owner still gets in', async (t) => {
  const { call, post } = await openTestServer(t);
  const email = freshEmail();
  const { body: person } = await post('/signup', { email, password });
  const put = (data: object) => call('PUT', '/user', { bearer: person.access_token, body: { data } });
  const parts = Array.from({ length: 6 }, (_, n) => ({ [`part${n}`]: 'x'.repeat(4000) }));
  await Promise.all(parts.map(put));
  const { status, body } = await post('/token?grant_type=password', { email, password });
  t.equal(status, 200);
  t.ok(body.access_token.length <= MOST_BYTES);
  const user = await call('GET', '/user', { bearer: body.access_token });
  t.equal(user.status, 200);
  t.ok(Object.keys(user.body.user_metadata).length > 0);
});

t.test('SEC-96: an account that was too long before signs in, and can be shortened', async (t) => {
  const { call, post, database } = await openTestServer(t);
  const email = freshEmail();
  const { body: person } = await post('/signup', { email, password, data: { plan: 'pro' } });
  const give = (column: 'user_metadata' | 'app_metadata', bytes: number) =>
    database.admin.query(`update users set ${column} = ${column} || jsonb_build_object('big', repeat('x', ${bytes}))`);
  const signIn = () => post('/token?grant_type=password', { email, password });

  await give('user_metadata', 60_000);
  const refreshed = await post('/token?grant_type=refresh_token', { refresh_token: person.refresh_token });
  for (const { status, body } of [await signIn(), refreshed]) {
    t.equal(status, 200);
    const claims = claimsOf(body.access_token);
    t.same(claims.user_metadata, {}, 'its tokens go without user_metadata');
    t.match(claims.app_metadata, { provider: 'email' });
    t.equal(body.user.user_metadata.big.length, 60_000, 'which is stored as it was');
  }
  const bearer = refreshed.body.access_token;
  t.equal((await call('GET', '/user', { bearer })).body.user_metadata.plan, 'pro');
  t.match(await call('PUT', '/user', { bearer, body: { data: { more: 1 } } }), tooLong, 'it gets no longer');
  t.equal((await call('PUT', '/user', { bearer, body: { data: { big: 'x'.repeat(50_000) } } })).status, 200, 'shorter');
  t.equal((await call('PUT', '/user', { bearer, body: { data: { big: null } } })).status, 200);
  t.match(claimsOf((await signIn()).body.access_token).user_metadata, { plan: 'pro' }, 'and all is as it was');
});

t.test('SEC-96: no token is issued without its app_metadata, and the error says so', async (t) => {
  const server = await openTestServer(t);
  const { post, database } = server;
  const email = freshEmail();
  const { body: person } = await post('/signup', { email, password });
  await database.admin.query(
    `update users set app_metadata = app_metadata || '{"banned_from": "${'x'.repeat(20_000)}"}'`,
  );
  const signIn = () => post('/token?grant_type=password', { email, password });
  t.match(await signIn(), tooLong);
  t.match(await post('/token?grant_type=refresh_token', { refresh_token: person.refresh_token }), tooLong);
  const change = { app_metadata: { banned_from: null } };
  t.equal((await asAdmin(server)('PUT', `/admin/users/${person.user.id}`, change)).status, 200);
  t.equal((await signIn()).status, 200, 'an administrator can fix it');
});

t.test("SEC-96: a provider's long profile does not prevent a sign-in", async (t) => {
  const flow = await openExternalFlow(t, ['azure']);
  const email = freshEmail();
  const as = flow.providers.person('azure', { email, subject: 'long-1' });
  const first = await flow.signIn('azure', { as });
  const token = first.fragment.get('access_token') ?? '';
  t.equal((await flow.call('GET', '/user', { bearer: token })).status, 200);
  t.ok(token.length <= MOST_BYTES);
  // The user's own metadata, beside the provider's at the next sign-in.
  let bearer = token;
  for (let n = 0; n < 10; n++) {
    await flow.call('PUT', '/user', { bearer, body: { data: { [`k${n}`]: 'x'.repeat(800) } } });
  }
  await flow.database.admin.query(
    `update users set user_metadata = user_metadata || '{"filled": "${'x'.repeat(2000)}"}'`,
  );
  const again = await flow.signIn('azure', { as });
  bearer = again.fragment.get('access_token') ?? '';
  t.equal((await flow.call('GET', '/user', { bearer })).status, 200);
});
