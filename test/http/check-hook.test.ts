/** latchkey check hook: calls a hook with an example, or receives calls. */
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseHookSecrets } from '../../src/server/config/parse-hooks.js';
import { listenForHooks } from '../../src/server/hooks/listener.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { HOOK_SECRET, hookSettingsOf, openHookReceiver, reply } from '../support/hook-receiver.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, openTestServer, password, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const launcher = fileURLToPath(new URL('../../../bin/latchkey.cjs', import.meta.url));

const secretsOf = (text: string) => {
  const parsed = parseHookSecrets(text);
  return 'value' in parsed ? parsed.value : [];
};

t.test('request, signature, answer and verdict of each hook', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const server = await openTestServer(t);
  const check = (args: string[], settings: Record<string, string>) =>
    runCommand(['check', 'hook', ...args], testEnvironment(server.database.url, settings), '/dev/null');
  const email = freshEmail();
  const { body } = await server.post('/signup', { email, password });

  const created = hookSettingsOf('BEFORE_USER_CREATED', receiver.url);
  const fine = await check(['before-user-created', '--user', body.user.id], created);
  t.equal(fine.code, 0, fine.err);
  t.match(
    fine.out,
    /^request {4}POST http:[\s\S]*webhook-signature: v1,[\s\S]*signature {2}genuine[\s\S]*answer {5}200 \{\}[\s\S]*time {7}\d+ ms\n/,
  );
  t.match(fine.out, 'verdict    the account may be created');
  t.match(receiver.calls[0]!.body, { metadata: { name: 'before-user-created' }, user: { id: body.user.id, email } });

  const dry = await check(['before_user_created', '--dry'], created);
  t.equal(dry.code, 0);
  t.match(dry.out, 'signature  genuine');
  t.equal(receiver.calls.length, 1, '--dry sends nothing');

  receiver.answer = () => ({ error: { http_code: 403, message: 'Not here.' } });
  const refused = await check(['before_user_created'], created);
  t.equal(refused.code, 1);
  t.match(refused.out, 'the client gets 403: Not here.');

  const mail = hookSettingsOf('SEND_EMAIL', receiver.url);
  receiver.answer = () => ({});
  t.equal((await check(['send_email', '--event', 'recovery'], mail)).code, 0);
  t.match(receiver.calls.at(-1)!.body.email_data, { email_action_type: 'recovery', token_hash: /^[0-9a-f]{56}$/ });
  t.equal((await check(['send_email', '--event', 'email_change'], mail)).code, 0);
  t.match(receiver.calls.at(-1)!.body, { user: { new_email: 'new@example.com' }, email_data: { token_new: /^0+$/ } });
  const settings = { ...mail, HOOK_SEND_EMAIL_SECRETS: '', HOOK_SEND_EMAIL_ENABLED: 'false' };
  const unsigned = await check(['send_email'], settings);
  t.match(unsigned.out, 'signature  none');
  t.match(unsigned.out, 'AUTH_HOOK_SEND_EMAIL_ENABLED is off');

  const token = hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url);
  receiver.answer = ({ body }) => ({ claims: { ...body.claims, role: undefined } });
  t.match((await check(['custom_access_token'], token)).out, 'expected schema: (root): role is required');
  receiver.answer = ({ body }) => ({ claims: { ...body.claims, sub: 'other' } });
  t.match((await check(['custom_access_token'], token)).out, 'problem    the hook changed the claim sub');
  receiver.answer = ({ body }) => ({ claims: { ...body.claims, plan: 'gold' } });
  t.match(await check(['custom_access_token', '--event', 'otp'], token), {
    code: 0,
    out: /the claims fit; changed: plan/,
  });
  receiver.answer = () => reply(500, 'stack trace');
  t.match((await check(['custom_access_token'], token)).out, 'answer     500 stack trace');

  const sms = hookSettingsOf('SEND_SMS', receiver.url);
  receiver.answer = () => ({});
  t.match(await check(['send_sms'], sms), { code: 0, out: /counts as sent/ });
  t.same(receiver.calls.at(-1)!.body.sms, { phone: '15555550100', otp: '000000' });
  const length = { MFA_PHONE_OTP_LENGTH: '8' };
  t.equal((await check(['send_sms', '--event', 'mfa'], { ...sms, ...length })).code, 0);
  t.same(receiver.calls.at(-1)!.body.sms, { phone: '15555550100', otp: '00000000', sms_type: 'mfa' });
  const used = 'mfa_recovery_code_used_notification';
  t.equal((await check(['send_sms', '--event', used], sms)).code, 0);
  t.match(receiver.calls.at(-1)!.body.sms, {
    ...{ otp: '', sms_type: used },
    message: /^A recovery code of your account was used \(.*, Firefox on Windows\)\. Codes that are left: 9\./,
  });
  t.equal((await check(['send_email', '--event', 'mfa_factor_enrolled_notification'], mail)).code, 0);
  t.match(receiver.calls.at(-1)!.body.email_data, {
    ...{ email_action_type: 'mfa_factor_enrolled_notification', factor_type: 'totp' },
    ...{ token: '', token_hash: '', recipient: 'someone@example.com' },
  });
  const verify = hookSettingsOf('PASSWORD_VERIFICATION_ATTEMPT', receiver.url);
  receiver.answer = () => ({ decision: 'reject', should_logout_user: true });
  const factor = hookSettingsOf('MFA_VERIFICATION_ATTEMPT', receiver.url);
  t.match(await check(['mfa_verification_attempt', '--event', 'wrong'], factor), {
    code: 0,
    out: /reject, and all sessions of the user end/,
  });
  t.match(receiver.calls.at(-1)!.body, { valid: false, factor_type: 'totp', metadata: { name: 'mfa-verification' } });
  t.match(await check(['password_verification_attempt', '--event', 'wrong'], verify), {
    code: 0,
    out: /reject, and all/,
  });
  t.equal(receiver.calls.at(-1)!.body.valid, false);

  t.match(await check(['nothing'], {}), { code: 2, err: /which hook\? There are custom_access_token/ });
  t.match(await check(['send_sms', '--event', 'x'], sms), { code: 2, err: /the events of send_sms are signup/ });
  t.match(await check(['send_sms'], {}), { code: 2, err: /AUTH_HOOK_SEND_SMS_URI is unset/ });
  t.match(await check(['send_sms', '--user', 'x'], sms), { code: 2, err: /there is no account x/ });
  t.match(await check(['--listen', '0', '--secret', 'x'], {}), { code: 2, err: /--secret must be a list/ });
});

