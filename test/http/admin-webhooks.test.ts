import { openSecretSealer } from '../../src/server/events/secrets.js';
import { asAdmin } from '../support/admin.js';
import { untilServed } from '../support/served.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';
import { startWebhookReceiver } from '../support/webhook-receiver.js';

const PRIVATE = { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1' };

t.test('a webhook of an administrator: create, test, deliver, rotate, change, delete', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const server = await openTestServer(t, PRIVATE);
  const admin = asAdmin(server);
  const created = await admin('POST', '/admin/webhooks', {
    url: receiver.url,
    events: ['user.created'],
    include: ['user'],
  });
  t.match(created, { status: 201, body: { source: 'api', enabled: true, secret: /^v1,whsec_/ } });
  const path = `/admin/webhooks/${created.body.id}`;
  receiver.secret = created.body.secret;

  t.match(await admin('POST', `${path}/test`), { status: 200, body: { delivered: true, status: 204, error: null } });
  t.match(receiver.received.at(-1), { type: 'webhook.test', isSigned: true });
  const email = freshEmail();
  t.equal((await server.post('/signup', { email, password })).status, 200);
  await until(() => receiver.received.length === 2);
  t.match(receiver.received[1], { type: 'user.created', isSigned: true, data: { user: { email } } });

  const rotated = await admin('POST', `${path}/rotate-secret`);
  t.equal(rotated.status, 200);
  const hours = (Date.parse(rotated.body.previous_expires_at) - Date.now()) / 3_600_000;
  t.ok(hours > 23.9 && hours <= 24, `${hours} h`);
  await admin('POST', `${path}/test`);
  t.equal(receiver.received.at(-1)!.isSigned, true, 'the old secret signs');
  receiver.secret = rotated.body.secret;
  await admin('POST', `${path}/test`);
  t.equal(receiver.received.at(-1)!.isSigned, true, 'the new secret signs');

  t.match(await admin('PUT', path, { enabled: false }), { status: 200, body: { enabled: false, url: receiver.url } });
  t.notOk(JSON.stringify((await admin('GET', '/admin/webhooks')).body).includes('whsec'), 'secrets are not listed');
  const stored = await server.database.admin.query('select sealed_secrets from webhook_endpoints');
  t.notOk(stored.rows[0].sealed_secrets.includes('whsec'));
  t.equal((await admin('DELETE', path)).status, 204);
  t.match(await admin('GET', path), { status: 404, body: { error_code: 'webhook_not_found' } });
  const { rows } = await server.database.admin.query(
    "select payload->>'action' as a from audit_log where payload->>'action' like 'webhook%' order by created_at",
  );
  t.same(
    rows.map(({ a }) => a),
    ['webhook_created', 'webhook_updated', 'webhook_updated', 'webhook_deleted'],
  );
  const { rows: log } = await server.database.admin.query('select types from event_log');
  t.same(log[0].types, [], 'nothing is recorded any more');
});

t.test('at most four secrets sign at a time', async (t) => {
  const sealer = openSecretSealer({
    jwtSecret: 'x'.repeat(32),
    jwtPreviousSecrets: [],
    jwtPreviousSecretsValidUntil: null,
  });
  const id = 'endpoint';
  let { sealed } = sealer.make(id);
  for (const signatures of [1, 2, 3, 4, 4, 4]) {
    const { 'webhook-signature': signature = '' } = sealer.openSigning(id, sealed)!('message', 1, '{}');
    t.equal(signature.split(' ').length, signatures);
    ({ sealed } = sealer.rotate(id, sealed));
  }
});

t.test('bad webhooks are refused, and only administrators may ask', async (t) => {
  const server = await openTestServer(t);
  const admin = asAdmin(server);
  const refused = async (body: object, message: RegExp) =>
    t.match(await admin('POST', '/admin/webhooks', { url: 'https://api.example.com/', events: ['*'], ...body }), {
      status: 400,
      body: { error_code: 'validation_failed', msg: message },
    });
  for (const url of ['http://api.example.com/', 'https://127.0.0.1/', 'https://[::1]/', 'https://localhost/']) {
    await refused({ url }, /public internet/);
  }
  await refused({ url: 'https://user:word@api.example.com/' }, /password/);
  await refused({ url: 'nonsense' }, /https/);
  await refused({ events: [] }, /events/);
  await refused({ events: ['user.borne'] }, /unknown entry: user.borne/);
  await refused({ include: ['password'] }, /include/);
  t.match(await admin('POST', '/admin/webhooks', { events: ['*'] }), { status: 400, body: { msg: /url is required/ } });
  t.equal((await admin('GET', '/admin/webhooks/nonsense')).status, 404);
  t.equal((await server.call('GET', '/admin/webhooks')).status, 401);
  t.same((await admin('GET', '/admin/webhooks')).body, { webhooks: [] });
});

t.test('a name that resolves to a private address is refused when it is called', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const server = await openTestServer(t, { OUTBOUND_PRIVATE_HOSTS: 'localhost.localdomain' });
  const admin = asAdmin(server);
  const created = await admin('POST', '/admin/webhooks', { url: 'https://ok.example.com/', events: ['*'] });
  await server.database.admin.query('update webhook_endpoints set url = $1', ['https://127.0.0.1/']);
  const { body } = await admin('POST', `/admin/webhooks/${created.body.id}/test`);
  t.match(body, { delivered: false, status: null, error: /public internet/ });
  t.equal(receiver.received.length, 0);
});

