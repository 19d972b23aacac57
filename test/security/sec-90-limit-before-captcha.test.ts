import t, { type Test } from 'tap';
import { routes } from '../../src/server/routes/index.js';
import { captchaProviders, type FakeCaptcha, startFakeCaptcha } from '../support/captcha.js';
import { call, freshEmail, openTestServer } from '../support/server.js';

const settings = {
  RATE_LIMIT_HEADER: 'X-Client',
  // A bucket that does not fill again while the test runs.
  RATE_LIMIT_OTP: '0',
  RATE_LIMIT_TOKEN_REFRESH: '0',
  RATE_LIMIT_ANONYMOUS_USERS: '30',
  EXTERNAL_PHONE_ENABLED: 'true',
};
const BURST = 30;
const password = 'correct horse battery';

interface Variant {
  readonly query?: string;
  readonly body?: () => object;
}

/** Every kind of request that a captcha is asked of: each route of the table, and each turn it can take. */
const variants: Readonly<Record<string, readonly Variant[]>> = {
  'POST /signup': [
    { body: () => ({ email: freshEmail(), password }) },
    { body: () => ({ phone: '15551234567', password }) },
    { body: () => ({}) },
  ],
  'POST /token': [
    { query: '?grant_type=password', body: () => ({ email: freshEmail(), password }) },
    { query: '?grant_type=nonsense' },
    {},
  ],
  'POST /otp': [{ body: () => ({ email: freshEmail() }) }, { body: () => ({ phone: '15551234567' }) }],
};
const ordinary: readonly Variant[] = [{ body: () => ({ email: freshEmail(), type: 'signup' }) }];
const guarded = routes.filter(({ captcha }) => captcha !== undefined);

/** Floods one route as one client. @returns how often the captcha service was asked, and how many were refused by the limit */
async function flood(url: string, fake: FakeCaptcha, path: string, client: string, makeBody: () => object) {
  const asked = fake.calls.length;
  let refused = 0;
  for (let n = 0; n < BURST + 10; n++) {
    const { status } = await call(url, 'POST', path, {
      headers: { 'x-client': client },
      body: { ...makeBody(), captcha_token: n % 2 === 0 ? fake.solve() : 'made up' },
    });
    if (status === 429) refused += 1;
  }
  return { asked: fake.calls.length - asked, refused };
}

t.test('SEC-90: every route that asks for a captcha has a limit in the table', async (t) => {
  t.ok(guarded.length >= 6);
  for (const { method, path, limit } of guarded) t.ok(limit, `${method} ${path}`);
});

for (const provider of captchaProviders) {
  t.test(`SEC-90: over the limit, ${provider} is not asked`, async (t: Test) => {
    const fake = await startFakeCaptcha(t, provider);
    // Captchas that fail go on to nothing, and those that pass must not wait for hashes.
    const { url } = await openTestServer(t, { ...settings, ...fake.settings });
    for (const { method, path } of guarded) {
      for (const [index, { query = '', body = () => ({}) }] of (variants[`${method} ${path}`] ?? ordinary).entries()) {
        const client = `${path.slice(1)}-${index}`;
        const { asked, refused } = await flood(url, fake, path + query, client, body);
        t.equal(asked, BURST, `${method} ${path}${query} ${index}: asked as often as the limit grants`);
        t.ok(refused >= 10, `${refused} refused`);
        const other = await flood(url, fake, path + query, `other-${client}`, body);
        t.ok(other.asked > 0, 'another client is asked as ever');
      }
    }
  });
}
