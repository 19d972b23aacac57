import { endpoints } from '../../src/server/endpoints/index.js';
import { captchaProviders, type FakeCaptcha, startFakeCaptcha } from '../support/captcha.js';
import { sameInFull } from '../support/long-form.js';
import { passkeySettings } from '../support/passkeys.js';
import { cross, pickRows } from '../support/rows.js';
import { samlPrivateKey } from '../support/saml-keys.js';
import { call, freshEmail, openTestServer, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const settings = {
  RATE_LIMIT_HEADER: 'X-Client',
  // A bucket that does not refill during the test.
  RATE_LIMIT_OTP: '0',
  RATE_LIMIT_TOKEN_REFRESH: '0',
  RATE_LIMIT_PASSKEY: '0',
  RATE_LIMIT_WEB3: '0',
  SAML_ENABLED: 'true',
  SAML_PRIVATE_KEY: samlPrivateKey(),
  RATE_LIMIT_ANONYMOUS_USERS: '30',
  EXTERNAL_PHONE_ENABLED: 'true',
  PAGES_ENABLED: 'true',
  PAGES_CAPTCHA_SITE_KEY: 'public',
};
const BURST = 30;

interface Variant {
  readonly query?: string;
  readonly body?: () => object;
}

/** Every kind of request that needs a captcha: each endpoint and each of its branches. */
const variants: Readonly<Record<string, readonly Variant[]>> = {
  'POST /signup': [
    { body: () => ({ email: freshEmail(), password }) },
    { body: () => ({ phone: '15551234567', password }) },
    { body: () => ({}) },
  ],
  'POST /token': [
    { query: '?grant_type=password', body: () => ({ email: freshEmail(), password }) },
    { query: '?grant_type=web3' },
    { query: '?grant_type=nonsense' },
    {},
  ],
  'POST /ui/sign-in': [
    { body: () => ({ action: 'password', address: freshEmail(), password }) },
    { body: () => ({ action: 'code', address: freshEmail() }) },
  ],
  'POST /ui/sign-up': [{ body: () => ({ address: freshEmail(), password }) }],
  'POST /ui/code': [{ body: () => ({ action: 'resend' }) }],
  'POST /sso': [{ body: () => ({ domain: 'company.example' }) }],
  'POST /otp': [{ body: () => ({ email: freshEmail() }) }, { body: () => ({ phone: '15551234567' }) }],
};
const ordinary: readonly Variant[] = [{ body: () => ({ email: freshEmail(), type: 'signup' }) }];
const guarded = endpoints.filter(({ captcha }) => captcha !== undefined);

/** Sends some requests to one endpoint as one client. @returns the number of captcha calls, and of requests over the limit */
async function flood(
  url: string,
  fake: FakeCaptcha,
  { path, isForm }: { path: string; isForm: boolean },
  client: string,
  makeBody: () => object,
  requests = BURST + 10,
) {
  const asked = fake.calls.length;
  let refused = 0;
  for (let n = 0; n < requests; n++) {
    const token = n % 2 === 0 ? fake.solve() : 'made up';
    const headers = { 'x-client': client };
    const fields = { ...makeBody(), 'h-captcha-response': token };
    const { status } = isForm
      ? await fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' })
      : await call(url, 'POST', path, { headers, body: { ...makeBody(), captcha_token: token } });
    if (status === 429) refused += 1;
  }
  return { asked: fake.calls.length - asked, refused };
}

t.test('SEC-90: every endpoint with a captcha has a limit', sameInFull, async (t) => {
  t.ok(guarded.length >= 6);
  for (const { method, path, limit } of guarded) t.ok(limit, `${method} ${path}`);
});

const floods = guarded.flatMap((endpoint) =>
  (variants[`${endpoint.method} ${endpoint.path}`] ?? ordinary).map((variant, index) => ({ endpoint, variant, index })),
);
const cases = pickRows(cross(captchaProviders, floods), [([provider]) => provider, ([, flood]) => flood]);

for (const provider of captchaProviders) {
  t.test(`SEC-90: over the limit, ${provider} is not called`, async (t: Test) => {
    const fake = await startFakeCaptcha(t, provider);
    // A failed captcha ends the request; a valid one must not wait for hashes.
    const { url } = await openTestServer(t, { ...settings, ...passkeySettings, ...fake.settings });
    for (const [, { endpoint, variant, index }] of cases.filter(([own]) => own === provider)) {
      const { method, path, form } = endpoint;
      const { query = '', body = () => ({}) } = variant;
      const client = `${path.slice(1)}-${index}`;
      const { asked, refused } = await flood(url, fake, { path: path + query, isForm: form === true }, client, body);
      t.equal(asked, BURST, `${method} ${path}${query} ${index}: called as often as the limit grants`);
      t.ok(refused >= 10, `${refused} rejected`);
      const other = await flood(url, fake, { path: path + query, isForm: form === true }, `other-${client}`, body, 2);
      t.equal(other.asked, 2, 'another client is checked as usual');
    }
  });
}
