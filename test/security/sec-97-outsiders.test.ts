import { hostname } from 'node:os';
import t, { type Test } from 'tap';
import { routes } from '../../src/server/routes/index.js';
import { adminToken } from '../support/admin.js';
import { testServer } from '../support/database.js';
import { withAdmin } from '../support/postgres.js';
import { exchangeRaw, type RawAnswer, requestText } from '../support/raw-socket.js';
import { freshEmail, JWT_SECRET, openTestServer, type TestServer } from '../support/server.js';
import { repository } from '../support/source-tree.js';

/** Settings of which no answer to a stranger may hold anything. */
const marked = {
  URI_ALLOW_LIST: 'https://marked-app.example/**',
  REQUEST_ID_HEADER: 'x-marked-request-id',
  RATE_LIMIT_HEADER: 'x-marked-client',
  CORS_ALLOWED_HEADERS: 'x-marked-header',
  SMTP_HOST: 'marked-mail.example',
  SMTP_ADMIN_EMAIL: 'marked-sender@example.com',
  JWT_ADMIN_ROLES: 'service_role,marked_role',
  JWT_ISSUER: 'https://marked-issuer.example',
  SMS_TWILIO_ACCOUNT_SID: 'marked-account',
  EXTERNAL_GITHUB_ENABLED: 'true',
  EXTERNAL_GITHUB_CLIENT_ID: 'public-client-id',
  EXTERNAL_GITHUB_SECRET: 'marked-github-secret',
  EXTERNAL_GITHUB_REDIRECT_URI: 'http://localhost:9999/callback',
};

/** The build, what it is made of, and where it runs. */
const insides = [
  '0.0.0-test',
  process.version.slice(1),
  hostname(),
  repository,
  JWT_SECRET,
  ...['marked', 'uwebsockets', 'node.js', 'node/', 'piscina', 'argon2', 'postgres', 'pgbouncer', 'outbox'],
];

/** Every header an answer to a stranger may have. */
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

/** What a stranger may try: each route by each method, what is often found elsewhere, and what no server understands. */
function attempts(): string[] {
  const paths = new Set(
    routes.map(({ path }) => path.replaceAll(/\{[^}]+\}/g, '6a1c4b52-8f0e-4b0e-9d0e-2f6d5d1f0001')),
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
      // The description of the interface says which hashes an operator may import.
      .filter((inside) => !(inside === 'argon2' && name.startsWith('GET /openapi.json')))
      .filter((inside) => text.includes(inside.toLowerCase()))
      .map((inside) => `${name} shows ${inside}`),
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

t.test('SEC-97: no answer to a stranger shows build, engine, machine or settings', async (t) => {
  const server = await openTestServer(t, { ...marked, MAILER_AUTOCONFIRM: 'false' });
  await assertSilent(t, server);
});

t.test('SEC-97: what a stranger reads of the server is this list', async (t) => {
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
    ...['autoconfirm', 'disable_signup', 'external', 'mailer_autoconfirm', 'mfa_enabled', 'passkeys_enabled'],
    ...['phone_autoconfirm', 'saml_enabled', 'saml_private_key_next_configured', 'sms_provider'],
  ]);
});

t.test('SEC-97: an operator reads the build and why the server is not ready', async (t) => {
  const { call } = await openTestServer(t);
  const bearer = adminToken();
  t.equal((await call('GET', '/health', { bearer })).body.version, '0.0.0-test');
  const ready = { ready: true, database: 'up', schema: 'current', draining: false };
  t.same((await call('GET', '/health/ready', { bearer })).body, ready);
  const { body: person } = await call('POST', '/signup', { body: { email: freshEmail(), password: 'correct horse' } });
  for (const stranger of [person.access_token, `${bearer}x`, 'x', adminToken({ exp: 1 })]) {
    t.equal((await call('GET', '/health', { bearer: stranger })).body.version, '');
    t.same((await call('GET', '/health/ready', { bearer: stranger })).body, { ready: true });
  }
});

t.test('SEC-97: a stranger is not told what is wrong inside', async (t) => {
  const server = await openTestServer(t, marked);
  const { call, database } = server;
  const { rows } = await database.admin.query('select current_database() as name');
  const { adminUrl } = await testServer();
  await withAdmin(adminUrl, (owner) => owner.query(`alter database ${rows[0].name} with allow_connections false`));
  await database.admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  const bearer = adminToken();
  let told = await call('GET', '/health/ready', { bearer });
  for (let i = 0; i < 100 && told.status === 200; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    told = await call('GET', '/health/ready', { bearer });
  }
  t.match(told, { status: 503, body: { ready: false, database: 'down' } }, 'an operator is');
  t.match(await call('GET', '/health/ready'), { status: 503 });
  t.same((await call('GET', '/health/ready')).body, { ready: false });
  const body = { email: freshEmail(), password: 'correct horse battery' };
  for (const path of ['/signup', '/token?grant_type=password', '/recover', '/otp']) {
    const answer = await call('POST', path, { body });
    t.equal(answer.status, 503, path);
    t.notMatch(answer.body.msg, /database/i, path);
  }
});
