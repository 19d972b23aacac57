import { signAdminToken } from '../../src/server/commands/sign-admin-token.js';
import { secretSigningKey } from '../../src/server/keys/key-set.js';
import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, JWT_SECRET, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { words } from '../support/words.js';

const target = 'https://app.example.com/welcome';
const site = 'http://localhost:3000';

t.test('SEC-33, SEC-34: a redirect is checked when the mail is requested, and again at the click', async (t) => {
  const flow = await openMailFlow(t);
  const later = await openTestServer(t, { MAILER_AUTOCONFIRM: 'false', DB_DATABASE_URL: flow.database.url });
  const ask = async (redirectTo: string) => {
    const email = freshEmail();
    await flow.post(`/otp?redirect_to=${encodeURIComponent(redirectTo)}`, { email });
    return flow.nextMail(email);
  };

  const allowed = await ask(target);
  t.equal(allowed.link!.searchParams.get('redirect_to'), target);
  const response = await fetch(later.url + allowed.link!.pathname + allowed.link!.search, { redirect: 'manual' });
  t.equal(response.status, 303);
  t.ok(response.headers.get('location')!.startsWith(`${site}#access_token=`), 'no longer on the list: SITE_URL');

  for (const hostile of words(`
    https://evil.example https://app.example.com.evil.example/ https://app.example.com@evil.example/ //evil.example
    https:/\\evil.example javascript:alert(1) https://evil.example#.app.example.com
  `)) {
    const { link } = await ask(hostile);
    t.equal(link!.searchParams.get('redirect_to'), site, hostile);
  }

  const { link } = await ask(target);
  link!.searchParams.set('redirect_to', 'https://evil.example/');
  const followed = await flow.follow(link!);
  t.equal(followed.location!.origin, site, 'a link that was tampered with leads home');
});

t.test('SEC-20: no header of the request reaches a link', async (t) => {
  const flow = await openMailFlow(t);
  const now = Math.floor(Date.now() / 1000);
  const claims = { role: 'service_role', audience: 'authenticated', issuer: '', subject: null, expiresInSeconds: 60 };
  const bearer = await signAdminToken(claims, secretSigningKey({ jwtSecret: JWT_SECRET, jwtKeyId: '' }), now);
  const headers = {
    forwarded: 'host=evil.example;proto=https',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-original-host': 'evil.example',
    referer: 'https://evil.example/page',
  };
  const known = freshEmail();
  await flow.post('/signup', { email: known, password });
  await flow.nextMail(known);
  const requests: [string, string, object][] = [
    ['/signup', freshEmail(), { password }],
    ['/otp', freshEmail(), {}],
    ['/recover', known, {}],
    ['/invite', freshEmail(), {}],
  ];
  for (const [path, email, more] of requests) {
    const answer = await flow.call('POST', path, {
      body: { email, ...more },
      bearer: path === '/invite' ? bearer : undefined,
      headers,
    });
    t.equal(answer.status, 200, path);
    const mail = await flow.nextMail(email);
    t.equal(mail.link!.origin, 'http://localhost:9999', path);
    t.equal(mail.link!.searchParams.get('redirect_to'), site, path);
    t.notMatch(mail.html + mail.text, /evil\.example/, path);
  }
});
