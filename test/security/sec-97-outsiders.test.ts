import { hostname } from 'node:os';
import { endpoints } from '../../src/server/endpoints/index.js';
import { adminToken } from '../support/admin.js';
import { testServer } from '../support/database.js';
import { withAdmin } from '../support/postgres.js';
import { exchangeRaw, type RawAnswer, requestText } from '../support/raw-socket.js';
import { freshEmail, JWT_SECRET, openTestServer, type TestServer } from '../support/server.js';
import { repository } from '../support/source-tree.js';
import { type Test, t } from '../support/tap.js';

/** Settings that no answer to an unauthenticated client may contain. */
const marked = {
  URI_ALLOW_LIST: 'https://marked-app.example/**',
  REQUEST_ID_HEADER: 'x-marked-request-id',
  RATE_LIMIT_HEADER: 'x-marked-client',
  CORS_ALLOWED_HEADERS: 'x-marked-header',
  SMTP_HOST: 'marked-mail.example',
  SMTP_ADMIN_EMAIL: 'marked-sender@example.com',
  JWT_ADMIN_ROLES: 'service_role,marked_role',
  JWT_ISSUER: 'https://public-issuer.example',
  SMS_TWILIO_ACCOUNT_SID: 'marked-account',
  EXTERNAL_GITHUB_ENABLED: 'true',
  EXTERNAL_GITHUB_CLIENT_ID: 'public-client-id',
  EXTERNAL_GITHUB_SECRET: 'marked-github-secret',
  EXTERNAL_GITHUB_REDIRECT_URI: 'http://localhost:9999/callback',
};

/** Build, dependencies and machine. */
const insides = [
  '0.0.0-test',
  process.version.slice(1),
  repository,
  JWT_SECRET,
  ...['marked', 'uwebsockets', 'node.js', 'node/', 'piscina', 'argon2', 'postgres', 'pgbouncer', 'outbox'],
];
/** As a word: random values in base64url may contain any two letters, also between two of `-` and `_`. */
const HOST_NAME = new RegExp(`(?<![\\w-])${hostname().toLowerCase().replaceAll('.', '\\.')}(?![\\w-])`);

/** Every header that an answer to an unauthenticated client may have. */
const HEADERS = new Set([
  ...['connection', 'keep-alive', 'content-type', 'content-length', 'cache-control', 'date', 'vary', 'allow'],
  ...['retry-after', 'location', 'set-cookie', 'etag', 'x-content-type-options', 'x-frame-options', 'referrer-policy'],
  ...[
    'content-security-policy',
    'x-supabase-api-version',
    'x-sb-error-code',
    'access-control-allow-origin',
    'access-control-max-age',
  ],
  ...['access-control-allow-methods', 'access-control-allow-headers', 'access-control-expose-headers'],
]);

/** Each route by each method, paths that other servers have, and malformed requests. */
function attempts(): string[] {
  const paths = new Set(
    endpoints.map(({ path }) => path.replaceAll(/\{[^}]+\}/g, '6a1c4b52-8f0e-4b0e-9d0e-2f6d5d1f0001')),
  );
  const elsewhere = ['/', '/metrics', '/dev/mailbox', '/admin', '/.env', '/server-status', '/debug/pprof/', '/x/../y'];
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'FOO'];
  const preflight = ['Origin: https://a.example', 'Access-Control-Request-Method: POST'];
  return [
    ...[...paths, ...elsewhere].flatMap((path) =>
      methods.map((method) => requestText(method, path, method === 'GET' || method === 'HEAD' ? {} : { body: '{' })),
    ),
    ...[...paths].map((path) => requestText('OPTIONS', path, { headers: preflight })),
    ...[...paths].map((path) => requestText('GET', `${path}?a=1&a=2&grant_type=x&provider=x&token=%00`)),
    ...[...paths].map((path) => requestText('POST', path, { body: `{"email":"${freshEmail()}","password":"x"}` })),
    requestText('GET', '/authorize?provider=github'),
    requestText('GET', '/authorize?provider=gitlab'),
    requestText('GET', '/user', { headers: ['Authorization: Bearer a.b.c'] }),
    requestText('GET', '/%ff%00'),
    requestText('GET', `/${'a'.repeat(12_000)}`),
  ];
}

