import { signAdminToken } from '../../src/server/commands/sign-admin-token.js';
import { secretSigningKey } from '../../src/server/keys/key-set.js';
import { testServer } from '../support/database.js';
import { withAdmin } from '../support/postgres.js';
import { type Answer, freshEmail, JWT_SECRET, openTestServer, password, type TestServer } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { revealsNothing } from '../support/unavailable.js';

const adminToken = () =>
  signAdminToken(
    { role: 'service_role', audience: 'authenticated', issuer: '', subject: null, expiresInSeconds: null },
    secretSigningKey({ jwtSecret: JWT_SECRET, jwtKeyId: '' }),
    Math.floor(Date.now() / 1000),
  );

/** One request to each endpoint that calls the database or another service. */
async function askAll({ call, post }: TestServer, bearer: string, refresh_token: string): Promise<Answer[]> {
  const admin = await adminToken();
  const email = freshEmail();
  return Promise.all([
    post('/signup', { email, password }),
    post('/token?grant_type=password', { email, password }),
    post('/token?grant_type=refresh_token', { refresh_token }),
    post('/token?grant_type=pkce', { auth_code: 'a'.repeat(36), code_verifier: 'b'.repeat(43) }),
    post('/otp', { email }),
    post('/recover', { email }),
    post('/resend', { email, type: 'signup' }),
    post('/verify', { email, type: 'email', token: '123456' }),
    call('GET', '/user', { bearer }),
    call('PUT', '/user', { bearer, body: { data: { a: 1 } } }),
    call('POST', '/logout', { bearer }),
    call('GET', '/admin/users', { bearer: admin }),
    call('POST', '/admin/users', { bearer: admin, body: { email } }),
    call('POST', '/admin/generate_link', { bearer: admin, body: { email, type: 'magiclink' } }),
    call('GET', '/admin/audit', { bearer: admin }),
    call('POST', '/invite', { bearer: admin, body: { email } }),
  ]);
}

function assertSilent(t: Test, answers: readonly Answer[], wanted: readonly number[], atLeast: number): void {
  const faults = answers.filter(({ status }) => wanted.includes(status));
  t.ok(faults.length >= atLeast, `${faults.length} of ${answers.length} failed`);
  for (const { status, body } of answers) {
    if (status < 400) continue;
    t.ok(revealsNothing(body), JSON.stringify(body));
    if (status >= 500) t.match(body.error_id, /^[0-9a-f-]{36}$/, 'the log can be searched for it');
  }
}

t.test('SEC-73 a database without tables shows in no response', async (t) => {
  const server = await openTestServer(t);
  const signedUp = await server.post('/signup', { email: freshEmail(), password });
  const { access_token, refresh_token } = signedUp.body;
  for (const table of ['sessions', 'one_time_tokens', 'audit_log', 'users']) {
    await server.database.admin.query(`alter table ${table} rename to ${table}_gone`);
  }
  assertSilent(t, await askAll(server, access_token, refresh_token), [500], 8);
});

t.test('SEC-73 nor does an unreachable one', async (t) => {
  const server = await openTestServer(t);
  const signedUp = await server.post('/signup', { email: freshEmail(), password });
  const { access_token, refresh_token } = signedUp.body;
  const { admin } = server.database;
  const { rows } = await admin.query('select current_database() as name');
  const { adminUrl } = await testServer();
  await withAdmin(adminUrl, (owner) => owner.query(`alter database ${rows[0].name} with allow_connections false`));
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  assertSilent(t, await askAll(server, access_token, refresh_token), [503], 8);
});

t.test('SEC-73 nor input of a client that cannot be parsed', async (t) => {
  const server = await openTestServer(t);
  const { url } = server;
  for (const body of ['{', '[1]', '"x"', '{"email":1}', '{"a":1}}', '\ufeff{}', '{"email":"\\ud800"}']) {
    for (const path of ['/signup', '/token?grant_type=password', '/verify', '/magiclink', '/otp']) {
      const response = await fetch(url + path, { method: 'POST', body });
      t.equal(response.status, 400, `${path} ${body}`);
      t.ok(revealsNothing(await response.json()), body);
    }
  }
});

t.test('SEC-73 the search finds what must not be there', async (t) => {
  for (const msg of [
    'duplicate key: insert into users',
    'at openSession (sessions.js:12)',
    '/usr/share/secrets',
    'connect ECONNREFUSED',
    'dial 127.0.0.1',
    'TypeError: x',
  ]) {
    t.notOk(revealsNothing({ code: 500, msg }), msg);
  }
  t.ok(revealsNothing({ code: 500, msg: 'Unexpected failure, please check server logs for more information' }));
});
