/** The hooks password_verification_attempt and before_user_created, and functions in the database. */
import { generateKeyPairSync } from 'node:crypto';
import { adminToken } from '../support/admin.js';
import { HOOK_SECRET, hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { freshEmail, freshPhone, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const signIn = ({ post }: TestServer, email: string, secret = password) =>
  post('/token?grant_type=password', { email, password: secret });

t.test('password_verification_attempt', async (t) => {
  const receiver = await openHookReceiver(t, () => ({ decision: 'continue' }));
  const server = await openTestServer(t, hookSettingsOf('PASSWORD_VERIFICATION_ATTEMPT', receiver.url));
  const email = freshEmail();
  const { body } = await server.post('/signup', { email, password });
  t.equal((await signIn(server, email)).status, 200);
  t.match(receiver.calls.at(-1)!.body, {
    user_id: body.user.id,
    valid: true,
    metadata: { name: 'password-verification' },
  });
  t.match(await signIn(server, email, 'wrong'), { status: 400, body: { error_code: 'invalid_credentials' } });
  t.match(receiver.calls.at(-1)!.body, { valid: false });
  await signIn(server, freshEmail());
  t.equal(receiver.calls.length, 2, 'not asked about an unknown address');
  receiver.answer = () => ({ decision: 'reject', message: 'too many', should_logout_user: true });
  t.match(await signIn(server, email), {
    status: 400,
    body: { error_code: 'invalid_credentials', msg: 'too many' },
  });
  const refresh = await server.post('/token?grant_type=refresh_token', { refresh_token: body.refresh_token });
  t.equal(refresh.body.error_code, 'refresh_token_not_found', 'all sessions have ended');
  receiver.answer = () => ({ decision: 'reject' });
  t.equal((await signIn(server, email)).body.msg, 'Further password verification attempts will be rejected.');
  receiver.answer = () => ({ decision: 'maybe' });
  t.equal((await signIn(server, email)).status, 500);
  receiver.answer = () => ({});
  t.equal((await signIn(server, email)).status, 200);
});

t.test('with LENIENT_DECISIONS an unknown decision continues', async (t) => {
  const receiver = await openHookReceiver(t, () => ({ decision: 'maybe' }));
  const settings = hookSettingsOf('PASSWORD_VERIFICATION_ATTEMPT', receiver.url);
  const server = await openTestServer(t, { ...settings, HOOK_LENIENT_DECISIONS: 'true' });
  const email = freshEmail();
  await server.post('/signup', { email, password });
  t.equal((await signIn(server, email)).status, 200);
  receiver.answer = () => ({ decision: 'reject' });
  t.equal((await signIn(server, email)).status, 400);
  t.equal(receiver.calls.length, 2);
});

t.test('before_user_created on every way in', async (t) => {
  const receiver = await openHookReceiver(t, () => ({ error: { http_code: 403, message: 'not here' } }));
  const server = await openTestServer(t, {
    ...hookSettingsOf('BEFORE_USER_CREATED', receiver.url),
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    SMS_TEST_OTP: '15550001111:123456',
  });
  const admin = adminToken();
  const email = freshEmail();
  const refused = { status: 403, body: { msg: 'not here' } };
  const ways: readonly (readonly [string, object, boolean])[] = [
    ['/signup', { email, password, data: { plan: 'gold' } }, false],
    ['/signup', { phone: freshPhone(), password }, false],
    ['/signup', {}, false],
    ['/otp', { email }, false],
    ['/magiclink', { email: freshEmail() }, false],
    ['/otp', { phone: '15550001111' }, false],
    ['/invite', { email }, true],
    ['/admin/generate_link', { type: 'signup', email, password }, true],
    ['/admin/generate_link', { type: 'invite', email }, true],
    ['/admin/generate_link', { type: 'magiclink', email }, true],
  ];
  for (const [path, body, isAdmin] of ways) {
    const asked = receiver.calls.length;
    const answer = await server.call('POST', path, { body, bearer: isAdmin ? admin : undefined });
    t.match(answer, refused, `${path} ${JSON.stringify(body)}`);
    t.equal(receiver.calls.length, asked + 1);
  }
  t.match(receiver.calls[0]!.body.user, {
    email,
    identities: [],
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { plan: 'gold' },
  });
  const { rows } = await server.database.admin.query(
    'select (select count(*)::int from users) + (select count(*)::int from one_time_tokens) as count',
  );
  t.equal(rows[0].count, 0, 'nothing was written');
  const asked = receiver.calls.length;
  const made = await server.call('POST', '/admin/users', { body: { email, password }, bearer: admin });
  t.equal(made.status, 200);
  t.equal(receiver.calls.length, asked, 'administrators are not asked about');
  receiver.answer = () => ({});
  t.equal((await server.post('/signup', { email: freshEmail(), password })).status, 200);
});

t.test('functions in the database', async (t) => {
  const uri = (name: string) => `pg-functions://postgres/public/${name}`;
  const server = await openTestServer(t, {
    HOOK_CUSTOM_ACCESS_TOKEN_ENABLED: 'true',
    HOOK_CUSTOM_ACCESS_TOKEN_URI: uri('add_plan'),
    HOOK_BEFORE_USER_CREATED_ENABLED: 'true',
    HOOK_BEFORE_USER_CREATED_URI: uri('only_ours'),
  });
  const define = (name: string, body: string) =>
    server.database.admin.query(
      `create or replace function ${name}(event jsonb) returns jsonb language plpgsql as $f$ begin ${body} end $f$`,
    );
  const signUp = () => server.post('/signup', { email: freshEmail(), password });
  const missing = await signUp();
  t.match(missing, { status: 500, body: { msg: 'Error running hook' } });
  await define('only_ours', 'return null;');
  await define('add_plan', `return jsonb_build_object('claims', event -> 'claims' || '{"plan":"gold"}');`);
  const { status, body } = await signUp();
  t.equal(status, 200);
  t.equal(JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString()).plan, 'gold');
  await define('add_plan', `return '{"claims":{"id":123456789012345678901}}';`);
  t.match(await signUp(), { status: 500 }, 'a number that cannot be kept');
  await define('add_plan', `return jsonb_build_object('claims', event -> 'claims');`);
  await define('only_ours', `raise exception 'not one of us';`);
  t.match(await signUp(), { status: 500, body: { msg: 'not one of us', error_code: 'unexpected_failure' } });
  await define('only_ours', `raise exception 'closed' using errcode = 'PT422', detail = 'private';`);
  const refused = await signUp();
  t.match(refused, { status: 422, body: { msg: 'closed', error_code: 'unknown' } });
  t.notMatch(JSON.stringify(refused.body), /private|pg-functions/);
  await define('only_ours', `return '{"error":{"http_code":403,"message":"no"}}';`);
  t.match(await signUp(), { status: 403, body: { msg: 'no' } });
  await define('only_ours', 'perform pg_sleep(5); return null;');
  t.match(await signUp(), {
    status: 422,
    body: { msg: 'Failed to reach hook within maximum time of 2.000000 seconds' },
  });
});

t.test('the public keys of v1a secrets are listed, and no others', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  const whpk = raw.toString('base64');
  const server = await openTestServer(t, {
    ...hookSettingsOf('BEFORE_USER_CREATED', 'http://localhost:9/hook'),
    HOOK_BEFORE_USER_CREATED_SECRETS: `${HOOK_SECRET}|v1a,whpk_${whpk}:whsk_${seed.toString('base64')}`,
  });
  const { status, body } = await server.call('GET', '/.well-known/webhooks.json');
  t.equal(status, 200);
  t.equal(body.keys.length, 1);
  t.match(body.keys[0], { ...publicKey.export({ format: 'jwk' }), kid: `whpk_${whpk}`, use: 'sig' });
  t.notMatch(JSON.stringify(body), new RegExp(seed.toString('base64url')));
});
