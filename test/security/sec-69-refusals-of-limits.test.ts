import { startFaultyServer } from '../support/faulty-server.js';
import { errorOf, openTestLimits, requestFrom } from '../support/limits.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const client = { RATE_LIMIT_HEADER: 'x-forwarded-for' };
const request = requestFrom('192.0.2.1', { 'x-forwarded-for': '203.0.113.9' });

t.test('SEC-69: every limit refuses with 429 and Retry-After', async (t) => {
  const { limits } = await openTestLimits(t, {
    ...client,
    MAILER_AUTOCONFIRM: 'false',
    RATE_LIMIT_EMAIL_SENT: '1',
    RATE_LIMIT_SMS_SENT: '1/90s',
    RATE_LIMIT_VERIFY: '60',
  });
  for (let n = 0; n < 30; n++) await limits.takeForClient('verify', request);
  const arms: [string, () => Promise<void>, number, string | RegExp][] = [
    ['client.verify', () => limits.takeForClient('verify', request), 5, 'Request rate limit reached'],
    ['quota.email', () => limits.takeQuota('email'), 3600, 'email rate limit exceeded'],
    ['quota.sms', () => limits.takeQuota('phone'), 90, 'SMS rate limit exceeded'],
    [
      'recipient.recovery',
      () => limits.takeForRecipient('recovery', 'a@example.com', 60),
      60,
      /^For security purposes, you can only request this after 5\d seconds\.$/,
    ],
    [
      'recipient.sms',
      () => limits.takeForRecipient('sms', '15555550100', 60),
      60,
      /^For security purposes, you can only request this after 5\d seconds\.$/,
    ],
  ];
  for (const [limit, take, seconds, message] of arms) {
    if (limit !== 'client.verify') t.equal(await errorOf(take()), null, limit);
    for (const again of ['counted', 'remembered']) {
      const error = await errorOf(take());
      t.match(error, { status: 429, limit, message }, `${limit}, ${again}`);
      const wait = error?.retryAfterSeconds ?? 0;
      t.ok(wait > 0 && wait <= seconds && wait > seconds - 10, `${limit}, ${again}: ${wait} of ${seconds} s`);
    }
  }
});

t.test('SEC-69: a limit that cannot be counted refuses: 503', async (t) => {
  const { limits, database, another } = await openTestLimits(t, { ...client, MAILER_AUTOCONFIRM: 'false' });
  await limits.takeForClient('otp', request);
  await database.admin.query('alter table rate_counters rename to elsewhere');
  const arms: Record<string, () => Promise<void>> = {
    client: () => limits.takeForClient('otp', request),
    fresh: () => another().takeForClient('otp', request),
    recipient: () => limits.takeForRecipient('recovery', 'a@example.com', 60),
    quota: () => limits.takeQuota('email'),
  };
  for (const [name, take] of Object.entries(arms)) {
    t.match(await errorOf(take()), { status: 503, retryAfterSeconds: 1 }, name);
  }
});

t.test('SEC-69: without a database requests of limited endpoints fail with 503', async (t) => {
  const { call, database } = await openTestServer(t, client);
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  const before = await call('POST', '/token?grant_type=refresh_token', { headers, body: { refresh_token: 'x' } });
  t.equal(before.status, 400);
  // A token that was never issued is rejected without the database (SEC-54), so only the limit can fail.
  await database.admin.query('drop table rate_counters');
  const away = await call('POST', '/token?grant_type=refresh_token', { headers, body: { refresh_token: 'x' } });
  t.equal(away.status, 503);
  t.equal(away.body.error_code, 'service_unavailable');
  t.equal(away.headers.get('retry-after'), '1');
});

t.test('SEC-69: a count without an answer is no permission, and is not repeated', async (t) => {
  const { database, another } = await openTestLimits(t, client);
  const faulty = await startFaultyServer(t, database.url);
  const limits = another(faulty.url);
  faulty.loseAnswer('rate_counters');
  const error = await errorOf(limits.takeForClient('otp', request));
  t.match(error, { status: 503 });
  const { rows } = await database.admin.query('select level from rate_counters');
  t.same(rows, [{ level: 1 }]);
  t.equal(await errorOf(another().takeForClient('otp', request)), null);
});
