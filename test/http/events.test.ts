import { adminToken } from '../support/admin.js';
import { enrolTotp, openApp, verifyWith } from '../support/authenticator-app.js';
import { passkeySettings, registerUser } from '../support/passkeys.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';
import { startWebhookReceiver, webhookSettings } from '../support/webhook-receiver.js';

t.test('a sign-up is posted: user.created, then session.created, signed', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const { post } = await openTestServer(t, webhookSettings(receiver.url));
  const signUp = await post('/signup', { email: freshEmail(), password });
  t.equal(signUp.status, 200, JSON.stringify(signUp.body));
  await until(() => receiver.received.length === 2);
  const [created, session] = receiver.received;
  const userId = signUp.body.user.id;
  t.match(created, {
    type: 'user.created',
    isSigned: true,
    data: { user_id: userId, ip: '127.0.0.1', actor: { type: 'user', id: userId } },
    headers: { 'webhook-id': created!.id, 'content-type': 'application/json' },
  });
  t.equal(created!.data.request_id, signUp.headers.get('x-request-id') ?? created!.data.request_id);
  t.match(session, { type: 'session.created', isSigned: true, data: { user_id: userId, method: 'password' } });
  t.notOk(JSON.stringify(receiver.received).includes('@'), 'no address without include');
});

t.test('nothing is recorded without a consumer', async (t) => {
  const { post, database } = await openTestServer(t);
  t.equal((await post('/signup', { email: freshEmail(), password })).status, 200);
  const { rows } = await database.admin.query('select count(*)::int as n from events');
  t.equal(rows[0].n, 0);
});

t.test('second factors and passkeys', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const server = await openTestServer(t, {
    ...webhookSettings(receiver.url),
    WEBHOOKS_EVENTS: 'factor.*,passkey.*,user.deleted',
    ...passkeySettings,
  });
  const { user, id: passkeyId } = await registerUser(server);
  const session = { access_token: user.bearer, refresh_token: '', user };
  const begun = await enrolTotp(server, session, { friendly_name: 'begun' });
  const { id, secret } = await enrolTotp(server, session);
  t.equal((await server.call('DELETE', `/factors/${begun.id}`, { bearer: user.bearer })).status, 200);
  const app = openApp(secret);
  const raised = await verifyWith(server, session, id, app.nextCode());
  const bearer = raised.body.access_token;
  t.equal((await verifyWith(server, raised.body, id, app.nextCode())).status, 200, 'a second time');
  t.equal((await server.call('DELETE', `/passkeys/${passkeyId}`, { bearer })).status, 204);
  t.equal((await server.call('DELETE', `/factors/${id}`, { bearer })).status, 200);
  // Between users there is no order.
  await until(() => receiver.received.length === 4);
  await registerUser(server);
  await until(() => receiver.received.length === 5);
  const other = receiver.received.at(-1)!;
  await server.call('DELETE', `/admin/users/${other.data.user_id}`, { bearer: adminToken() });
  await until(() => receiver.received.length === 6);
  t.match(receiver.received, [
    { type: 'passkey.added', data: { user_id: user.id, passkey_id: passkeyId, actor: { type: 'user', id: user.id } } },
    { type: 'factor.enrolled', data: { user_id: user.id, factor_id: id, factor_type: 'totp' } },
    { type: 'passkey.removed', data: { passkey_id: passkeyId } },
    { type: 'factor.removed', data: { factor_id: id, factor_type: 'totp' } },
    { type: 'passkey.added' },
    { type: 'user.deleted' },
  ]);
  t.notOk(JSON.stringify(receiver.received).includes(secret));
});

t.test('each change has its event, a failed delivery is repeated, and the order per user stays', async (t) => {
  const receiver = await startWebhookReceiver(t);
  let isDown = true;
  receiver.answer = () => {
    const status = isDown ? 503 : 204;
    isDown = false;
    return status;
  };
  const { post, call } = await openTestServer(t, webhookSettings(receiver.url));
  const signUp = await post('/signup', { email: freshEmail(), password });
  const bearer = signUp.body.access_token;
  t.equal((await call('PUT', '/user', { bearer, body: { data: { colour: 'red' } } })).status, 200);
  t.equal((await call('POST', '/logout', { bearer })).status, 204);
  const delivered = () => receiver.received.filter(({ status }) => status === 204);
  await until(() => delivered().length === 4);
  t.same(
    delivered().map(({ type }) => type),
    ['user.created', 'session.created', 'user.updated', 'session.revoked'],
  );
  t.same(delivered()[2]!.data.changed, ['user_metadata']);
  t.equal(receiver.received[0]!.id, delivered()[0]!.id, 'the second attempt has the same id');
});