function findFaults(name: string, { head, body, headers }: RawAnswer): string[] {
  const text = `${head}\n${body}`.toLowerCase();
  return [
    ...insides
      // The OpenAPI document lists the hashes that an administrator may import.
      .filter((inside) => !(inside === 'argon2' && name.startsWith('GET /openapi.json')))
      .filter((inside) => text.includes(inside.toLowerCase()))
      .map((inside) => `${name} shows ${inside}`),
    ...(HOST_NAME.test(text) ? [`${name} shows ${hostname()}`] : []),
    ...headers.filter(([header]) => !HEADERS.has(header)).map(([header]) => `${name} has the header ${header}`),
  ];
}

async function assertSilent(t: Test, { server }: TestServer): Promise<void> {
  const faults: string[] = [];
  const all = attempts();
  for (const text of all) {
    const [line = ''] = text.split('\r\n');
    const answer = await exchangeRaw(server.port, text);
    faults.push(...findFaults(line.slice(0, 80), answer));
  }
  t.ok(all.length > 400, `${all.length} attempts`);
  t.same([...new Set(faults)], []);
}

t.test('SEC-97: no answer to an unauthenticated client shows build, engine, machine or settings', async (t) => {
  const server = await openTestServer(t, { ...marked, MAILER_AUTOCONFIRM: 'false' });
  await assertSilent(t, server);
});

t.test('SEC-97: an unauthenticated client can read exactly this list', async (t) => {
  const { call } = await openTestServer(t, marked);
  t.same((await call('GET', '/health')).body, {
    version: '',
    name: 'Latchkey',
    description: 'Latchkey is an authentication and user management server',
  });
  t.same((await call('GET', '/health/ready')).body, { ready: true });
  t.same((await call('GET', '/.well-known/jwks.json')).body, { keys: [] });
  const { body: api } = await call('GET', '/openapi.json');
  t.equal(api.info.version, '0.0', 'the interface, which patches do not change');
  t.same(Object.keys((await call('GET', '/settings')).body).sort(), [
    ...['autoconfirm', 'disable_signup', 'external', 'mailer_autoconfirm', 'mfa_enabled', 'mfa_required'],
    ...['passkeys_enabled', 'phone_autoconfirm', 'saml_enabled', 'saml_private_key_next_configured', 'sms_provider'],
  ]);
});

t.test('SEC-97: an operator reads the build and why the server is not ready', async (t) => {
  const { call, post } = await openTestServer(t);
  const bearer = adminToken();
  t.equal((await call('GET', '/health', { bearer })).body.version, '0.0.0-test');
  const ready = { ready: true, database: 'up', schema: 'current', draining: false, generation: 1 };
  t.same((await call('GET', '/health/ready', { bearer })).body, ready);
  const { body: person } = await post('/signup', { email: freshEmail(), password: 'correct horse' });
  for (const token of [person.access_token, `${bearer}x`, 'x', adminToken({ exp: 1 })]) {
    t.equal((await call('GET', '/health', { bearer: token })).body.version, '');
    t.same((await call('GET', '/health/ready', { bearer: token })).body, { ready: true });
  }
});

t.test('SEC-97: an unauthenticated client sees no internal fault', async (t) => {
  const server = await openTestServer(t, marked);
  const { call, post, database } = server;
  const { rows } = await database.admin.query('select current_database() as name');
  const { adminUrl } = await testServer();
  await withAdmin(adminUrl, (owner) => owner.query(`alter database ${rows[0].name} with allow_connections false`));
  await database.admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  const bearer = adminToken();
  let ready = await call('GET', '/health/ready', { bearer });
  for (let i = 0; i < 100 && ready.status === 200; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    ready = await call('GET', '/health/ready', { bearer });
  }
  t.match(ready, { status: 503, body: { ready: false, database: 'down' } }, 'an administrator sees it');
  t.match(await call('GET', '/health/ready'), { status: 503 });
  t.same((await call('GET', '/health/ready')).body, { ready: false });
  const body = { email: freshEmail(), password: 'correct horse battery' };
  for (const path of ['/signup', '/token?grant_type=password', '/recover', '/otp']) {
    const answer = await post(path, body);
    t.equal(answer.status, 503, path);
    t.notMatch(answer.body.msg, /database/i, path);
  }
});
