import { openDatabase } from '../../src/db/pool.js';
import { addSigningKey } from '../../src/db/signing-keys.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { findQuickest } from '../support/quickest.js';
import { keepLog } from '../support/quiet-log.js';
import { runCommand } from '../support/run-command.js';
import {
  freshEmail,
  JWT_SECRET,
  openTestServer,
  password,
  type TestServer,
  testEnvironment,
} from '../support/server.js';
import { keySetting, makeTestJwk, publicHalf, signWithJwk } from '../support/signing-keys.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());
const STORED = { JWT_KEYS_SOURCE: 'database' };

const openServers = (t: Test, database: TestDatabase, count: number, more = {}): Promise<TestServer[]> =>
  Promise.all(
    Array.from({ length: count }, () => openTestServer(t, { DB_DATABASE_URL: database.url, ...STORED, ...more })),
  );

/** Runs latchkey keys. */
async function keys(database: TestDatabase, args: string[], more: Record<string, string> = {}) {
  return runCommand(['keys', ...args], testEnvironment(database.url, { ...STORED, ...more }), '/dev/null');
}
/** A change that takes longer than this is a fault: docs/keys.md says five seconds. */
const SLOW_MS = 5000 + 5000;
async function soon(t: Test, name: string, condition: () => Promise<boolean>): Promise<void> {
  const startMs = performance.now();
  await until(condition);
  t.ok(performance.now() - startMs < SLOW_MS, `${name} within seconds`);
}
const listed = async (database: TestDatabase, more = {}) =>
  JSON.parse((await keys(database, ['list', '--json'], more)).out).keys as {
    kid: string;
    state: string;
    alg: string;
  }[];

const statesOf = async (database: TestDatabase) =>
  Object.fromEntries((await listed(database)).map(({ kid, state }) => [kid, state]));