t.test('a function in the database: missing function, wrong return type', async (t) => {
  const database = await createTestDatabase(t);
  const check = (name: string) => {
    const settings = { HOOK_SEND_SMS_ENABLED: 'true', HOOK_SEND_SMS_URI: `pg-functions://postgres/public/${name}` };
    return runCommand(['check', 'hook', 'send_sms'], testEnvironment(database.url, settings), '/dev/null');
  };
  await database.admin.query("create function fine(event jsonb) returns jsonb language sql as $$select '{}'::jsonb$$");
  await database.admin.query("create function wrong(event jsonb) returns text language sql as $$select 'x'$$");
  t.match(await check('fine'), { code: 0, out: /select public\.fine\(\$1\)[\s\S]*counts as sent/ });
  t.match(await check('absent'), { code: 1, out: /there is no function public\.absent\(jsonb\): create it/ });
  t.match(await check('wrong'), { code: 1, out: /public\.wrong\(jsonb\) must return json or jsonb/ });
});

t.test('--listen verifies calls of the server, shows them, and lets everything continue', async (t) => {
  let shown = '';
  const listener = await listenForHooks(0, secretsOf(HOOK_SECRET), (text) => {
    shown += text;
  });
  t.teardown(listener.close);
  const server = await openTestServer(t, hookSettingsOf('CUSTOM_ACCESS_TOKEN', `${listener.url}/hook`));
  t.equal((await server.post('/signup', { email: freshEmail(), password })).status, 200);
  t.match(shown, /POST \/hook {2}customize-access-token\nsignature {2}genuine\n[\s\S]*answer {5}200 \{"claims"/);
  const forged = await fetch(listener.url, { method: 'POST', body: '{}' });
  t.equal(forged.status, 401);
  t.match(shown, 'webhook-id or webhook-timestamp is missing');
});

function makeV1aSecret() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  return `v1a,whpk_${raw.toString('base64')}:whsk_${Buffer.concat([seed, raw]).toString('base64')}`;
}

