/** The console shows webhooks and hooks, replays deliveries and rehearses calls. */

import { openTestConsole, type SignedInOperator, type TestConsole } from '../support/console.js';
import { HOOK_SECRET, hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';
import { startWebhookReceiver } from '../support/webhook-receiver.js';

async function auditOf({ database }: TestConsole, pattern: string) {
  const { rows } = await database.admin.query(
    "select payload from audit_log where payload->>'action' like $1 order by created_at",
    [pattern],
  );
  return rows.map(({ payload }) => payload);
}

const deliveriesOf = async (browser: SignedInOperator, path: string, state: string) =>
  (await browser.get(`${path}/deliveries?state=${state}`)).body.deliveries;

t.test('a webhook: added, tried, given up, replayed one by one and in a range, with its audit rows', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const console = await openTestConsole(t, { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1' });
  const browser = await console.signIn('admin', 'ann');
  const url = `${receiver.url}?key=of-the-receiver`;
  const created = await browser.post('/api/webhooks', { url, events: ['user.created'], reason: 'ticket 1' });
  t.match(created, { status: 201, body: { secret: /^v1,whsec_/, enabled: true } });
  receiver.secret = created.body.secret;
  const path = `/api/webhooks/${created.body.id}`;
  t.match(await browser.post(`${path}/test`), { status: 200, body: { delivered: true, status: 204 } });
  t.match(receiver.received.at(-1), { type: 'webhook.test', isSigned: true });

  for (let n = 0; n < 2; n++) await console.post('/signup', { email: freshEmail(), password });
  await until(async () => (await deliveriesOf(browser, path, 'delivered')).length === 2);
  const { admin } = console.database;
  await admin.query(
    "update webhook_deliveries set state = 'dead', attempts = 9, last_status = 500, last_error = 'it answered 500'",
  );
  t.match((await browser.get('/api/webhooks')).body.webhooks, [
    { url, dead: 2, pending: 0, last_error: 'it answered 500', last_status: 500 },
  ]);
  const dead = await deliveriesOf(browser, path, 'dead');
  t.match(dead, [{ state: 'dead', attempts: 9, last_status: 500, last_error: 'it answered 500' }, {}]);
  const sent = receiver.received.length;
  t.equal((await browser.post(`${path}/deliveries/${dead[0].id}/replay`, { reason: 'fixed' })).status, 202);
  await until(() => receiver.received.length === sent + 1);
  t.equal(receiver.received.at(-1)!.id, dead[0].event.id);
  t.equal((await browser.post(`${path}/deliveries/${created.body.id}/replay`)).status, 404);

  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const replay = (since: string, until?: string) => browser.post(`${path}/replay`, { since, until });
  t.match(await replay(at(-7200), at(-3600)), { status: 202, body: { replayed: 0 } }, 'nothing happened then');
  t.match(await replay(at(-3600), at(3600)), { status: 202, body: { replayed: 1 } });
  await until(() => receiver.received.length === sent + 2);
  t.equal(receiver.received.at(-1)!.id, dead[1].event.id);
  for (const [since, end] of [['yesterday'], [at(0), at(-1)]]) t.equal((await replay(since!, end)).status, 400);

  const rotated = await browser.post(`${path}/rotate-secret`);
  t.match(rotated, { status: 200, body: { secret: /^v1,whsec_/ } });
  const changed = await browser.call('PUT', path, { body: { enabled: false, description: 'old', reason: 'ticket 2' } });
  t.match(changed, { status: 200, body: { enabled: false } });

  const viewer = await console.signIn('viewer');
  const seen = await viewer.get(path);
  t.match(seen, { status: 200, body: { url: /^http:\/\/127\.0\.0\.1:\d+\/…$/, enabled: false } });
  t.notMatch(seen.text, /of-the-receiver|whsec/);
  t.equal((await browser.call('DELETE', path)).status, 204);
  t.equal((await browser.get(path)).status, 404);

  const audit = await auditOf(console, 'webhook%');
  t.match(
    audit.map(({ action, actor_username }) => [action, actor_username]),
    ['created', 'tested', 'replayed', 'replayed', 'replayed', 'updated', 'updated', 'deleted'].map((deed) => [
      `webhook_${deed}`,
      'ann',
    ]),
  );
  t.match(audit[2].traits, { delivery_id: dead[0].id, reason: 'fixed', operator: { name: 'ann' }, request_id: /./ });
  t.match(audit[5].traits, { before: { secret: '…' }, after: { secret: 'changed' } });
  t.match(audit[6].traits, {
    before: { enabled: true, description: '' },
    after: { enabled: false, description: 'old' },
    reason: 'ticket 2',
  });
  t.notMatch(JSON.stringify(audit), /whsec/);
});

t.test('hooks: which are on, whether they are called, and a rehearsal', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const console = await openTestConsole(t, {
    ...hookSettingsOf('BEFORE_USER_CREATED', `${receiver.url}?key=of-the-receiver`),
    HOOK_BEFORE_USER_CREATED_HEADERS: '{"x-key": ["of-the-receiver"]}',
    HOOK_BEFORE_USER_CREATED_TIMEOUT: '1s',
  });
  const browser = await console.signIn('admin', 'ann');
  const hookOf = async () =>
    (await browser.get('/api/hooks')).body.hooks.find(({ name }: { name: string }) => name === 'before_user_created');
  t.match(await hookOf(), {
    enabled: true,
    kind: 'http',
    address: receiver.url,
    is_signed: true,
    fails_open: false,
    breaker: { is_open: false },
  });
  const all = await browser.get('/api/hooks');
  t.equal(all.body.hooks.length, 7);
  t.match(all.body.hooks[0], { name: 'custom_access_token', enabled: false, breaker: null, address: null });
  t.notMatch(all.text, /of-the-receiver|whsec/);

  const rehearse = (body: object = {}, name = 'before_user_created') =>
    browser.post(`/api/hooks/${name}/rehearse`, body);
  const told = await rehearse({ reason: 'is it up' });
  t.match(told, { status: 200, body: { verdict: 'the account may be created', is_refused: false } });
  t.same(
    told.body.steps.map(({ what }: { what: string }) => what),
    ['request', 'signature', 'answer'],
  );
  t.match(told.body.steps[1].text, /genuine/);
  t.equal(receiver.calls.length, 1);
  t.notMatch(told.text, /of-the-receiver/);
  t.notOk(told.text.includes(HOOK_SECRET));
  t.match(await rehearse({ dry: true }), { body: { verdict: null } });
  t.equal(receiver.calls.length, 1, 'nothing was sent');

  const user = (await console.post('/signup', { email: freshEmail(), password })).body.user;
  receiver.answer = () => ({ error: { http_code: 422, message: 'not you' } });
  const refused = await rehearse({ user_id: user.id });
  t.match(refused.body, { is_refused: true, verdict: 'the client gets 422: not you' });
  t.equal(receiver.calls.at(-1)!.body.user.id, user.id);
  t.match(await rehearse({ event: 'birth' }), { status: 422, body: { error_code: 'hook_event' } });
  t.match(await rehearse({}, 'send_sms'), { status: 409, body: { error_code: 'hook_not_callable' } });
  t.match(await rehearse({}, 'nonsense'), { status: 404, body: { error_code: 'hook_not_found' } });
  t.match(await auditOf(console, 'hook%'), [
    { traits: { hook: 'before_user_created', event: 'signup', reason: 'is it up' } },
    { traits: { dry: true } },
    { traits: { user_id: user.id, operator: { name: 'ann' } } },
  ]);

  receiver.answer = () => (response) => response.destroy();
  await Promise.all(Array.from({ length: 10 }, () => console.post('/signup', { email: freshEmail(), password })));
  t.match(await hookOf(), { breaker: { is_open: true, wait_seconds: Number } });
  const support = await console.signIn('support');
  t.equal((await support.post('/api/hooks/before_user_created/rehearse')).status, 403);
});
