/** The hook after_user_created: once for each account, after the answer. */
import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../support/admin.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { hookSettingsOf, openHookReceiver, reply } from '../support/hook-receiver.js';
import { spawnServer } from '../support/process.js';
import { spawnReloadingServer } from '../support/reload.js';
import { call, freshEmail, freshPhone, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

t.test('every way in, and each account once', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const server = await openTestServer(t, {
    ...hookSettingsOf('AFTER_USER_CREATED', receiver.url),
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  });
  const bearer = adminToken();
  const seen = (id: string) => receiver.calls.filter(({ body }) => body.user.id === id);

  const email = freshEmail();
  const signUp = await server.post('/signup', { email, password, data: { plan: 'gold' } });
  t.equal(signUp.status, 200);
  await until(() => seen(signUp.body.user.id).length === 1);
  const [first] = seen(signUp.body.user.id);
  t.match(first!.body, {
    metadata: { name: 'after-user-created', ip_address: '127.0.0.1', uuid: /^[0-9a-f-]{36}$/ },
    user: { email, user_metadata: { plan: 'gold' }, identities: [{ provider: 'email' }] },
  });
  t.match(first!.headers, { 'webhook-id': /^[0-9a-f-]{36}$/, 'webhook-signature': /^v1,/ });
  t.notMatch(first!.text, /password_hash|argon2/);

  const anonymous = await server.post('/signup', {});
  const invited = await server.call('POST', '/invite', { bearer, body: { email: freshEmail() } });
  const link = { type: 'signup', email: freshEmail(), password };
  const linked = await server.call('POST', '/admin/generate_link', { bearer, body: link });
  const byAdmin = await server.call('POST', '/admin/users', { bearer, body: { phone: freshPhone() } });
  t.same([anonymous.status, invited.status, linked.status, byAdmin.status], [200, 200, 200, 200]);
  for (const id of [anonymous.body.user.id, invited.body.id, linked.body.id]) await until(() => seen(id).length === 1);

  await server.post('/token?grant_type=password', { email, password });
  await server.post('/signup', { email, password });
  await server.call('PUT', '/user', { bearer: signUp.body.access_token, body: { data: { plan: 'iron' } } });
  await pause(1500);
  t.equal(receiver.calls.length, 4, 'no sign-in, repeated sign-up, change or account of an administrator');
});

t.test('accounts of administrators, where the setting says so', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const settings = { ...hookSettingsOf('AFTER_USER_CREATED', receiver.url), HOOK_AFTER_USER_CREATED_ADMIN: 'true' };
  const server = await openTestServer(t, settings);
  const email = freshEmail();
  const created = await server.call('POST', '/admin/users', { bearer: adminToken(), body: { email } });
  await until(() => receiver.calls.length === 1);
  t.match(receiver.calls[0]!.body.user, { id: created.body.id, email });
});

t.test(
  'a refusal is no error of the client, and is not repeated; a failure is, with the same webhook-id',
  async (t) => {
    const receiver = await openHookReceiver(t, () => ({ error: { http_code: 403, message: 'no' } }));
    const server = await openTestServer(t, hookSettingsOf('AFTER_USER_CREATED', receiver.url));
    const stateOf = async (id: string) =>
      (
        await server.database.admin.query(
          'select d.state from webhook_deliveries d join events e on e.sequence = d.event_sequence where e.user_id = $1',
          [id],
        )
      ).rows[0]?.state;
    const refused = await server.post('/signup', { email: freshEmail(), password });
    t.equal(refused.status, 200);
    await until(async () => (await stateOf(refused.body.user.id)) === 'delivered');
    t.equal(receiver.calls.length, 1);

    let tries = 0;
    receiver.answer = () => {
      tries += 1;
      return tries === 1 ? reply(500) : {};
    };
    const failed = await server.post('/signup', { email: freshEmail(), password });
    t.equal(failed.status, 200);
    await until(async () => (await stateOf(failed.body.user.id)) === 'delivered');
    const [, once, again] = receiver.calls;
    t.equal(receiver.calls.length, 3);
    t.equal(again!.headers['webhook-id'], once!.headers['webhook-id']);
    t.equal(again!.body.user.id, failed.body.user.id);
  },
);

t.test('the receiver is down, and the server is killed: the call comes later', async (t) => {
  const port = await freePort();
  const database = await createTestDatabase(t);
  const settings = {
    ...hookSettingsOf('AFTER_USER_CREATED', `http://127.0.0.1:${port}/hook`),
    HOOK_AFTER_USER_CREATED_TIMEOUT: '1s',
  };
  const first = await spawnServer(t, database.url, settings);
  const email = freshEmail();
  const signUp = await call(first.url, 'POST', '/signup', { body: { email, password } });
  t.equal(signUp.status, 200);
  await until(() => first.lines.some((line) => line.includes('A call of a hook failed')));
  await first.stop('SIGKILL');
  const second = await spawnServer(t, database.url, settings);
  const receiver = await openHookReceiver(t, () => ({}), port);
  await until(() => receiver.calls.length === 1);
  t.match(receiver.calls[0]!.body.user, { id: signUp.body.user.id, email });
  await until(() => second.lines.some((line) => line.includes('A hook was called')));
  const line = second.lines.find((text) => text.includes('A hook was called'));
  t.match(JSON.parse(line!), { hook_name: 'after_user_created', success: true, status: 200, tries: 1 });
});

t.test('a reload switches it on and off', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const server = await spawnReloadingServer(t, {
    files: { 'latchkey.env': '' },
    args: (directory) => ['-c', `${directory}/latchkey.env`],
  });
  const signUp = async () => {
    const answer = await call(server.url, 'POST', '/signup', { body: { email: freshEmail(), password } });
    t.equal(answer.status, 200);
    return answer.body.user.id as string;
  };
  const reload = async (settings: Record<string, string>, count: number) => {
    const lines = Object.entries(settings).map(([name, value]) => `AUTH_${name}=${value}\n`);
    await server.write('latchkey.env', lines.join(''));
    server.signal('SIGHUP');
    await server.waitFor('The configuration was reloaded', count);
  };
  await signUp();
  await reload(hookSettingsOf('AFTER_USER_CREATED', receiver.url), 1);
  const announced = await signUp();
  await until(() => receiver.calls.length === 1);
  t.equal(receiver.calls[0]!.body.user.id, announced);
  await reload({}, 2);
  await signUp();
  await pause(1500);
  t.equal(receiver.calls.length, 1);
});
