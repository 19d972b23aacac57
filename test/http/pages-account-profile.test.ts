/** The account page: name, addresses, password. */

import { openAccountPage, pathOf } from '../support/account-page.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { openMailFlow } from '../support/mail-flows.js';
import { openPhoneFlow } from '../support/phone-flows.js';
import { freshEmail, freshPhone, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const flow = await openMailFlow(t, {
  PAGES_ENABLED: 'true',
  PASSWORD_MIN_LENGTH: '8',
  SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: 'true',
  SECURITY_LOGIN_THROTTLE: 'false',
});

async function openAccount(): Promise<{ email: string; session: Session }> {
  const email = freshEmail();
  await flow.post('/signup', { email, password });
  const { code } = await flow.nextMail(email);
  return { email, session: (await flow.post('/verify', { type: 'signup', email, token: code })).body as Session };
}

const userOf = async (server: Pick<TestServer, 'call'>, { access_token: bearer }: Session) =>
  (await server.call('GET', '/user', { bearer })).body;

t.test('the name, which applications see', async (t) => {
  const { email, session } = await openAccount();
  const browser = await openAccountPage(flow.url, email, 'profile');
  const form = browser.form('Save name');
  await browser.send(form, { name: ' Ann "A" <b> ', action: 'name' });
  t.equal(browser.alert, 'Saved.');
  t.equal(browser.form('Save name').fields['name'], 'Ann "A" <b>');
  t.equal((await userOf(flow, session)).user_metadata.name, 'Ann "A" <b>');
  await browser.send(form, { name: 'Eve', action: 'name', form_token: 'x'.repeat(43) });
  t.equal(browser.status, 409);
  t.equal((await userOf(flow, session)).user_metadata.name, 'Ann "A" <b>');
  await browser.send(browser.form('Save name'), { name: '', action: 'name' });
  t.equal((await userOf(flow, session)).user_metadata.name, undefined);
});

t.test('another address: pending, a code to each side, and the person stays signed in', async (t) => {
  const { email, session } = await openAccount();
  const next = freshEmail();
  const browser = await openAccountPage(flow.url, email, 'profile');
  await browser.send(browser.form('New email'), { email: 'no address', action: 'email' });
  t.equal(browser.status, 400);
  t.equal(browser.alert, 'This address is not valid.');
  t.match(browser.html, /name="email"[^>]*value="no address"[^>]*aria-invalid="true"/);
  t.notMatch(browser.html, /name="name"[^>]*aria-invalid/, 'only the field that is wrong');
  const { email: taken } = await openAccount();
  await browser.send(browser.form('New email'), { email: taken, action: 'email' });
  t.equal(browser.alert, 'This address or number belongs to another account.');

  await browser.send(browser.form('New email'), { email: next, action: 'email' });
  t.equal(browser.alert, 'We have sent you a code.');
  t.match(browser.html, `${next} has not been confirmed yet.`);
  t.equal((await userOf(flow, session)).email, email);
  const [toOld, toNew] = [await flow.nextMail(email), await flow.nextMail(next)];
  t.equal(toNew.link?.pathname, '/ui/link');
  await browser.send(browser.form(`Code that was sent to ${email}`), { code: '000000', action: 'confirm_current' });
  t.equal(browser.alert, 'The code is wrong or has expired.');
  t.match(browser.html, /id="confirm_current"[^>]*aria-invalid="true"/);
  await browser.send(browser.form(`Code that was sent to ${email}`), { code: toOld.code, action: 'confirm_current' });
  t.match(browser.alert, 'Now enter the code');
  t.notMatch(browser.html, 'id="confirm_current"', 'a code that was entered is not asked for again');
  await browser.send(browser.form(`Code that was sent to ${next}`), { code: toNew.code, action: 'confirm_new' });
  t.equal(pathOf(browser), '/ui/account/profile');
  t.match(browser.html, next);
  t.notMatch(browser.html, 'has not been confirmed yet');
  t.equal((await userOf(flow, session)).email, next);
});

t.test('the link of the mail on another device: it confirms there, and this browser stays signed in', async (t) => {
  const { email } = await openAccount();
  const next = freshEmail();
  const browser = await openAccountPage(flow.url, email, 'profile');
  await browser.send(browser.form('New email'), { email: next, action: 'email' });
  const [toOld, toNew] = [await flow.nextMail(email), await flow.nextMail(next)];
  const elsewhere = await openAccountPage(flow.url, (await openAccount()).email);
  for (const { link } of [toOld, toNew]) {
    await elsewhere.open(flow.url + link!.pathname + link!.search);
    await elsewhere.send(elsewhere.form('/ui/link'));
  }
  t.ok(elsewhere.onward, 'the flow ends there');
  await browser.open(browser.url);
  t.equal(pathOf(browser), '/ui/account/profile');
  t.match(browser.html, next);
});

t.test('another password: the current one is asked for, and other sessions end', async (t) => {
  const { email, session } = await openAccount();
  const browser = await openAccountPage(flow.url, email, 'password');
  const form = () => browser.form('/ui/account/password');
  t.equal(form().fields['username'], email, 'for password managers');
  await browser.send(form(), { current_password: 'not it', password: 'another good password', action: 'save' });
  t.equal(browser.alert, 'The current password is wrong or missing.');
  t.match(browser.html, /name="current_password"[^>]*aria-invalid="true"/);
  await browser.send(form(), { current_password: password, password: 'short', action: 'save' });
  t.equal(browser.alert, 'The password is too short.');
  t.match(browser.html, /name="password"[^>]*aria-invalid="true"/);
  await browser.send(form(), { current_password: password, password: 'another good password', action: 'save' });
  t.equal(browser.alert, 'Saved.');
  const old = await flow.post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
  t.equal(old.status, 400);
  t.equal((await flow.post('/token?grant_type=password', { email, password })).status, 400);
  const signedIn = await flow.post('/token?grant_type=password', { email, password: 'another good password' });
  t.equal(signedIn.status, 200);
});

t.test('forgotten: a code, a new password, and back to the account', async (t) => {
  const { email } = await openAccount();
  const browser = await openAccountPage(flow.url, email, 'password');
  await browser.open(browser.link('Forgot your password?'));
  await browser.send(browser.form('/ui/recover'), { address: email });
  await browser.send(browser.form('Continue'), { code: (await flow.nextMail(email)).code, action: 'verify' });
  t.equal(browser.title, 'Set a new password');
  await browser.send(browser.form('/ui/password'), { password: 'a third good password', action: 'save' });
  t.equal(pathOf(browser), '/ui/account/password');
});

t.test('an old second factor: asked for again, and back', async (t) => {
  const strict = await openMailFlow(t, {
    PAGES_ENABLED: 'true',
    MAILER_AUTOCONFIRM: 'true',
    SECURITY_STEP_UP_MAX_AGE: '5m',
  });
  const email = freshEmail();
  const session = (await strict.post('/signup', { email, password })).body as Session;
  const { id, secret } = await enrolTotp(strict, session);
  const app = openApp(secret);
  await verifyWith(strict, session, id, app.nextCode());
  const browser = await openAccountPage(strict.url, email, 'password');
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), '/ui/account/password');
  await strict.database.admin.query(
    `update sessions set amr = (select jsonb_agg(jsonb_set(e, '{timestamp}', to_jsonb((e ->> 'timestamp')::bigint - 600)))
     from jsonb_array_elements(amr) e)`,
  );
  await browser.send(browser.form('/ui/account/password'), { password: 'another good password', action: 'save' });
  t.equal(pathOf(browser), '/ui/mfa');
  t.equal((await strict.post('/token?grant_type=password', { email, password })).status, 200, 'nothing is changed yet');
  await browser.open('/ui/account');
  t.equal(pathOf(browser), '/ui/account', 'who does not go on is not held');
  await browser.open(browser.link('Password'));
  await browser.send(browser.form('/ui/account/password'), { password: 'another good password', action: 'save' });
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), '/ui/account/password', 'and back');
  await browser.send(browser.form('/ui/account/password'), { password: 'another good password', action: 'save' });
  t.equal(browser.alert, 'Saved.');
});

t.test('a number: texted, confirmed, shown', async (t) => {
  const texts = await openPhoneFlow(t, 'twilio', { PAGES_ENABLED: 'true', SMS_AUTOCONFIRM: 'false' });
  const email = freshEmail();
  const session = (await texts.post('/signup', { email, password })).body as Session;
  const browser = await openAccountPage(texts.url, email, 'profile');
  const phone = freshPhone();
  await browser.send(browser.form('New phone number'), {
    phone: `+${phone.slice(0, 4)} ${phone.slice(4)}`,
    action: 'phone',
  });
  t.equal(browser.alert, 'We have sent you a code.');
  t.match(browser.html, `+${phone} has not been confirmed yet.`);
  const code = await texts.nextCode(phone);
  await browser.send(browser.form('Code that was sent'), { code, action: 'confirm_phone' });
  t.equal(pathOf(browser), '/ui/account/profile');
  t.match(browser.html, `<bdi>+${phone}</bdi>`);
  t.equal((await userOf(texts, session)).phone, phone);
});
