import { countGranted, errorOf, openTestLimits } from '../support/limits.js';
import { t } from '../support/tap.js';

const confirming = { MAILER_AUTOCONFIRM: 'false' };
const victim = 'victim@example.com';

t.test('SEC-70: a flood to one recipient is one message per interval, from any client', async (t) => {
  const { limits, another, age } = await openTestLimits(t, confirming);
  const processes = [limits, another(), another()];
  const take = (n: number) => processes[n % 3]!.takeForRecipient('sign_in_mail', victim, 60);
  t.equal(await countGranted(300, take), 1);
  await age(61);
  const later = another();
  t.equal(await countGranted(100, () => later.takeForRecipient('sign_in_mail', victim, 60)), 1, 'the next interval');
  t.equal(await errorOf(limits.takeForRecipient('recovery', victim, 60)), null, 'another kind of mail');
  t.equal(await errorOf(limits.takeForRecipient('sign_in_mail', 'b@example.com', 60)), null, 'another recipient');
});

t.test('SEC-70: a failed send does not count for the interval, also for another process', async (t) => {
  const { limits, another } = await openTestLimits(t, confirming);
  await limits.takeForRecipient('sms', '15555550100', 60);
  const other = another();
  t.equal((await errorOf(limits.takeForRecipient('sms', '15555550100', 60)))?.status, 429);
  t.equal((await errorOf(other.takeForRecipient('sms', '15555550100', 60)))?.status, 429);
  await limits.refundRecipient('sms', '15555550100');
  t.equal(await errorOf(limits.takeForRecipient('sms', '15555550100', 60)), null, 'at once here');
  await limits.refundRecipient('sms', '15555550100');
  await new Promise((resolve) => setTimeout(resolve, 2100));
  t.equal(await errorOf(other.takeForRecipient('sms', '15555550100', 60)), null, 'and within two seconds elsewhere');
});

t.test('SEC-70: no interval, no limit', async (t) => {
  const { limits, statements } = await openTestLimits(t, confirming);
  t.equal(await countGranted(50, () => limits.takeForRecipient('recovery', victim, 0)), 50);
  t.equal(statements(), 0);
});

t.test('SEC-70: the counters reveal no recipient', async (t) => {
  const { limits, database } = await openTestLimits(t, confirming);
  await limits.takeForRecipient('recovery', victim, 60);
  await limits.takeForRecipient('sms', '15555550100', 60);
  const { rows } = await database.admin.query('select key from rate_counters');
  t.equal(rows.length, 2);
  for (const { key } of rows) t.match(key, /^[\w-]{43}$/);
});

t.test('SEC-70: quotas of mails and messages count over all processes', async (t) => {
  const { limits, another, age } = await openTestLimits(t, {
    ...confirming,
    RATE_LIMIT_EMAIL_SENT: '7',
    RATE_LIMIT_SMS_SENT: '5/20s',
  });
  const processes = [limits, another()];
  t.equal(await countGranted(100, (n) => processes[n % 2]!.takeQuota('email')), 7);
  t.equal(await countGranted(100, (n) => processes[n % 2]!.takeQuota('phone')), 5);
  await age(21);
  const later = another();
  t.equal(await countGranted(100, () => later.takeQuota('phone')), 1, 'one more each 20 s');
  t.equal(await countGranted(10, () => later.takeQuota('email')), 0, 'the hour is not over');
  await age(3600);
  const muchLater = another();
  t.equal(await countGranted(100, () => muchLater.takeQuota('email')), 7, 'the next hour');
});

t.test('SEC-70: quotas that are off or zero', async (t) => {
  const automatic = await openTestLimits(t, { SMS_AUTOCONFIRM: 'true', RATE_LIMIT_EMAIL_SENT: '1' });
  t.equal(await countGranted(20, () => automatic.limits.takeQuota('email')), 20, 'autoconfirm of mail');
  t.equal(await countGranted(20, () => automatic.limits.takeQuota('phone')), 20, 'autoconfirm of numbers');
  t.equal(automatic.statements(), 0);
  const forbidden = await openTestLimits(t, { RATE_LIMIT_EMAIL_SENT: '0', RATE_LIMIT_SMS_SENT: '0' });
  t.match(await errorOf(forbidden.limits.takeQuota('email')), { status: 429, retryAfterSeconds: 3600 });
  t.match(await errorOf(forbidden.limits.takeQuota('phone')), { status: 429 });
  t.equal(forbidden.statements(), 0);
});
