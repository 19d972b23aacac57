import { createHash, randomBytes } from 'node:crypto';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const server = await openTestServer(t, { PAGES_ENABLED: 'true', URI_ALLOW_LIST: 'com.example.app://**' });
const application = 'http://localhost:3000/home?a=1';

async function openAccount(): Promise<string> {
  const email = freshEmail();
  await server.post('/signup', { email, password });
  return email;
}

const openBrowser = () => new PageBrowser(server.url);

/** As the JavaScript client begins. */
function authorizePath(more: Record<string, string> = {}): { path: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    provider: 'custom:hosted',
    redirect_to: application,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 's256',
    ...more,
  });
  return { path: `/authorize?${query}`, verifier };
}

async function exchange(t: Test, onward: string, verifier: string) {
  const code = new URL(onward).searchParams.get('code') ?? '';
  const answer = await server.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

t.test('from /authorize to a code that gives a session (PKCE)', async (t) => {
  const email = await openAccount();
  const browser = openBrowser();
  const { path, verifier } = authorizePath();
  await browser.open(path);
  t.equal(browser.status, 200);
  t.equal(new URL(browser.url).pathname, '/ui/sign-in');
  await browser.send(browser.form('/ui/sign-in'), { address: email, password, action: 'password' });
  t.equal(browser.status, 200);
  t.equal(new URL(browser.url).pathname, '/ui/continue');
  t.equal(browser.headers.get('referrer-policy'), 'no-referrer');
  const target = new URL(browser.onward);
  t.equal(target.origin, 'http://localhost:3000');
  t.equal(target.searchParams.get('a'), '1');
  t.ok(browser.link('localhost:3000'), 'and a link that can be seen');
  const { user, access_token } = await exchange(t, browser.onward, verifier);
  t.equal(user.email, email);
  t.equal((await server.call('GET', '/user', { bearer: access_token })).status, 200);
});

t.test('implicit: the tokens are in the fragment, of a session of its own', async (t) => {
  const email = await openAccount();
  const browser = await openBrowser().open(
    `/authorize?provider=custom:hosted&redirect_to=${encodeURIComponent(application)}`,
  );
  await browser.send(browser.form('/ui/sign-in'), { address: email, password });
  const fragment = new URLSearchParams(new URL(browser.onward).hash.slice(1));
  t.equal(fragment.get('token_type'), 'bearer');
  const bearer = fragment.get('access_token') ?? '';
  t.equal((await server.call('GET', '/user', { bearer })).body.email, email);
  t.equal((await server.call('POST', '/logout?scope=local', { bearer })).status, 204);
  await browser.open(authorizePath().path);
  t.match(browser.html, `Continue as ${email}`, 'the pages have a session of their own');
});

t.test('a wrong password shows the page again, with the address', async (t) => {
  const email = await openAccount();
  const browser = await openBrowser().open(authorizePath().path);
  await browser.send(browser.form('/ui/sign-in'), { address: email, password: 'wrong password' });
  t.equal(browser.status, 400);
  t.equal(browser.alert, 'Address or password is wrong.');
  t.equal(browser.form('/ui/sign-in').fields['address'], email);
  await browser.send(browser.form('/ui/sign-in'), { password });
  t.ok(browser.onward);
});

t.test('the next application: the account is chosen, not asked for', async (t) => {
  const email = await openAccount();
  const browser = await openBrowser().open(authorizePath().path);
  await browser.send(browser.form('/ui/sign-in'), { address: email, password });
  const { path, verifier } = authorizePath();
  await browser.open(path);
  t.equal(browser.title, 'Choose an account');
  await browser.send(browser.form('Continue as'), { action: 'choose' });
  t.equal((await exchange(t, browser.onward, verifier)).user.email, email);
  await browser.open(authorizePath({ prompt: 'login' }).path);
  t.equal(browser.title, 'Sign in', 'unless the application asks for a sign-in');
});

t.test('five accounts at most; the sixth ends the session of the first', async (t) => {
  const browser = openBrowser();
  const emails: string[] = [];
  for (let i = 0; i < 6; i++) {
    emails.push(await openAccount());
    await browser.open(authorizePath({ prompt: 'login' }).path);
    await browser.send(browser.form('/ui/sign-in'), { address: emails[i]!, password });
    t.ok(browser.onward);
  }
  await browser.open(authorizePath().path);
  t.same(
    [...browser.html.matchAll(/Continue as ([^"]+)"/g)].map(([, email]) => email),
    emails.slice(1).reverse(),
  );
  const { rows } = await server.database.admin.query(
    'select count(*)::int as n from sessions s join users u on u.id = s.user_id where u.email = $1',
    [emails[0]],
  );
  t.equal(rows[0].n, 1, 'that of the sign-up is left');
});

t.test('SEC-22: forms of other origins do nothing, and no page may be read from there', async (t) => {
  const email = await openAccount();
  const browser = await openBrowser().open(authorizePath().path);
  const form = browser.form('/ui/sign-in');
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', '']) {
    browser.more = { origin };
    await browser.send(form, { address: email, password });
    t.equal(browser.status, 403, origin);
    t.equal(browser.onward, '');
    t.equal(browser.headers.get('access-control-allow-origin'), null);
  }
  browser.more = { origin: 'https://evil.example' };
  await browser.open('/ui/sign-in');
  t.equal(browser.headers.get('access-control-allow-origin'), null);
  const preflight = await fetch(`${server.url}/ui/sign-in`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  t.equal(preflight.headers.get('access-control-allow-origin'), null);
  browser.more = {};
  const { form_token: _, ...fields } = form.fields;
  await browser.send({ ...form, fields }, { address: email, password });
  t.equal(browser.status, 409, 'without the field of the flow');
});

t.test('a lost cookie, another browser and an expired flow: the form again, with the address', async (t) => {
  const email = await openAccount();
  const browser = await openBrowser().open(authorizePath().path);
  const form = browser.form('/ui/sign-in');
  browser.cookies.clear();
  await browser.send(form, { address: email, password });
  t.equal(browser.status, 409);
  t.match(browser.alert, 'try again');
  t.equal(browser.form('/ui/sign-in').fields['address'], email);
  await browser.send(browser.form('/ui/sign-in'), { password });
  t.ok(browser.onward.startsWith('http://localhost:3000/home'), 'it goes on to the application');

  const late = await openBrowser().open(authorizePath().path);
  const lateForm = late.form('/ui/sign-in');
  await server.database.admin.query("update page_flows set created_at = now() - interval '25 hours'");
  await late.send(lateForm, { address: email, password });
  t.equal(late.status, 409);
  await late.send(late.form('/ui/sign-in'), { password });
  t.ok(late.onward.startsWith('http://localhost:3000'), 'it ends at SITE_URL');
});

t.test('double submit, Back and a second tab go on', async (t) => {
  const email = await openAccount();
  const browser = openBrowser();
  const { path, verifier } = authorizePath();
  await browser.open(path);
  const form = browser.form('/ui/sign-in');
  const second = openBrowser();
  for (const [name, value] of browser.cookies) second.cookies.set(name, value);
  second.url = browser.url;
  await Promise.all([browser, second].map((one) => one.send(form, { address: email, password })));
  t.ok(browser.onward || second.onward, 'the flow belongs to the sign-in that ended last');
  for (const one of [browser, second]) {
    // The page of the other one offers the account that has just signed in there.
    if (one.onward === '') await one.send(one.form('value="choose"'), { action: 'choose' });
    t.equal((await exchange(t, one.onward, verifier)).user.email, email);
  }
  // Back to the form of before the sign-in, whose token belongs to the former secret.
  await browser.send(form, { address: email, password });
  t.equal(browser.status, 409);
  await browser.send(browser.form('/ui/sign-in'), { password });
  t.ok(browser.onward);
});

t.test(
  'the session of the application has level and methods of that of the pages; it ends with it before',
  async (t) => {
    const email = await openAccount();
    const browser = openBrowser();
    const { path, verifier } = authorizePath();
    await browser.open(path);
    await browser.send(browser.form('/ui/sign-in'), { address: email, password });
    await server.database.admin.query(
      'update sessions s set revoked_at = now() from users u where u.id = s.user_id and u.email = $1',
      [email],
    );
    const code = new URL(browser.onward).searchParams.get('code') ?? '';
    const answer = await server.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
    t.match(answer, { status: 404, body: { error_code: 'flow_state_not_found' } });
  },
);

t.test('an app of its own scheme; a target that is not allowed becomes SITE_URL', async (t) => {
  const email = await openAccount();
  const browser = await openBrowser().open(authorizePath({ redirect_to: 'com.example.app://done' }).path);
  await browser.send(browser.form('/ui/sign-in'), { address: email, password });
  t.match(browser.onward, /^com\.example\.app:\/\/done\?code=/);
  await browser.open(authorizePath({ redirect_to: 'https://evil.example/', prompt: 'login' }).path);
  await browser.send(browser.form('/ui/sign-in'), { address: email, password });
  t.match(browser.onward, /^http:\/\/localhost:3000\/?\?code=/);
});

t.test('headers, style sheets and the script', async (t) => {
  const browser = await openBrowser().open('/ui/sign-in');
  t.equal(
    browser.headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
  t.equal(browser.headers.get('cache-control'), 'no-store');
  t.match(
    browser.headers.get('set-cookie'),
    /^latchkey-pages=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
  const files = [...browser.html.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, file]) => file!);
  t.equal(files.length, 3);
  for (const file of files) {
    const answer = await fetch(`${server.url}/ui/${file}`, { headers: { 'accept-encoding': 'gzip, br' } });
    t.equal(answer.status, 200);
    t.equal(answer.headers.get('content-encoding'), 'br');
    t.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.equal(answer.headers.get('access-control-allow-origin'), null);
    const plain = await fetch(`${server.url}/ui/${file}`, { headers: { 'accept-encoding': 'identity' } });
    t.equal(await plain.text(), await answer.text());
  }
  t.equal((await fetch(`${server.url}/ui/assets/none.css`)).status, 404);
});

t.test('the language of the application, else that of the browser', async (t) => {
  const browser = openBrowser();
  browser.more = { 'accept-language': 'nl, de-AT;q=0.9, en;q=0.5' };
  await browser.open('/ui/sign-in');
  t.match(browser.html, '<html lang="de" dir="ltr">');
  t.equal(browser.title, 'Anmelden');
  await browser.open(authorizePath({ ui_locales: 'en-GB' }).path);
  t.match(browser.html, '<html lang="en" dir="ltr">');
});