t.test('v1a: check hook verifies its own signature, and so does the receiver', async (t) => {
  const [secret, other] = [makeV1aSecret(), makeV1aSecret()];
  const { url: databaseUrl } = await createTestDatabase(t);
  let shown = '';
  const listener = await listenForHooks(0, secretsOf(secret), (text) => {
    shown += text;
  });
  t.teardown(listener.close);
  const check = (secrets: string) => {
    const settings = { ...hookSettingsOf('SEND_SMS', listener.url), HOOK_SEND_SMS_SECRETS: secrets };
    return runCommand(['check', 'hook', 'send_sms'], testEnvironment(databaseUrl, settings), '/dev/null');
  };
  const fine = await check(secret);
  t.equal(fine.code, 0, fine.out + fine.err);
  t.match(fine.out, /webhook-signature: v1a,[\w+/]{86}==\n[\s\S]*signature {2}genuine, with 1 secret/);
  t.match(shown, 'signature  genuine');
  shown = '';
  t.equal((await check(other)).code, 1);
  t.match(shown, /signature {2}webhook-signature is of another secret or another body[\s\S]*answer {5}401/);
  shown = '';
  const both = await check(`${HOOK_SECRET}|${secret}`);
  t.equal(both.code, 0, both.out + both.err);
  t.match(both.out, 'genuine, with 2 secret(s)');
  t.match(shown, 'signature  genuine');
});

t.test('--listen runs until Ctrl-C, and receives check hook of another process', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const port = await freePort();
  const receiver = spawn(
    process.execPath,
    [launcher, 'check', 'hook', '--listen', String(port), '--secret', HOOK_SECRET],
    { cwd: t.testdir({}), env: { PATH: process.env['PATH'] ?? '' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  t.teardown(() => receiver.kill('SIGKILL'));
  let shown = '';
  receiver.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const ended = once(receiver, 'exit');
  await until(() => shown.includes(`Receiving hooks at http://127.0.0.1:${port} until Ctrl-C.`));
  const settings = hookSettingsOf('SEND_SMS', `http://127.0.0.1:${port}/texts`);
  const check = () => runCommand(['check', 'hook', 'send_sms'], testEnvironment(databaseUrl, settings), '/dev/null');
  for (let calls = 1; calls <= 2; calls++) {
    const { code, out, err } = await check();
    t.equal(code, 0, out + err);
    await until(() => shown.split('answer     200 {}').length === calls + 1);
  }
  t.match(shown, /POST \/texts {2}send-sms\nsignature {2}genuine\n/);
  receiver.kill('SIGINT');
  t.same(await ended, [0, null], 'Ctrl-C ends it without an error');
  t.match(await check(), { code: 1 }, 'and nothing listens any more');

  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await once(taken, 'listening');
  const { port: busy } = taken.address() as AddressInfo;
  const second = await runCommand(
    ['check', 'hook', '--listen', String(busy), '--secret', HOOK_SECRET],
    {},
    '/dev/null',
  );
  t.match(second, { code: 1, err: /EADDRINUSE/ });
});
