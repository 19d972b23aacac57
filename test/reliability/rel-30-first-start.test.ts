import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../src/db/migrate.js';
import { ownMigrationsDirectory } from '../../src/db/migration-files.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { adminToken } from '../support/admin.js';
import { createTestDatabase } from '../support/database.js';
import { everyFeature } from '../support/every-feature.js';
import { freePort } from '../support/free-port.js';
import { isListening } from '../support/listening.js';
import { pickForm, sameInFull } from '../support/long-form.js';
import { spawnServer } from '../support/process.js';
import { pickFirst } from '../support/rows.js';
import { type Answer, call, freshEmail, JWT_SECRET, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';
import { assertUnavailable } from '../support/unavailable.js';

const id = '00000000-0000-4000-8000-000000000001';
/** Refuses connections at once: an attempt that waits would also keep a server from its end. */
const NOWHERE = 'https://127.0.0.1:9';
const userToken = () =>
  signTestToken({ sub: id, aud: 'authenticated', role: 'authenticated', session_id: id }, JWT_SECRET);

const scimToken = `lks_${'a'.repeat(43)}`;

/** Bodies that each endpoint needs to reach the database, other than an address. */
const queries: Readonly<Record<string, string>> = {
  'POST /token': '?grant_type=password',
  'GET /oauth/authorize': `?client_id=${id}&redirect_uri=https://client.example.com/`,
  'GET /oauth/logout': `?client_id=${id}`,
  'DELETE /user/oauth/grants': `?client_id=${id}`,
  'GET /verify': `?type=signup&token=${'a'.repeat(56)}`,
  'GET /authorize': '?provider=github',
  'POST /admin/webhooks/{webhook_id}/replay': '?since=2026-11-23T13:00:00Z',
  'GET /user/identities/authorize': '?provider=github&skip_http_redirect=true',
};
const bodies: Readonly<Record<string, (email: string) => object>> = {
  'POST /verify': (email) => ({ type: 'signup', email, token: '123456' }),
  'POST /oauth/token': () => ({ grant_type: 'authorization_code', client_id: id, code: 'code' }),
  'POST /oauth/revoke': () => ({ client_id: id, token: 'token' }),
  'POST /oauth/introspect': () => ({ client_id: id, client_secret: 'secret', token: 'token' }),
  'POST /oauth/logout': () => ({ client_id: id }),
  'POST /oauth/par': () => ({ client_id: id }),
  'POST /oauth/device_authorization': () => ({ client_id: id }),
  'POST /oauth/clients/register': () => ({ redirect_uris: ['https://client.example.com/'] }),
  'POST /admin/oauth/clients': () => ({ redirect_uris: ['https://client.example.com/'] }),
  'POST /resend': (email) => ({ type: 'signup', email }),
  'POST /admin/webhooks': () => ({ url: `${NOWHERE}/events`, events: ['*'] }),
  'POST /admin/custom-providers': () => ({
    provider_type: 'oauth2',
    identifier: 'custom:here',
    name: 'Here',
    client_id: 'id',
    client_secret: 'secret',
    authorization_url: `${NOWHERE}/authorize`,
    token_url: `${NOWHERE}/token`,
    userinfo_url: `${NOWHERE}/userinfo`,
  }),
  'POST /admin/generate_link': (email) => ({ type: 'magiclink', email }),
};

const settings = {
  EXTERNAL_GITHUB_ENABLED: 'true',
  EXTERNAL_GITHUB_CLIENT_ID: 'id',
  EXTERNAL_GITHUB_SECRET: 'secret',
  EXTERNAL_GITHUB_REDIRECT_URI: 'http://localhost:9999/callback',
  SECURITY_MANUAL_LINKING_ENABLED: 'true',
  ...everyFeature,
  OUTBOUND_PRIVATE_HOSTS: '127.0.0.1',
};

interface Asked extends Answer {
  readonly route: string;
}

/** Between two rounds of requests to every endpoint, so that these do not take the processor from what they wait for. */
const TURN_MS = pickForm({ short: 1000, full: 0 });

/** One request to every endpoint, as its caller. Health endpoints are tested apart. */
function askEverything(url: string): Promise<Asked[]> {
  return Promise.all(
    endpoints
      .filter(({ quiet }) => quiet !== true)
      .map(async ({ method, path, caller }) => {
        const route = `${method} ${path}`;
        const email = freshEmail();
        const body = method === 'GET' ? undefined : (bodies[route]?.(email) ?? { email, password });
        const bearer =
          caller === 'admin'
            ? adminToken()
            : caller === 'user'
              ? userToken()
              : caller === 'scim'
                ? scimToken
                : undefined;
        const answer = await call(url, method, path.replace(/\{\w+\}/g, id) + (queries[route] ?? ''), { body, bearer });
        return { route, ...answer };
      }),
  );
}

/** 2xx, a client error, or 503 with Retry-After. */
function assertNoFault(t: Test, answers: readonly Asked[]): void {
  const faults = answers.filter(({ status, headers }) =>
    status === 503 ? !(Number(headers.get('retry-after')) >= 1) : status >= 500,
  );
  t.same(
    faults.map(({ route, status, body }) => ({ route, status, body })),
    [],
    `${answers.length} requests`,
  );
}

for (const threads of pickFirst(['2', '1'])) {
  t.test(`REL-30: requests get 503 with Retry-After while the schema is created, ${threads} thread(s)`, async (t) => {
    const { url: databaseUrl, admin } = await createTestDatabase(t, { isEmpty: true });
    await admin.query('begin');
    await admin.query("select pg_advisory_xact_lock(hashtextextended('migrations', 0))");
    const server = await spawnServer(t, databaseUrl, { ...settings, SERVER_THREADS: threads, CRYPTO_THREADS: threads });
    for (let round = 0; round < pickForm({ short: 1, full: 2, long: 3 }); round++) {
      const answers = await askEverything(server.url);
      assertNoFault(t, answers);
      for (const answer of answers) assertUnavailable(t, answer, answer.route);
    }
    t.equal((await call(server.url, 'GET', '/health')).status, 200, 'it lives');
    const notReady = { status: 503, body: { ready: false, database: 'up', schema: 'migrating', draining: false } };
    const readiness = await call(server.url, 'GET', '/health/ready', { bearer: adminToken() });
    t.match(readiness, notReady);
    t.equal(readiness.headers.get('retry-after'), '1');
    const faults = server.lines.map((line) => JSON.parse(line)).filter(({ level }) => /warn|error|fatal/.test(level));
    t.ok(faults.some(({ component }) => component === 'api'));
    // Tests autoconfirm, which a start beside the authorization server warns of.
    const advice = 'AUTH_MAILER_AUTOCONFIRM';
    t.same(
      faults.filter(({ component, variable }) => component !== 'api' && variable !== advice),
      [],
      'only requests are logged as faults',
    );
    const unexplained = faults.filter(
      ({ level, path, ...line }) =>
        level === 'error' && path !== '/health/ready' && !/schema .* is still being made/.test(JSON.stringify(line)),
    );
    t.same(unexplained, [], 'and the log has the reason');

    await admin.query('rollback');
    for (let isReady = false; !isReady; ) {
      await pause(TURN_MS);
      isReady = (await call(server.url, 'GET', '/health/ready')).status === 200;
      assertNoFault(t, await askEverything(server.url));
    }
    for (let n = 0; n < 4; n++) {
      const signedUp = await call(server.url, 'POST', '/signup', { body: { email: freshEmail(), password } });
      t.equal(signedUp.status, 200, 'each thread has noticed');
    }
    t.match(await server.stop(), { code: 0 });
  });
}

// Beside what the test above asks after the schema is no longer held up.
for (const clients of pickForm({ short: [], full: [2] })) {
  t.test('REL-30: from the first connection until it is ready nothing fails', async (t) => {
    const { url: databaseUrl } = await createTestDatabase(t, { isEmpty: true });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const starting = spawnServer(t, databaseUrl, { ...settings, API_PORT: String(port) });
    const answers: Asked[] = [];
    let isReady = false;
    const hammer = async (): Promise<void> => {
      // All of them at once would take the processor from the start that they wait for.
      while (!(await isListening(port))) await pause(1);
      do {
        answers.push(...(await askEverything(url)));
        await pause(TURN_MS);
      } while (!isReady);
    };
    const watch = async (): Promise<void> => {
      while (!isReady) {
        isReady = await call(url, 'GET', '/health/ready').then(
          ({ status }) => status === 200,
          () => false,
        );
        await pause(5);
      }
    };
    await Promise.all([watch(), ...Array.from({ length: clients }, hammer)]);
    assertNoFault(t, answers);
    t.match(await (await starting).stop(), { code: 0 });
  });
}

t.test('REL-30: nor while an older schema is migrated', sameInFull, async (t) => {
  const { url: databaseUrl, admin } = await createTestDatabase(t, { isEmpty: true });
  const directory = t.testdir({});
  cpSync(ownMigrationsDirectory, directory, { recursive: true });
  rmSync(join(directory, readdirSync(directory).sort().at(-1)!));
  await migrate({ url: databaseUrl, prefix: '', directory });
  await admin.query('begin');
  await admin.query("select pg_advisory_xact_lock(hashtextextended('migrations', 0))");
  const server = await spawnServer(t, databaseUrl, { ...settings, JWT_KEYS_SOURCE: 'database' });
  const body = { email: freshEmail(), password };
  assertUnavailable(t, await call(server.url, 'POST', '/signup', { body }));
  t.match(await call(server.url, 'GET', '/health/ready', { bearer: adminToken() }), {
    status: 503,
    body: { schema: 'migrating' },
  });
  await admin.query('rollback');
  while ((await call(server.url, 'GET', '/health/ready')).status !== 200) await pause(20);
  t.equal((await call(server.url, 'POST', '/signup', { body })).status, 200);
  t.notMatch(
    server.lines.join('\n'),
    /cannot be read/,
    'nor are keys and roles that are not there yet logged as a fault',
  );
  t.match(await server.stop(), { code: 0 });
});
