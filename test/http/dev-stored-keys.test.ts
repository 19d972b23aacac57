/** Keys of `latchkey dev`: the token that it prints is accepted, whatever key signs, and it has an ES256 key of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { launcher } from '../support/binary.js';
import { createTestDatabase } from '../support/database.js';
import { type CalledServer, type Person, REDIRECT_URI, signInToClient, signUpPerson } from '../support/oauth-client.js';
import { pickRows } from '../support/rows.js';
import { runCommand } from '../support/run-command.js';
import { call, testEnvironment } from '../support/server.js';
import { onlyInFull, type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('four servers of latchkey dev; keys of the database: stored-keys');

interface Dev {
  readonly url: string;
  /** The token that the start screen shows. */
  readonly bearer: string;
  stop(): Promise<unknown>;
}

/** Runs `latchkey dev` through the launcher, with only these variables. */
async function startDev(t: Test, directory: string, environment: Record<string, string>): Promise<Dev> {
  const child: ChildProcess = spawn(process.execPath, [launcher, 'dev', `--data=${directory}`], {
    cwd: t.testdirName,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  t.teardown(() => child.kill('SIGKILL'));
  let screen = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
  });
  await until(() => screen.includes('Try it'));
  const [, port] = /API +http:\/\/localhost:(\d+)/.exec(screen) ?? [];
  const [bearer = ''] = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(screen) ?? [];
  return {
    url: `http://127.0.0.1:${port}`,
    bearer,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const signers = [
  ['a key in the database', true],
  ['AUTH_JWT_SECRET, while there is none', false],
] as const;
// How keys of the database are found is tested without `dev`, too.
for (const [name, rotates] of pickRows(signers, [() => 'one'])) {
  t.test(`dev with keys in the database: its token is signed by ${name}`, async (t) => {
    const { url: databaseUrl } = await createTestDatabase(t);
    const environment = testEnvironment(databaseUrl, { JWT_KEYS_SOURCE: 'database' });
    if (rotates) {
      const made = await runCommand(['keys', 'rotate', '--wait', '0', '--kid', 'first'], environment, '/dev/null');
      t.equal(made.code, 0, made.err);
    }
    const directory = t.testdir({});
    const dev = await startDev(t, directory, environment);
    t.equal(decodeProtectedHeader(dev.bearer).kid, rotates ? 'first' : undefined);
    t.equal((await call(dev.url, 'GET', '/admin/users', { bearer: dev.bearer })).status, 200);
    t.equal(existsSync(join(directory, 'signing-key.json')), false, 'no key that is not used');
    t.same(await dev.stop(), [0, null]);
  });
}

t.test('dev alone signs ID tokens with an ES256 key that it keeps', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const { AUTH_JWT_SECRET, ...environment } = testEnvironment(databaseUrl);
  const directory = t.testdir({});
  // A folder of an earlier release: there, the secret has signed.
  const secret = randomBytes(32).toString('base64url');
  writeFileSync(join(directory, 'jwt-secret'), `${secret}\n`);
  const earlier = await runCommand(['token'], { ...environment, AUTH_JWT_SECRET: secret }, '/dev/null');
  t.equal(earlier.code, 0, earlier.err);

  const first = await startDev(t, directory, environment);
  const bearers = { printed: first.bearer, 'of an earlier release': earlier.out.trim() };
  t.equal(decodeProtectedHeader(first.bearer).alg, 'ES256');
  t.equal(decodeProtectedHeader(bearers['of an earlier release']).alg, 'HS256');
  for (const [which, bearer] of Object.entries(bearers)) {
    t.equal((await call(first.url, 'GET', '/admin/users', { bearer })).status, 200, which);
  }
  t.equal(statSync(join(directory, 'signing-key.json')).mode & 0o777, 0o600);
  const jwks = await call(first.url, 'GET', '/.well-known/jwks.json');
  const kept = JSON.parse(readFileSync(join(directory, 'signing-key.json'), 'utf8'));
  t.same(
    jwks.body.keys.map(({ kid, alg, d, k }: Record<string, unknown>) => ({ kid, alg, d, k })),
    [{ kid: kept.kid, alg: 'ES256', d: undefined, k: undefined }],
    'the public part of that key alone',
  );

  const person = await signInWithOpenid(t, first);
  t.same(await first.stop(), [0, null]);

  const second = await startDev(t, directory, environment);
  t.equal(decodeProtectedHeader(second.bearer).kid, kept.kid, 'the same key after a restart');
  t.equal((await call(second.url, 'GET', '/user', { bearer: person.token })).status, 200);
  t.same(await second.stop(), [0, null]);
});

t.test('dev with a secret of the user: it signs as before', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const directory = t.testdir({});
  const dev = await startDev(t, directory, testEnvironment(databaseUrl));
  t.equal(decodeProtectedHeader(dev.bearer).alg, 'HS256');
  t.equal(existsSync(join(directory, 'signing-key.json')), false);
  t.same(await dev.stop(), [0, null]);
});

/** The code flow with the scope openid, without a setting of the OAuth server. */
async function signInWithOpenid(t: Test, { url }: Dev): Promise<Person> {
  const person = await signUpPerson({ post: (path, body) => call(url, 'POST', path, { body }) });
  const registered = await call(url, 'POST', '/oauth/clients/register', {
    body: { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
  });
  t.equal(registered.status, 201);
  const client = { id: registered.body.client_id, secret: undefined, body: registered.body };
  const at: CalledServer = { url, call: (method, path, options) => call(url, method, path, options) };
  const { status, body } = await signInToClient(at, person, client, { parameters: { scope: 'openid email' } });
  t.equal(status, 200);
  const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(body.id_token, keys, { audience: client.id, algorithms: ['ES256'] });
  t.equal(payload.sub, person.id);
  return person;
}