async function signUp({ post }: TestServer) {
  const { status, body } = await post('/signup', { email: freshEmail(), password });
  return { status, token: body.access_token as string, refreshToken: body.refresh_token as string };
}
const published = async ({ call }: TestServer): Promise<string[]> =>
  (await call('GET', '/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid);

t.test('a rotation reaches all servers, and signs nobody out', async (t) => {
  const database = await createTestDatabase(t);
  const [first, second] = (await openServers(t, database, 2)) as [TestServer, TestServer];
  const before = await signUp(first);
  t.same(headerOf(before.token), { alg: 'HS256', typ: 'JWT' }, 'AUTH_JWT_SECRET signs while there is no key');

  const rotated = await keys(database, ['rotate', '--wait', '3s', '--kid', 'new']);
  t.match(rotated, { code: 0, out: /^new is published, and signs from / });
  t.match(await keys(database, ['rotate', '--wait', '3s']), { code: 0, out: /A rotation is under way: new signs/ });
  for (const server of [first, second]) {
    await soon(t, 'published', async () => (await published(server)).includes('new'));
    const { headers } = await server.call('GET', '/.well-known/jwks.json');
    t.match(headers.get('cache-control'), /max-age=60,/, 'fetched more often while a key is new');
  }
  t.equal(headerOf((await signUp(second)).token).alg, 'HS256', 'published, and does not sign yet');

  await until(async () => (await statesOf(database))['new'] === 'active');
  for (const server of [first, second]) {
    await until(async () => headerOf((await signUp(server)).token).kid === 'new');
    t.equal((await server.call('GET', '/user', { bearer: before.token })).status, 200, 'the former key verifies');
  }
  const renewed = await second.post('/token?grant_type=refresh_token', { refresh_token: before.refreshToken });
  t.match(headerOf(renewed.body.access_token), { alg: 'ES256', kid: 'new' });
  t.equal((await first.call('GET', '/user', { bearer: renewed.body.access_token })).status, 200);

  t.match(await keys(database, ['retire', 'jwt-secret']), { code: 1, err: /its tokens may live for another/ });
  t.match(await keys(database, ['retire', 'new']), { code: 1, err: /it signs: rotate or promote/ });
  t.match(await keys(database, ['retire', 'jwt-secret', '--force']), { code: 0 });
  for (const server of [first, second]) {
    await soon(t, 'refused', async () => (await server.call('GET', '/user', { bearer: before.token })).status === 403);
  }
  const { out } = await keys(database, ['list']);
  t.match(out, /^KID +ALG +STATE/);
  t.match(out, /^new +ES256 +active/m);
  t.match(out, /^jwt-secret +HS256 +retired/m);
});

t.test('a rotation that was interrupted goes on when a server runs', async (t) => {
  const database = await createTestDatabase(t);
  const [server] = await openServers(t, database, 1);
  await server!.server.stop(1);
  await keys(database, ['rotate', '--wait', '1s', '--kid', 'late']);
  t.same(await statesOf(database), { 'jwt-secret': 'active', late: 'standby' });
  await new Promise((resolve) => setTimeout(resolve, 1200));
  const [again] = await openServers(t, database, 1);
  await until(async () => headerOf((await signUp(again!)).token).kid === 'late');
  t.same(await statesOf(database), { 'jwt-secret': 'previous', late: 'active' });
});

t.test('a revoked key is refused at once, and another one signs', async (t) => {
  const database = await createTestDatabase(t);
  const [first, second] = (await openServers(t, database, 2)) as [TestServer, TestServer];
  await keys(database, ['rotate', '--wait', '0', '--kid', 'leaked']);
  await until(async () => headerOf((await signUp(first)).token).kid === 'leaked');
  const { token } = await signUp(first);
  t.equal((await second.call('GET', '/user', { bearer: token })).status, 200, 'verified, and cached');
  t.match(await keys(database, ['revoke', 'leaked']), { code: 0, out: /leaked is refused from now on; .+ signs/ });
  for (const server of [first, second]) {
    await soon(t, 'refused', async () => (await server.call('GET', '/user', { bearer: token })).status === 403);
    t.notOk((await published(server)).includes('leaked'));
    t.equal(headerOf((await signUp(server)).token).alg, 'ES256');
  }
  t.match(await keys(database, ['promote', 'leaked']), { code: 1, err: /a retired key does not come back/ });
  t.match(await keys(database, ['promote', 'nowhere']), { code: 1, err: /there is no such key/ });
  t.match(await keys(database, ['promote']), { code: 2 });
  const { rows } = await database.admin.query(`select sealed from signing_keys where kid = 'leaked'`);
  t.same(rows, [{ sealed: null }], 'its private part is deleted');
});

t.test('a key that no notification announced is looked up', async (t) => {
  const database = await createTestDatabase(t);
  const [server] = (await openServers(t, database, 1)) as [TestServer];
  await keys(database, ['rotate', '--wait', '0', '--kid', 'known']);
  await until(async () => headerOf((await signUp(server)).token).kid === 'known');
  const { token } = await signUp(server);
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  const unannounced = makeTestJwk('ES256', 'unannounced');
  const bearer = signWithJwk(unannounced, { alg: 'ES256', kid: 'unannounced' }, claims);
  t.equal((await server.call('GET', '/user', { bearer })).status, 403, 'unknown everywhere');

  const db = openDatabase({
    url: database.url,
    prefix: '',
    maxConnections: 1,
    preparedStatements: false,
    log: keepLog(),
  });
  t.teardown(() => db.close());
  const { kty, crv, x, y } = publicHalf(unannounced);
  const row = { kid: 'unannounced', alg: 'ES256', public_jwk: { kty, crv, x, y } as never, sealed: null };
  await addSigningKey(db, { ...row, state: 'previous' }, null);
  t.equal((await server.call('GET', '/user', { bearer })).status, 200);
  let kids = 0;
  const { ms } = await findQuickest(10_000, async () => {
    const strays = Array.from({ length: 20 }, () => {
      const bearer = signWithJwk(unannounced, { alg: 'ES256', kid: `stray-${++kids}` }, claims);
      return server.call('GET', '/user', { bearer });
    });
    for (const { status } of await Promise.all(strays)) t.equal(status, 403);
  });
  t.ok(ms < 10_000, `unknown kids share one look: ${Math.round(ms)} ms`);
});

t.test('sealed keys: a dump signs nothing, and another sealing key is no silent change of key', async (t) => {
  const database = await createTestDatabase(t);
  const imported = makeTestJwk('ES256', 'imported');
  const spare = makeTestJwk('RS256', 'spare', ['verify']);
  const [server] = (await openServers(t, database, 1)) as [TestServer];
  const open = publicHalf(makeTestJwk('ES256', 'open'));
  const setting = keySetting(imported, spare, open);
  t.match(await keys(database, ['import'], setting), {
    code: 0,
    out: 'imported imported\nimported spare\nimported open\n',
  });
  t.match(await keys(database, ['import'], setting), { code: 0, out: /there already/ });
  await until(async () => headerOf((await signUp(server)).token).kid === 'imported');
  t.match(await keys(database, ['promote', 'open']), { code: 1, err: /has no private part, so it can only verify/ });
  t.match(await statesOf(database), { imported: 'active', open: 'previous' }, 'what cannot sign does not come to');
  const dump = JSON.stringify((await database.admin.query('select * from signing_keys')).rows);
  for (const text of [imported.d!, spare.d!, spare.p!]) t.notOk(dump.includes(text), 'no private part in clear');
  t.ok(dump.includes(imported.x!));

  const sealing = 'a-sealing-key-of-thirty-two-bytes-or-so';
  const both = { JWT_KEYS_ENCRYPTION_KEY: sealing };
  t.match(await keys(database, ['reseal'], both), { code: 0, out: '2 keys are sealed with the present value.\n' });
  const { status } = await signUp(server);
  t.equal(status, 200, 'a running server keeps what it has read');
  const [blind] = (await openServers(t, database, 1)) as [TestServer];
  const refused = await blind.post('/signup', { email: freshEmail(), password });
  t.equal(refused.status, 500, 'it signs with no other key');
  t.match(await keys(database, ['reseal']), { code: 1, err: /cannot be opened: AUTH_JWT_KEYS_ENCRYPTION_KEY/ });
  const [seeing] = (await openServers(t, database, 1, both)) as [TestServer];
  t.equal(headerOf((await signUp(seeing)).token).kid, 'imported');
  t.notMatch(dump, JWT_SECRET);
});

t.test('AUTH_JWT_KEYS_ROTATE_EVERY: one of several servers rotates', async (t) => {
  const database = await createTestDatabase(t);
  const [first] = await openServers(t, database, 1);
  await keys(database, ['rotate', '--wait', '0', '--kid', 'old']);
  await database.admin.query(`update signing_keys set since = now() - interval '3 hours' where kid = 'old'`);
  await first!.server.stop(1);
  await openServers(t, database, 3, { JWT_KEYS_ROTATE_EVERY: '1h' });
  const standby = async () => (await listed(database)).filter(({ state }) => state === 'standby');
  await until(async () => (await standby()).length > 0);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  t.match(await standby(), [{ alg: 'ES256' }]);
  t.equal((await standby()).length, 1);
});

t.test('keys generate makes what AUTH_JWT_KEYS takes', async (t) => {
  for (const alg of ['ES256', 'RS256', 'EdDSA']) {
    const { code, out } = await runCommand(['keys', 'generate', '--alg', alg, '--kid', 'mine'], {}, '/dev/null');
    t.equal(code, 0);
    const { call, post } = await openTestServer(t, { JWT_KEYS: `[${out}]` });
    const { body } = await post('/signup', { email: freshEmail(), password });
    t.match(headerOf(body.access_token), { alg, kid: 'mine' });
    t.equal((await call('GET', '/user', { bearer: body.access_token })).status, 200);
  }
  t.match(await runCommand(['keys', 'generate', '--alg', 'HS256'], {}, '/dev/null'), {
    code: 2,
    err: /--alg must be one of/,
  });
  t.match(await runCommand(['keys', 'generate', '--kid', 'a\nb'], {}, '/dev/null'), {
    code: 2,
    err: /kid of 1 to 128/,
  });
});

t.test('no key set is published before the keys are known', async (t) => {
  const database = await createTestDatabase(t);
  await database.admin.query('alter table signing_keys rename to elsewhere');
  const [server] = await openServers(t, database, 1);
  for (const path of ['/.well-known/jwks.json', '/.well-known/openid-configuration']) {
    const { status, headers } = await server!.call('GET', path);
    t.ok(status >= 500, `${path}: ${status}`);
    t.equal(headers.get('cache-control'), 'no-store');
  }
  await database.admin.query('alter table elsewhere rename to signing_keys');
  await until(async () => (await server!.call('GET', '/.well-known/jwks.json')).status === 200);
});