t.test('dead letters are listed and delivered again, and 410 disables', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const server = await openTestServer(t, PRIVATE);
  const admin = asAdmin(server);
  const created = await admin('POST', '/admin/webhooks', { url: receiver.url, events: ['user.created'] });
  const path = `/admin/webhooks/${created.body.id}`;
  const startedAt = new Date(Date.now() - 60_000).toISOString();
  const sql = (text: string) => server.database.admin.query(text);
  receiver.answer = () => 500;
  const { body: signUp } = await server.post('/signup', { email: freshEmail(), password });
  await until(() => receiver.received.length === 1);
  const states = async (state: string) => (await admin('GET', `${path}/deliveries?state=${state}`)).body.deliveries;
  await until(async () => (await states('pending'))[0]?.attempts === 1);
  // The last of nine attempts, 41 hours later.
  await sql('update webhook_deliveries set attempts = 8');
  await sql('update webhook_queues set next_attempt_at = now()');
  await until(async () => (await states('dead')).length === 1);
  const [dead] = await states('dead');
  t.match(dead, { attempts: 9, last_status: 500, event: { type: 'user.created', user_id: signUp.user.id } });

  receiver.answer = () => 204;
  t.equal((await admin('POST', `${path}/deliveries/${dead.id}/replay`)).status, 202);
  await until(async () => (await states('delivered')).length === 1);
  t.equal(receiver.received.at(-1)!.id, dead.event.id);
  t.match(await admin('POST', `${path}/deliveries/${signUp.user.id}/replay`), {
    status: 404,
    body: { error_code: 'webhook_delivery_not_found' },
  });
  t.match(await admin('POST', `${path}/replay?since=yesterday`), { status: 400, body: { msg: /RFC 3339/ } });
  t.same((await admin('POST', `${path}/replay?since=${startedAt}`)).body, { replayed: 0 }, 'what arrived stays');

  receiver.answer = () => 410;
  t.equal((await server.post('/signup', { email: freshEmail(), password })).status, 200);
  await until(async () => (await admin('GET', path)).body.enabled === false);
  t.match((await admin('GET', path)).body, { disabled_reason: /410/ });
  t.equal((await server.post('/signup', { email: freshEmail(), password })).status, 200);
  // The event of the time in which it was disabled.
  await until(async () => (await sql('select from events where position is null')).rowCount === 0);
  receiver.answer = () => 204;
  await admin('PUT', path, { enabled: true });
  await until(async () => (await states('delivered')).length === 2);
  t.same((await admin('POST', `${path}/replay?since=${startedAt}`)).body, { replayed: 1 });
  await until(async () => (await states('delivered')).length === 3);
  const page = await admin('GET', `${path}/deliveries?state=delivered&limit=2`);
  t.equal(page.body.deliveries.length, 2);
  const rest = await admin('GET', `${path}/deliveries?state=delivered&limit=2&cursor=${page.body.next_cursor}`);
  t.equal(rest.body.deliveries.length, 1);
  t.equal(rest.body.next_cursor, null);
});

t.test('the webhook of the configuration is shown and tested, not changed', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const server = await openTestServer(t, {
    ...PRIVATE,
    WEBHOOKS_URL: receiver.url,
    WEBHOOKS_SECRETS: receiver.secret,
    WEBHOOKS_EVENTS: 'sign_in.failed',
  });
  const admin = asAdmin(server);
  await until(async () => (await admin('GET', '/admin/webhooks')).body.webhooks.length === 1);
  const { body } = await admin('GET', '/admin/webhooks');
  t.match(body.webhooks, [{ source: 'configuration', events: ['sign_in.failed'] }]);
  const path = `/admin/webhooks/${body.webhooks[0].id}`;
  t.equal((await admin('POST', `${path}/test`)).body.delivered, true);
  for (const [method, rest] of [
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
  ] as const) {
    t.match(await admin(method, path + rest, method === 'DELETE' ? undefined : {}), { status: 409 }, method + rest);
  }
});

t.test('sign_in.failed: for a wrong password and for an unknown address, at most ten a second', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const server = await openTestServer(t, {
    ...PRIVATE,
    WEBHOOKS_URL: receiver.url,
    WEBHOOKS_SECRETS: receiver.secret,
    WEBHOOKS_EVENTS: 'sign_in.failed',
    RATE_LIMIT_TOKEN_REFRESH: '0',
  });
  const email = freshEmail();
  const { body } = await server.post('/signup', { email, password });
  const signIn = (address: string) =>
    server.post('/token?grant_type=password', { email: address, password: 'wrong password' });
  await until(async () => {
    await signIn(email);
    return receiver.received.length > 0;
  });
  t.match(receiver.received[0], {
    type: 'sign_in.failed',
    isSigned: true,
    data: { user_id: body.user.id, method: 'email', ip: '127.0.0.1', actor: { type: 'unknown' } },
  });
  const isUnknown = () => receiver.received.some(({ data }) => data.user_id === undefined);
  await signIn(freshEmail());
  await until(isUnknown);
  const startedAt = Date.now();
  const before = receiver.received.length;
  const answers = await Promise.all(Array.from({ length: 60 }, () => untilServed(() => signIn(freshEmail()))));
  t.same(new Set(answers.map(({ status }) => status)), new Set([400]));
  const seconds = Math.floor((Date.now() - startedAt) / 1000) + 2;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const { rows } = await server.database.admin.query('select count(*)::int as n from events');
  t.ok(rows[0].n - before <= 10 * seconds, `${rows[0].n - before} events in ${seconds} s`);
  t.notOk(JSON.stringify(receiver.received).includes('@'), 'no address');
});
