import { loadConfig } from '../../src/server/config/load.js';
import { ApiError } from '../../src/server/errors.js';
import { openCaptcha } from '../../src/server/guards/captcha/index.js';
import { type CaptchaFault, type CaptchaProvider, captchaProviders, startFakeCaptcha } from '../support/captcha.js';
import { testEnvironment } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

async function openGuard(t: Test, provider: CaptchaProvider, more: Record<string, string> = {}) {
  const fake = await startFakeCaptcha(t, provider);
  const environment = testEnvironment('postgres://localhost/x', { ...fake.settings, ...more });
  const errors: string[] = [];
  const captcha = openCaptcha({
    config: loadConfig({ environment }).config,
    isAdmin: async (bearerToken) => bearerToken === 'admin',
    log: { error: ((_: object, message: string) => void errors.push(message)) as never },
  });
  /** @returns the error, or null */
  async function verify(body: unknown, bearerToken: string | null = null): Promise<ApiError | null> {
    try {
      await captcha.verify({ body, clientIp: '203.0.113.9', bearerToken });
      return null;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }
  return { fake, verify, errors };
}

for (const provider of captchaProviders) {
  t.test(`${provider}: sends the request in the format of the service`, async (t) => {
    const { fake, verify } = await openGuard(t, provider);
    const token = fake.solve();
    t.equal(await verify({ captcha_token: ` ${token}\n` }), null);
    t.equal(fake.calls.length, 1);
    const { method, path, contentType, form } = fake.calls[0]!;
    t.same([method, path, contentType], ['POST', '/siteverify', 'application/x-www-form-urlencoded']);
    t.same(Object.fromEntries(form), { secret: 'captcha-secret-0123456789', response: token, remoteip: '203.0.113.9' });
    const again = await verify({ captcha_token: token });
    t.equal(again?.entry, 'captchaFailed', 'a token passes once');
    const code = provider === 'hcaptcha' ? 'already-seen-response' : 'timeout-or-duplicate';
    t.equal(again?.message, `captcha protection: request disallowed (${code})`);
  });

  t.test(`${provider}: the places of the token`, async (t) => {
    const { fake, verify } = await openGuard(t, provider);
    t.equal(await verify({ gotrue_meta_security: { captcha_token: fake.solve() } }), null);
    t.equal(await verify({ gotrue_meta_security: { captcha_token: fake.solve() }, captcha_token: 'other' }), null);
    t.equal((await verify({ gotrue_meta_security: { captcha_token: 'x' }, captcha_token: fake.solve() }))?.status, 400);
    t.equal(await verify({ gotrue_meta_security: { captcha_token: ' ' }, captcha_token: fake.solve() }), null);
    t.equal(await verify({ gotrue_meta_security: {}, captcha_token: fake.solve() }), null);
    const asked = fake.calls.length;
    for (const body of [
      undefined,
      {},
      { captcha_token: '' },
      { captcha_token: ' \t' },
      { captcha_token: 7 },
      { captcha_token: ['x'] },
      { gotrue_meta_security: 'x' },
      { gotrue_meta_security: { captcha_token: { toString: 'x' } } },
    ]) {
      const error = await verify(body);
      t.equal(error?.entry, 'captchaMissing', JSON.stringify(body));
      t.equal(error?.status, 400);
    }
    t.equal((await verify({ captcha_token: 'x'.repeat(8193) }))?.entry, 'captchaFailed', 'too long to be one');
    t.equal(fake.calls.length, asked, 'nothing to verify');
  });

  t.test(`${provider}: administrators need none, and an invalid bearer token changes nothing`, async (t) => {
    const { fake, verify } = await openGuard(t, provider);
    t.equal(await verify({}, 'admin'), null);
    t.equal(fake.calls.length, 0);
    t.equal((await verify({}, 'anyone'))?.entry, 'captchaMissing');
  });

  t.test(`${provider}: a rejected secret is a configuration error`, async (t) => {
    const { fake, verify, errors } = await openGuard(t, provider, { SECURITY_CAPTCHA_SECRET: 'mistyped' });
    const error = await verify({ captcha_token: fake.solve() });
    t.equal(error?.message, 'captcha protection: request disallowed (invalid-input-secret)');
    t.equal(errors.length, 1);
    t.match(errors[0], 'AUTH_SECURITY_CAPTCHA_SECRET');
  });

  const faults: CaptchaFault[] = ['silent', 'cut', 'cutBody', 'huge', 'html', 'noVerdict', 'yesInWords', 'redirect'];
  for (const fault of faults) {
    t.test(`SEC-78: ${provider}, ${fault}: no result is a failure`, async (t) => {
      const { fake, verify } = await openGuard(t, provider, { SECURITY_CAPTCHA_TIMEOUT: '300ms' });
      fake.fault = fault;
      const error = await verify({ captcha_token: fake.solve() });
      t.match(error, { entry: 'captchaUnavailable', status: 500, message: 'captcha verification process failed' });
      t.match(String(error?.cause), 'AUTH_SECURITY_CAPTCHA_URL');
      t.equal(fake.calls.length, 1, 'asked once');
    });
  }

  t.test(`${provider}: the status of the answer is ignored`, async (t) => {
    const { fake, verify } = await openGuard(t, provider);
    fake.fault = 'errorStatus';
    t.equal(await verify({ captcha_token: fake.solve() }), null);
  });

  t.test(`SEC-78, SEC-44: ${provider}, an unreachable URL, or one without https`, async (t) => {
    for (const url of ['http://127.0.0.1:1/siteverify', 'http://captcha.example/siteverify']) {
      const { fake, verify } = await openGuard(t, provider, { SECURITY_CAPTCHA_URL: url });
      t.equal((await verify({ captcha_token: fake.solve() }))?.entry, 'captchaUnavailable', url);
    }
  });
}

t.test('error codes are filtered and limited', async (t) => {
  const { createServer } = await import('node:http');
  const codes = ['<b>', 'a b', 7, ...Array.from({ length: 20 }, (_, n) => `code-${n}`)];
  const server = createServer((_, response) => response.end(JSON.stringify({ success: false, 'error-codes': codes })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const { verify } = await openGuard(t, 'hcaptcha', { SECURITY_CAPTCHA_URL: `http://127.0.0.1:${port}/` });
  const error = await verify({ captcha_token: 'x' });
  const expected = Array.from({ length: 10 }, (_, n) => `code-${n}`).join(', ');
  t.equal(error?.message, `captcha protection: request disallowed (${expected})`);
});
