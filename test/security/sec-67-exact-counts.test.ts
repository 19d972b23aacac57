import { createTestDatabase } from '../support/database.js';
import { countGranted, errorOf, openTestLimits, requestFrom } from '../support/limits.js';
import { spawnServer } from '../support/process.js';
import { call, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const perClient = { RATE_LIMIT_HEADER: 'X-Forwarded-For', RATE_LIMIT_TOKEN_REFRESH: '0.001', RATE_LIMIT_OTP: '0.001' };
const refresh = (url: string, address: string) =>
  call(url, 'POST', '/token?grant_type=refresh_token', {
    headers: { 'x-forwarded-for': address },
    body: { refresh_token: 'nothing' },
  });

t.test('SEC-67: two processes, 60 requests, exactly the limit passes, also after a restart', async (t) => {
  const { url } = await createTestDatabase(t);
  const [first, second] = await Promise.all([spawnServer(t, url, perClient), spawnServer(t, url, perClient)]);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => refresh(n % 2 === 0 ? first.url : second.url, '203.0.113.9')),
  );
  const refused = answers.filter(({ status }) => status === 429);
  t.equal(answers.filter(({ status }) => status === 400).length, 30, 'admitted, and the token is unknown');
  t.equal(refused.length, 30);
  for (const { body, headers } of refused) {
    t.match(body, { code: 429, error_code: 'over_request_rate_limit', msg: 'Request rate limit reached' });
    t.ok(Number(headers.get('retry-after')) >= 1);
    t.equal(headers.get('x-sb-error-code'), 'over_request_rate_limit');
  }
  t.equal((await refresh(first.url, '203.0.113.10')).status, 400, 'another client is not concerned');

  await Promise.all([first.stop(), second.stop()]);
  const third = await spawnServer(t, url, perClient);
  t.equal((await refresh(third.url, '203.0.113.9')).status, 429, 'a new process has the count');
  await third.stop();
  const line = third.lines.map((text) => JSON.parse(text)).find(({ status }) => status === 429);
  t.match(line, { limit: 'client.token', error_code: 'over_request_rate_limit' }, 'the log names the limit');
});

t.test('SEC-67: rejected keys are remembered: a flood costs no queries', async (t) => {
  const { limits, statements, age, another } = await openTestLimits(t, { RATE_LIMIT_HEADER: 'x-forwarded-for' });
  const request = requestFrom('192.0.2.1', { 'x-forwarded-for': '203.0.113.9' });
  t.equal(await countGranted(31, () => limits.takeForClient('otp', request)), 30);
  const before = statements();
  t.equal(await countGranted(1000, () => limits.takeForClient('otp', request)), 0);
  t.equal(statements(), before, 'no statement for a thousand requests');
  t.same(limits.stats(), { rejections: { 'client.otp': 1001 }, remembered: 1 });
  t.equal(await errorOf(limits.takeForClient('recover', request)), null, 'every limit counts by itself');
  await age(11);
  t.equal(await errorOf(another().takeForClient('otp', request)), null, 'one more when one has drained');
});

t.test('SEC-67: which requests count', async (t) => {
  const { call, database } = await openTestServer(t, {
    ...perClient,
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    RATE_LIMIT_ANONYMOUS_USERS: '2',
  });
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  const counters = async () => {
    const { rows } = await database.admin.query('select name, abs(level) as level from rate_counters order by name');
    return Object.fromEntries(rows.map(({ name, level }) => [name, Math.round(level)]));
  };
  await call('POST', '/token?grant_type=nonsense', { headers, body: {} });
  await call('POST', '/token', { headers, body: {} });
  t.same(await counters(), { 'client.token': 2 }, 'a grant there is not costs a captcha, so it counts');
  await call('POST', '/signup', { headers, body: { email: 'invalid', password: 'correct horse' } });
  await call('PUT', '/user', { headers, body: {} });
  t.same(await counters(), { 'client.signup': 1, 'client.token': 2 }, 'no request is counted before the bearer check');

  const answers = [];
  for (let n = 1; n <= 3; n++) answers.push(await call('POST', '/signup', { headers, body: {} }));
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 429],
    'the burst of anonymous sign-ins',
  );
  const bearer = answers[0]!.body.access_token;
  await call('PUT', '/user', { headers, bearer, body: { data: {} } });
  await call('GET', '/user', { headers, bearer });
  await call('GET', '/settings', { headers });
  t.same(await counters(), { 'client.anonymous': 2, 'client.signup': 1, 'client.token': 2, 'client.user': 1 });

  await database.admin.query("update rate_counters set level = 30 where name = 'client.user'");
  const refused = await call('PUT', '/user', { bearer, headers: { ...headers, 'content-type': 'application/json' } });
  t.equal(refused.status, 429, 'refused before the body is looked at');
});

t.test('without RATE_LIMIT_HEADER there is no limit per client', async (t) => {
  const { limits, statements } = await openTestLimits(t);
  t.equal(await countGranted(100, () => limits.takeForClient('otp', requestFrom('192.0.2.1'))), 100);
  t.equal(statements(), 0);
});
