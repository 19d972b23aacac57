import t, { type Test } from 'tap';
import { loadConfig } from '../../src/server/config/load.js';
import { Refusal } from '../../src/server/errors.js';
import { openCaptcha } from '../../src/server/guards/captcha/index.js';
import { type CaptchaFault, type CaptchaProvider, captchaProviders, startFakeCaptcha } from '../support/captcha.js';
import { testEnvironment } from '../support/server.js';

async function openGuard(t: Test, provider: CaptchaProvider, more: Record<string, string> = {}) {
  const fake = await startFakeCaptcha(t, provider);
  const environment = testEnvironment('postgres://localhost/x', { ...fake.settings, ...more });
  const errors: string[] = [];
  const captcha = openCaptcha({
    config: loadConfig({ environment }).config,
    isAdmin: async (bearerToken) => bearerToken === 'admin',
    log: { error: ((_: object, message: string) => void errors.push(message)) as never },
  });
  /** @returns what refused the body, or null */
  async function verify(body: unknown, bearerToken: string | null = null): Promise<Refusal | null> {
    try {
      await captcha.verify({ body, clientIp: '203.0.113.9', bearerToken });
      return null;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }
  return { fake, verify, errors };
}

for (const provider of captchaProviders) {
  t.test(`${provider}: asks as the service wants to be asked`, async (t) => {
    const { fake, verify } = await openGuard(t, provider);
    const token = fake.solve();
    t.equal(await verify({ captcha_token: ` ${token}\n` }), null);
    t.equal(fake.calls.length, 1);
    const { method, path, contentType, form } = fake.calls[0]!;
    t.same([method, path, contentType], ['POST', '/siteverify', 'application/x-www-form-urlencoded']);
    t.same(Object.fromEntries(form), {
      secret: 'captcha-secret-0123456789',
      response: token,
      remoteip: '203.0.113.9',
    });
    const again = await verify({ captcha_token: token });
    t.equal(again?.refusal, 'captchaFailed', 'a token passes once');
    const code = provider === 'hcaptcha' ? 'already-seen-response' : 'timeout-or-duplicate';
    t.equal(again?.message, `captcha protection: request disallowed (${code})`);
  });

  t.test(`${provider}: where the token may stand`, async (t) => {
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
      const refusal = await verify(body);
      t.equal(refusal?.refusal, 'captchaMissing', JSON.stringify(body));
      t.equal(refusal?.status, 400);
    }
    t.equal((await verify({ captcha_token: 'x'.repeat(8193) }))?.refusal, 'captchaFailed', 'too long to be one');
    t.equal(fake.calls.length, asked, 'nothing to ask about');
  });

  t.test(`${provider}: an operator needs none, and a bad bearer changes nothing`, async (t) => {
    const { fake, verify } = await openGuard(t, provider);
    t.equal(await verify({}, 'admin'), null);
    t.equal(fake.calls.length, 0);
    t.equal((await verify({}, 'somebody'))?.refusal, 'captchaMissing');
  });

  t.test(`${provider}: a secret the service does not accept is the operator's to mend`, async (t) => {
    const { fake, verify, errors } = await openGuard(t, provider, { SECURITY_CAPTCHA_SECRET: 'mistyped' });
    const refusal = await verify({ captcha_token: fake.solve() });
    t.equal(refusal?.message, 'captcha protection: request disallowed (invalid-input-secret)');
    t.equal(errors.length, 1);
    t.match(errors[0], 'AUTH_SECURITY_CAPTCHA_SECRET');
  });

  const faults: CaptchaFault[] = ['silent', 'cut', 'cutBody', 'huge', 'html', 'noVerdict', 'yesInWords', 'redirect'];
  for (const fault of faults) {
    t.test(`SEC-78: ${provider}, ${fault}: no verdict, no entry`, async (t) => {
      const { fake, verify } = await openGuard(t, provider, { SECURITY_CAPTCHA_TIMEOUT: '300ms' });
      fake.fault = fault;
      const refusal = await verify({ captcha_token: fake.solve() });
      t.match(refusal, { refusal: 'captchaUnavailable', status: 500, message: 'captcha verification process failed' });
      t.match(String(refusal?.cause), 'AUTH_SECURITY_CAPTCHA_URL');
      t.equal(fake.calls.length, 1, 'asked once');
    });
  }

  t.test(`${provider}: the status of the answer means nothing`, async (t) => {
    const { fake, verify } = await openGuard(t, provider);
    fake.fault = 'errorStatus';
    t.equal(await verify({ captcha_token: fake.solve() }), null);
  });

  t.test(`SEC-78, SEC-44: ${provider}, an address nobody answers or without https`, async (t) => {
    for (const url of ['http://127.0.0.1:1/siteverify', 'http://captcha.example/siteverify']) {
      const { fake, verify } = await openGuard(t, provider, { SECURITY_CAPTCHA_URL: url });
      t.equal((await verify({ captcha_token: fake.solve() }))?.refusal, 'captchaUnavailable', url);
    }
  });
}

t.test('codes of an answer are words, and few', async (t) => {
  const { createServer } = await import('node:http');
  const codes = ['<b>', 'a b', 7, ...Array.from({ length: 20 }, (_, n) => `code-${n}`)];
  const server = createServer((_, response) => response.end(JSON.stringify({ success: false, 'error-codes': codes })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const { verify } = await openGuard(t, 'hcaptcha', { SECURITY_CAPTCHA_URL: `http://127.0.0.1:${port}/` });
  const refusal = await verify({ captcha_token: 'x' });
  const expected = Array.from({ length: 10 }, (_, n) => `code-${n}`).join(', ');
  t.equal(refusal?.message, `captcha protection: request disallowed (${expected})`);
});
