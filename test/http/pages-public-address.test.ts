import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeCaptcha } from '../support/captcha.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const PUBLIC = 'https://example.com/auth/v1';

t.test('https, a path in front of the server, a captcha and a logo', async (t) => {
  const fake = await startFakeCaptcha(t, 'hcaptcha');
  const directory = t.testdir({});
  const logo = join(directory, 'logo.svg');
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  const server = await openTestServer(t, {
    ...fake.settings,
    PAGES_ENABLED: 'true',
    PAGES_LOGO_FILE: logo,
    PAGES_CAPTCHA_SITE_KEY: 'public-key',
    API_EXTERNAL_URL: PUBLIC,
    RATE_LIMIT_HEADER: 'X-Client',
  });
  const browser = new PageBrowser(server.url);
  const more = { origin: 'https://example.com', 'x-client': 'one' };
  browser.more = more;
  await browser.open('/authorize?provider=custom:hosted&redirect_to=http%3A%2F%2Flocalhost%3A3000%2F');
  t.match(browser.headers.get('set-cookie'), /^__Secure-latchkey-pages=[\w-]{43}; Path=\/auth\/v1\/ui; .*; Secure$/);
  const addresses = [...browser.html.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, address]) => address!);
  t.ok(addresses.length > 8);
  for (const address of addresses) t.notMatch(address, /^\//, 'relative to the page');
  const image = /<img src="(assets\/logo-\w+\.svg)" alt="localhost:3000">/.exec(browser.html)?.[1];
  const { headers } = await fetch(`${server.url}/ui/${image}`);
  t.equal(headers.get('content-type'), 'image/svg+xml');
  t.match(headers.get('content-security-policy'), /^default-src 'none'; .*; sandbox$/, 'opened alone it runs nothing');
  t.match(headers.get('cache-control'), /immutable/);

  const policy = browser.headers.get('content-security-policy')!;
  t.match(policy, "script-src 'self' https://hcaptcha.com https://*.hcaptcha.com;");
  t.match(policy, "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; frame-src https://hcaptcha.com");
  t.notMatch(policy, 'trusted-types');
  t.match(browser.html, '<div class="h-captcha" data-sitekey="public-key"></div>');

  const email = freshEmail();
  await server.post('/signup', { email, password, captcha_token: fake.solve() });
  await browser.send(browser.form('/ui/sign-in'), { address: email, password });
  t.equal(browser.alert, 'Please solve the captcha.');
  const answer = { address: email, password, 'h-captcha-response': fake.solve() };
  browser.more = { ...more, origin: 'http://example.com' };
  const form = browser.form('/ui/sign-in');
  await browser.send(form, { ...answer, 'h-captcha-response': fake.solve() });
  t.equal(browser.status, 403, 'http is another origin');
  browser.more = more;
  await browser.send(form, answer);
  t.match(browser.onward, /^http:\/\/localhost:3000\/#.*access_token=/);
  await browser.open('/ui/signed-out');
  t.match(browser.headers.get('content-security-policy'), "trusted-types 'none'", 'pages without a captcha are strict');

  const flood = new PageBrowser(server.url);
  flood.more = { 'x-client': 'two' };
  for (let n = 0; n < 40 && flood.status !== 429; n++) await flood.open('/ui/sign-in');
  t.equal(flood.status, 429, 'flows that nobody begins cannot fill the database');
  t.ok(Number(flood.headers.get('retry-after')) > 0);
  t.match(flood.html, 'Too many requests');
});

t.test('a host of its own: the cookie is bound to it', async (t) => {
  const server = await openTestServer(t, { PAGES_ENABLED: 'true', API_EXTERNAL_URL: 'https://auth.example.com' });
  const browser = await new PageBrowser(server.url).open('/ui/sign-in');
  t.match(browser.headers.get('set-cookie'), /^__Host-latchkey-pages=[\w-]{43}; Path=\/; .*; SameSite=Lax; Secure$/);
});
