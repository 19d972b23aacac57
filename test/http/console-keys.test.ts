/** Operators see the signing keys and change them; every process follows. */

import { forgetStepUps, openTestConsole, type SignedInOperator, type TestConsole } from '../support/console.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { keySetting, makeTestJwk } from '../support/signing-keys.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

const STORED = { JWT_KEYS_SOURCE: 'database' };
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());
const signUp = async ({ post }: TestServer) =>
  (await post('/signup', { email: freshEmail(), password })).body.access_token as string;

type Key = { kid: string; state: string; tokens_live_until: string | null; next_state_at: string | null };
const keysOf = async (browser: SignedInOperator) => (await browser.get('/api/keys')).body.keys as Key[];
const statesOf = async (browser: SignedInOperator) =>
  Object.fromEntries((await keysOf(browser)).map(({ kid, state }) => [kid, state]));

async function auditOf({ database }: TestConsole) {
  const { rows } = await database.admin.query<{ payload: Record<string, unknown> }>(
    "select payload from audit_log where payload ->> 'action' like 'signing_key%' order by created_at",
  );
  return rows.map(({ payload }) => payload);
}

const rotateNow = async (t: Test, browser: SignedInOperator): Promise<string> => {
  const { status, body } = await browser.post('/api/keys/rotate', { wait_seconds: 0, reason: 'yearly' });
  t.equal(status, 200);
  return (body.keys as Key[]).find(({ state }) => state === 'active')!.kid;
};

t.test('a rotation, a promotion and a revocation reach every process, each with its audit entry', async (t) => {
  const console = await openTestConsole(t, STORED);
  const other = await openTestServer(t, { ...STORED, DB_DATABASE_URL: console.database.url });
  const browser = await console.signIn('owner', 'ann');
  t.match((await browser.get('/api/keys')).body, {
    source: 'database',
    signing_kid: '',
    token_seconds: 3600,
    keys: [],
  });
  const former = await signUp(console);

  const first = await rotateNow(t, browser);
  t.equal((await browser.get('/api/keys')).body.signing_kid, first, 'this process signs with it at once');
  t.match(headerOf(await signUp(console)), { alg: 'ES256', kid: first });
  await until(async () => headerOf(await signUp(other)).kid === first);
  const secret = (await keysOf(browser)).find(({ kid }) => kid === 'jwt-secret');
  t.match(secret, { kid: 'jwt-secret', state: 'previous' });
  const leftMs = Date.parse(secret!.tokens_live_until!) - Date.now();
  t.ok(
    leftMs > 3600_000 && leftMs <= 3660_000,
    'its last token expires AUTH_JWT_EXP and a minute from now at the latest',
  );
  t.equal((await other.call('GET', '/user', { bearer: former })).status, 200);

  t.match(await browser.post('/api/keys/retire', { kid: 'jwt-secret' }), {
    status: 409,
    body: { error_code: 'signing_key_state', msg: /its tokens may live/ },
  });
  t.match(await browser.post('/api/keys/retire', { kid: first }), { status: 409, body: { msg: /it signs: rotate/ } });
  t.match(await browser.post('/api/keys/promote', { kid: 'nothing' }), { status: 404 });
  t.equal((await browser.post('/api/keys/promote', { kid: 'jwt-secret', reason: 'back' })).status, 200);
  t.match(await statesOf(browser), { [first]: 'previous', 'jwt-secret': 'active' });
  t.equal((await browser.post('/api/keys/revoke', { kid: first, reason: 'leak' })).status, 200);
  t.match(await statesOf(browser), { [first]: 'retired', 'jwt-secret': 'active' });
  await until(async () => headerOf(await signUp(other)).alg === 'HS256');

  const { rows } = await console.database.admin.query('select sealed from signing_keys where kid = $1', [first]);
  t.same(rows, [{ sealed: null }], 'the private part is gone');
  t.match(await auditOf(console), [
    {
      action: 'signing_keys_rotated',
      actor_username: 'ann',
      traits: {
        operator: { id: browser.operatorId, role: 'owner' },
        request_id: /^[0-9a-f-]{36}$/,
        reason: 'yearly',
        before: { 'jwt-secret': null, [first]: null },
        after: { 'jwt-secret': 'previous', [first]: 'active' },
      },
    },
    { action: 'signing_key_promoted', traits: { reason: 'back', before: { 'jwt-secret': 'previous' } } },
    { action: 'signing_key_revoked', traits: { reason: 'leak', after: { [first]: 'retired' } } },
  ]);
  t.equal((await auditOf(console)).length, 3, 'what was refused is no entry');
  t.notMatch((await browser.get('/api/keys')).text, /"d":|sealed/);
});

t.test('a rotation waits for verifiers, and a second one starts no other', async (t) => {
  const console = await openTestConsole(t, STORED);
  const browser = await console.signIn('admin');
  const both = await Promise.all([browser.post('/api/keys/rotate'), browser.post('/api/keys/rotate')]);
  t.same(
    both.map(({ status }) => status),
    [200, 200],
  );
  const keys = await keysOf(browser);
  t.match(await statesOf(browser), { 'jwt-secret': 'active' });
  t.equal(keys.length, 2);
  const standby = keys.find(({ state }) => state === 'standby')!;
  const inMs = Date.parse(standby.next_state_at!) - Date.now();
  t.ok(inMs > 590_000 && inMs <= 600_000);
  t.equal((await auditOf(console)).length, 1, 'one of the two has changed something');
  t.match(await browser.post('/api/keys/revoke', { kid: standby.kid }), { status: 403 }, 'only an owner revokes');
  await forgetStepUps(console);
  t.match(await browser.post('/api/keys/rotate'), { status: 403, body: { error_code: 'operator_step_up' } });
});

t.test('keys of the settings are shown, and changed there', async (t) => {
  const console = await openTestConsole(t, keySetting(makeTestJwk('ES256', 'mine')));
  const browser = await console.signIn('owner');
  const { body, text } = await browser.get('/api/keys');
  t.match(body, { source: 'environment', signing_kid: 'mine', keys: [{ kid: 'mine', alg: 'ES256', state: 'active' }] });
  t.notMatch(text, /"d":/);
  t.match(await browser.post('/api/keys/rotate'), { status: 409, body: { error_code: 'signing_keys_in_settings' } });
});
