import { adminToken } from '../support/admin.js';
import { claimsOf, codeOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { startLeakService } from '../support/leaked-passwords.js';
import { PageBrowser } from '../support/page-browser.js';
import { openPhoneFlow } from '../support/phone-flows.js';
import { freshEmail, freshPhone, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openPhoneFlow(t, 'twilio', {
  PAGES_ENABLED: 'true',
  MFA_PHONE_ENROLL_ENABLED: 'true',
  MFA_PHONE_VERIFY_ENABLED: 'true',
  MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
  MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
});
const PATH = '/authorize?provider=custom:hosted&redirect_to=http%3A%2F%2Flocalhost%3A3000%2F';

async function openAccount() {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  const raised = (await verifyWith(server, session, id, app.nextCode())).body as Session;
  return { email, app, raised };
}

/** A browser that has signed in with the password. */
async function signIn(address: string, url = server.url): Promise<PageBrowser> {
  const browser = await new PageBrowser(url).open(PATH);
  return browser.send(browser.form('/ui/sign-in'), { address, password });
}

/** The claims of the token that the application gets. */
const claimsAtEnd = (browser: PageBrowser) =>
  claimsOf(new URLSearchParams(new URL(browser.onward).hash.slice(1)).get('access_token')!);

t.test('an authenticator app: asked for, and the application gets a session at AAL2', async (t) => {
  const { email, app } = await openAccount();
  const browser = await signIn(email);
  t.equal(browser.title, 'Second step');
  t.match(browser.html, 'autocomplete="one-time-code"');
  await browser.send(browser.form('Continue'), { code: '000000', action: 'verify' });
  t.equal(browser.alert, 'The code is wrong or has expired.');
  await browser.open(browser.url.replace('/mfa', '/continue'));
  t.equal(browser.title, 'Second step', 'it cannot be left out');
  const before = browser.cookies.get('latchkey-pages');
  await browser.send(browser.form('Continue'), { code: app.nextCode(), action: 'verify' });
  t.not(browser.cookies.get('latchkey-pages'), before, 'more rights, another secret');
  const claims = claimsAtEnd(browser);
  t.equal(claims['aal'], 'aal2');
  t.same((claims['amr'] as { method: string }[]).map(({ method }) => method).sort(), ['password', 'totp']);
  await browser.open(PATH);
  await browser.send(browser.form('Continue as'), { action: 'choose' });
  t.equal(claimsAtEnd(browser)['aal'], 'aal2', 'the next application does not ask again');
});

t.test('a phone: the code is sent on demand; a wrong one sends no other', async (t) => {
  const { email, raised } = await openAccount();
  const bearer = raised.access_token;
  const body = { factor_type: 'phone', phone: '+15555550123', friendly_name: 'mobile' };
  const { id } = (await server.call('POST', '/factors', { bearer, body })).body;
  const challenge = await server.call('POST', `/factors/${id}/challenge`, { bearer });
  const code = await server.nextCode('15555550123');
  await server.call('POST', `/factors/${id}/verify`, { bearer, body: { challenge_id: challenge.body.id, code } });
  const browser = await signIn(email);
  await browser.open(browser.link('Code to +\u2060…\u20600123'));
  t.notMatch(browser.html, '15555550123');
  await server.forgetLimits();
  await browser.send(browser.form('Send code'), { action: 'begin' });
  const sent = await server.nextCode('15555550123');
  await browser.send(browser.form('name="code"'), { code: '000000', action: 'verify' });
  t.equal(browser.alert, 'The code is wrong or has expired.');
  await browser.send(browser.form('name="code"'), { code: sent, action: 'verify' });
  t.equal(claimsAtEnd(browser)['aal'], 'aal2');
});

t.test('a number instead of an address: sign-up by a code, then a code or the password', async (t) => {
  const phone = freshPhone();
  const typed = `+${phone.slice(0, 4)} ${phone.slice(4)}`;
  const browser = await new PageBrowser(server.url).open(PATH.replace('provider', 'screen_hint=signup&provider'));
  await browser.send(browser.form('/ui/sign-up'), { address: typed, password });
  t.equal(browser.title, 'Enter the code');
  await browser.send(browser.form('name="code"'), { code: await server.nextCode(phone), action: 'verify' });
  t.equal(claimsAtEnd(browser)['phone'], phone);
  const again = await new PageBrowser(server.url).open(PATH);
  await again.send(again.form('/ui/sign-in'), { address: typed, password: '', action: 'code' });
  await again.send(again.form('name="code"'), { code: await server.nextCode(phone), action: 'verify' });
  t.equal(claimsAtEnd(again)['phone'], phone);
  t.equal(claimsAtEnd(await signIn(typed))['phone'], phone);
});

t.test('a recovery code', async (t) => {
  const { email, raised } = await openAccount();
  const generated = await server.call('POST', '/factors/recovery-codes', { bearer: raised.access_token });
  const [code] = generated.body.codes as string[];
  const browser = await signIn(email);
  await browser.open(browser.link('Recovery code'));
  await browser.send(browser.form('/ui/mfa'), { code: code!, action: 'recovery' });
  t.equal(claimsAtEnd(browser)['aal'], 'aal2');
});

t.test('where a second factor is required: its enrolment, within the sign-in', async (t) => {
  const strict = await openTestServer(t, { PAGES_ENABLED: 'true', MFA_REQUIRED: 'all' });
  const email = freshEmail();
  await strict.post('/signup', { email, password });
  const browser = await signIn(email, strict.url);
  t.equal(browser.title, 'Set up a second step');
  await browser.send(browser.form('Set up authenticator app'), { action: 'enrol' });
  await browser.open(browser.url);
  await browser.send(browser.form('Set up authenticator app'), { action: 'enrol' });
  t.match(browser.html, 'src="data:image/svg+xml;base64,');
  const secret = /<code class="secret" dir="ltr">([A-Z2-7]+)</.exec(browser.html)![1]!;
  await browser.send(browser.form('Continue'), { code: '000000', action: 'verify' });
  t.equal(browser.alert, 'The code is wrong or has expired.');
  await browser.send(browser.form('Continue'), { code: codeOf(secret), action: 'verify' });
  t.match(claimsAtEnd(browser), { aal: 'aal2', role: 'authenticated' });
});

t.test('a leaked password: it signs in only to set another one', async (t) => {
  const service = await startLeakService(t);
  const strict = await openTestServer(t, {
    PAGES_ENABLED: 'true',
    PASSWORD_HIBP_ENABLED: 'true',
    PASSWORD_HIBP_API_URL: service.url,
    PASSWORD_LEAKED_ACTION: 'require_reset',
    SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: 'true',
    SECURITY_LOGIN_THROTTLE: 'false',
  });
  const email = freshEmail();
  // Administrators may set any password.
  service.leaked.add(password);
  await strict.call('POST', '/admin/users', { bearer: adminToken(), body: { email, password, email_confirm: true } });
  const browser = await signIn(email, strict.url);
  t.equal(browser.title, 'Set a new password');
  t.match(browser.alert, 'data leak');
  await browser.open(browser.url.replace('/password', '/continue'));
  t.equal(browser.title, 'Set a new password', 'it cannot be left out');
  const form = browser.form('/ui/password');
  await browser.send(form, { password: 'another good password', current_password: 'not the current one' });
  t.equal(browser.alert, 'The current password is wrong or missing.');
  await browser.send(browser.form('/ui/password'), { password: 'another good password', current_password: password });
  t.match(claimsAtEnd(browser), { aal: 'aal1', amr: [{ method: 'password' }] });
});
