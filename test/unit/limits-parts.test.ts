import { DecoyIntervals } from '../../src/server/guards/decoy-intervals.js';
import { clientRules, type LimitSettings, lifetimeSeconds, quotaRule } from '../../src/server/guards/limit-rules.js';
import { makePruner } from '../../src/server/guards/pruner.js';
import { RejectedKeys } from '../../src/server/guards/rejected-keys.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const settings: LimitSettings = {
  rateLimitHeader: 'x-forwarded-for',
  rateLimitTrustedHops: 0,
  securitySbForwardedForEnabled: false,
  rateLimitOtp: 30,
  rateLimitVerify: 60,
  rateLimitTokenRefresh: 150,
  rateLimitAnonymousUsers: 12,
  rateLimitPasskey: 30,
  rateLimitWeb3: 30,
  rateLimitOauthAuthorize: 150,
  rateLimitOauthToken: 150,
  rateLimitOauthIntrospect: 3000,
  rateLimitOauthDynamicClientRegister: 10,
  rateLimitOauthDevice: 30,
  rateLimitSso: 30,
  samlRateLimitAssertion: 15,
  rateLimitOrganizations: 30,
  rateLimitScim: 600,
  rateLimitAuthorize: 120,
  mfaRateLimitChallengeAndVerify: 15,
  rateLimitEmailSent: { count: 30, refillSeconds: null },
  rateLimitSmsSent: { count: 10, refillSeconds: 20 },
  rateLimitNotificationsSent: { count: 30, refillSeconds: null },
  mailerAutoconfirm: false,
  smsAutoconfirm: false,
  smtpMaxFrequencySeconds: null,
  smsMaxFrequencySeconds: 60,
};

t.test('rates and bursts of the limits per client', async (t) => {
  const rules = clientRules(settings);
  for (const limit of ['signup', 'recover', 'resend', 'magiclink', 'otp', 'user'] as const) {
    t.same(rules[limit], { kind: 'bucket', most: 30, perSecond: 0.1 }, limit);
  }
  t.same(rules.verify, { kind: 'bucket', most: 30, perSecond: 0.2 });
  t.same(rules.authorize, { kind: 'bucket', most: 30, perSecond: 0.4 });
  t.same(rules.token, { kind: 'bucket', most: 30, perSecond: 0.5 });
  t.same(rules.anonymous, { kind: 'bucket', most: 12, perSecond: 12 / 3600 });
  t.equal(lifetimeSeconds(rules.otp), 300);

  const zero = clientRules({ ...settings, rateLimitOtp: 0, rateLimitAnonymousUsers: 0 });
  t.same(zero.otp, { kind: 'window', most: 30, seconds: 3600 }, 'without refill: the burst each hour');
  t.same(zero.anonymous, { kind: 'window', most: 0, seconds: 3600 }, 'no requests');
});

t.test('quotas of mails and texts', async (t) => {
  t.same(quotaRule(settings, 'email'), { kind: 'window', most: 30, seconds: 3600 });
  t.same(quotaRule(settings, 'phone'), { kind: 'bucket', most: 10, perSecond: 0.05 });
  const automatic = { ...settings, mailerAutoconfirm: true, smsAutoconfirm: true };
  t.equal(quotaRule(automatic, 'email'), null);
  t.equal(quotaRule(automatic, 'phone'), null);
  const none = { ...automatic, rateLimitEmailSent: { count: 0, refillSeconds: null } };
  t.match(quotaRule(none, 'email'), { most: 0 }, 'zero forbids mail even with autoconfirm');
});

t.test('SEC-67: rejected keys are remembered until they may try again', async (t) => {
  let now = 1000;
  const refused = new RejectedKeys(() => now);
  refused.remember('a', 10, Number.POSITIVE_INFINITY);
  t.equal(refused.waitSeconds('a'), 10);
  now += 9999;
  t.equal(refused.waitSeconds('a').toFixed(3), '0.001');
  now += 1;
  t.equal(refused.waitSeconds('a'), 0);
  t.equal(refused.size, 0, 'and then forgotten');

  refused.remember('b', 60, 2);
  now += 1999;
  t.ok(refused.waitSeconds('b') > 58, 'the whole wait is reported');
  now += 1;
  t.equal(refused.waitSeconds('b'), 0, 'but it is checked again before that');
  refused.remember('b', 60, 2);
  refused.forget('b');
  t.equal(refused.waitSeconds('b'), 0);
});

t.test('the memory of rejected keys is bounded: the oldest is dropped', async (t) => {
  const refused = new RejectedKeys(() => 0, 3);
  for (const key of ['a', 'b', 'c', 'a', 'd']) refused.remember(key, 1, 1);
  t.equal(refused.size, 3);
  t.equal(refused.waitSeconds('b'), 0, 'rejected longest ago');
  for (const key of ['c', 'a', 'd']) t.equal(refused.waitSeconds(key), 1, key);
});

t.test('old counters are pruned periodically, in batches, and failures are retried later', async (t) => {
  let now = 0;
  const calls: [number, number][] = [];
  const failures: unknown[] = [];
  const answers: (number | Error)[] = [5000, 5000, 3, new Error('away'), 0];
  const pruner = makePruner(
    async (olderThanSeconds, most) => {
      calls.push([olderThanSeconds, most]);
      const answer = answers.shift();
      if (typeof answer !== 'number') throw answer;
      return answer;
    },
    (error) => failures.push(error),
    () => now,
  );
  const settle = () => new Promise(setImmediate);
  pruner.retainFor(900);
  pruner.retainFor(60);
  pruner.tick();
  await settle();
  t.same(calls, [], 'not at the very start');
  now = 600_001;
  for (let i = 0; i < 5; i++) pruner.tick();
  await settle();
  t.same(calls, new Array(3).fill([900, 5000]), 'until there is nothing left, once');
  now += 600_001;
  pruner.retainFor(Number.POSITIVE_INFINITY);
  pruner.tick();
  await settle();
  t.equal(failures.length, 1);
  now += 600_001;
  pruner.tick();
  await settle();
  t.equal(calls.length, 5);
  t.ok(Number.isFinite(calls[4]![0]), 'an age Postgres can subtract');
});

t.test(
  'SEC-92: while messages fail, intervals of requests that sent nothing are given back, unless they are over',
  async (t) => {
    const refunded: string[] = [];
    let nowMs = 0;
    const decoys = new DecoyIntervals(
      async (_limit, recipient) => void refunded.push(recipient),
      () => nowMs,
    );
    decoys.add('email', ['recovery'], 'over@example.com', 60);
    decoys.add('email', ['recovery'], 'waits@example.com', 61);
    decoys.add('phone', ['sms'], '15550001', 61);
    nowMs = 60_000;
    decoys.note('email', false, 0);
    await until(() => refunded.length > 0);
    t.same(refunded, ['waits@example.com']);
    decoys.add('email', ['recovery'], 'later@example.com', 60);
    await until(() => refunded.length > 1);
    decoys.note('email', true, 0);
    decoys.add('email', ['recovery'], 'sent@example.com', 60);
    decoys.note('email', true, 0);
    decoys.note('email', false, 0);
    decoys.note('phone', false, 0);
    await until(() => refunded.length > 2);
    t.same(refunded.slice(1), ['later@example.com', '15550001'], 'each channel has its own');
  },
);
