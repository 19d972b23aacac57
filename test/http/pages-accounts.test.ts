import { createHash, randomBytes } from 'node:crypto';
import { adminToken } from '../support/admin.js';
import { openExternalFlow } from '../support/external-flow.js';
import { openMailFlow } from '../support/mail-flows.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const flow = await openExternalFlow(t, ['github'], { PAGES_ENABLED: 'true', PASSWORD_MIN_LENGTH: '8' });

interface Begun {
  readonly browser: PageBrowser;
  readonly verifier: string;
}

/** A browser on a page of a flow that an application began. */
async function begin(page = 'sign-in', more: Record<string, string> = {}): Promise<Begun> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    provider: 'custom:hosted',
    redirect_to: 'http://localhost:3000/home',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 's256',
    ...more,
  });
  const browser = await new PageBrowser(flow.url).open(`/authorize?${query}`);
  if (page !== 'sign-in') await browser.open(browser.url.replace('/sign-in', `/${page}`));
  return { browser, verifier };
}

/** The user that the application gets. */
async function end(t: Test, { browser, verifier }: Begun) {
  const code = new URL(browser.onward).searchParams.get('code') ?? '';
  const answer = await flow.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.user;
}

const here = (link: URL): string => flow.url + link.pathname + link.search;

async function openAccount(): Promise<string> {
  const email = freshEmail();
  await flow.post('/signup', { email, password });
  const { code } = await flow.nextMail(email);
  await flow.post('/verify', { type: 'signup', email, token: code });
  return email;
}

t.test('sign-up: an account, a code by mail, and on to the application', async (t) => {
  const email = freshEmail();
  const begun = await begin('sign-in', { screen_hint: 'signup' });
  const { browser } = begun;
  t.equal(browser.title, 'Create an account');
  await browser.send(browser.form('/ui/sign-up'), { address: email, password: 'short' });
  t.equal(browser.alert, 'The password is too short.');
  t.equal(browser.form('/ui/sign-up').fields['address'], email);
  await browser.send(browser.form('/ui/sign-up'), { password });
  t.equal(browser.title, 'Enter the code');
  t.match(browser.html, email);
  const { code } = await flow.nextMail(email);
  await browser.send(browser.form('Continue'), { code: '000000', action: 'verify' });
  t.equal(browser.alert, 'The code is wrong or has expired.');
  await browser.send(browser.form('Send a new code'), { action: 'resend' });
  const again = await flow.nextMail(email);
  t.not(again.code, code);
  await browser.send(browser.form('Continue'), {
    code: ` ${again.code.slice(0, 3)} ${again.code.slice(3)}`,
    action: 'verify',
  });
  t.equal((await end(t, begun)).email, email);
});

t.test('sign-up by a program that fills in every field creates nothing', async (t) => {
  const { browser } = await begin('sign-up');
  const email = freshEmail();
  await browser.send(browser.form('/ui/sign-up'), { address: email, password, website: 'https://x.example' });
  t.equal(browser.status, 400);
  const { rows } = await flow.database.admin.query('select from users where email = $1', [email]);
  t.equal(rows.length, 0);
});

t.test('a code instead of a password, for known and unknown addresses', async (t) => {
  for (const email of [await openAccount(), freshEmail()]) {
    const begun = await begin();
    const { browser } = begun;
    await browser.send(browser.form('/ui/sign-in'), { address: email, password: '', action: 'code' });
    t.equal(browser.title, 'Enter the code');
    const { code, link } = await flow.nextMail(email);
    t.equal(link?.pathname, '/ui/link', 'the link of the mail leads to a page');
    await browser.send(browser.form('Continue'), { code, action: 'verify' });
    t.equal((await end(t, begun)).email, email);
  }
});

t.test('a code for an address with a domain beyond ASCII, as it is typed', async (t) => {
  const name = freshEmail().split('@')[0]!;
  const begun = await begin();
  const { browser } = begun;
  await browser.send(browser.form('/ui/sign-in'), {
    address: ` ${name}@b\u00fccher.example `,
    password: '',
    action: 'code',
  });
  const { code } = await flow.nextMail(`${name}@xn--bcher-kva.example`);
  await browser.send(browser.form('Continue'), { code, action: 'verify' });
  t.equal((await end(t, begun)).email, `${name}@xn--bcher-kva.example`);
});

t.test('a link of a mail whose & became &amp;', async (t) => {
  const email = await openAccount();
  const { browser } = await begin();
  await browser.send(browser.form('/ui/sign-in'), { address: email, password: '', action: 'code' });
  const { link } = await flow.nextMail(email);
  await browser.open(`${link!.pathname}${link!.search.replaceAll('&', '&amp;')}`);
  t.equal(browser.status, 200);
  t.ok(browser.form('/ui/link'));
});

t.test('a code that comes after the end of its flow: the address is kept', async (t) => {
  const email = await openAccount();
  const { browser } = await begin();
  await browser.send(browser.form('/ui/sign-in'), { address: email, password: '', action: 'code' });
  const { code } = await flow.nextMail(email);
  await flow.database.admin.query("update page_flows set created_at = now() - interval '25 hours'");
  await browser.send(browser.form('Continue'), { code, action: 'verify' });
  t.equal(browser.title, 'Sign in');
  t.equal(browser.form('/ui/sign-in').fields['address'], email);
});

t.test('SEC-92: known and unknown addresses get the same pages', async (t) => {
  const known = await openAccount();
  const pages = async (email: string) => {
    const seen: string[] = [];
    const keep = (browser: PageBrowser) =>
      seen.push(
        `${browser.status} ${browser.html
          .replaceAll(email, 'ADDRESS')
          .replace(/value="[\w-]{43}"/g, '')
          .replace(/flow=[\w-]{36}/g, '')}`,
      );
    const { browser } = await begin();
    keep(await browser.send(browser.form('/ui/sign-in'), { address: email, password: 'not the password' }));
    keep(await browser.send(browser.form('/ui/sign-in'), { address: email, password: '', action: 'code' }));
    keep(await browser.send(browser.form('Continue'), { code: '123456', action: 'verify' }));
    const recovery = (await begin('recover')).browser;
    keep(await recovery.send(recovery.form('/ui/recover'), { address: email }));
    const signUp = (await begin('sign-up')).browser;
    keep(await signUp.send(signUp.form('/ui/sign-up'), { address: email, password }));
    return seen;
  };
  const [one, other] = [await pages(known), await pages(freshEmail())];
  t.equal(one.length, 5);
  t.same(one, other);
});

t.test('recovery: a code, a new password, and on to the application', async (t) => {
  const email = await openAccount();
  const begun = await begin('recover');
  const { browser } = begun;
  await browser.send(browser.form('/ui/recover'), { address: email });
  const { code } = await flow.nextMail(email);
  await browser.send(browser.form('Continue'), { code, action: 'verify' });
  t.equal(browser.title, 'Set a new password');
  t.equal(browser.form('/ui/password').fields['username'], email, 'for password managers');
  await browser.send(browser.form('/ui/password'), { password });
  t.equal(browser.alert, 'The new password must differ from the old one.');
  // Leaving the page does not skip it.
  await browser.open(browser.url.replace('/password', '/continue'));
  t.equal(browser.title, 'Set a new password');
  await browser.send(browser.form('/ui/password'), { password: 'another good password' });
  t.equal((await end(t, begun)).email, email);
  const answer = await flow.post('/token?grant_type=password', { email, password: 'another good password' });
  t.equal(answer.status, 200);
});

t.test('the link of a mail: whose it is, a button, and on to the application', async (t) => {
  const email = await openAccount();
  const begun = await begin();
  const { browser } = begun;
  await browser.send(browser.form('/ui/sign-in'), { address: email, password: '', action: 'code' });
  const { link } = await flow.nextMail(email);
  for (let looks = 0; looks < 2; looks++) await browser.open(here(link!));
  t.match(browser.html, `This link is for ${email}.`);
  t.notMatch(browser.html, 'another device');
  const form = browser.form('/ui/link');
  await browser.send(form);
  t.equal((await end(t, begun)).email, email);
  browser.cookies.clear();
  await browser.open(here(link!));
  t.equal(browser.status, 403);
  t.equal(browser.alert, 'The link has expired or was used already.');
  t.ok(browser.link('Back to sign in'));
});

t.test('the link on another device: the code goes on where it began, the link signs in there', async (t) => {
  const email = await openAccount();
  const begun = await begin();
  await begun.browser.send(begun.browser.form('/ui/sign-in'), { address: email, password: '', action: 'code' });
  const { link, code } = await flow.nextMail(email);
  const other = await new PageBrowser(flow.url).open(here(link!));
  t.match(other.html, 'another device');
  await begun.browser.send(begun.browser.form('Continue'), { code, action: 'verify' });
  t.equal((await end(t, begun)).email, email);

  const again = await begin();
  await again.browser.send(again.browser.form('/ui/sign-in'), { address: email, password: '', action: 'code' });
  const second = await flow.nextMail(email);
  await other.open(here(second.link!));
  await other.send(other.form('/ui/link'));
  t.equal(other.onward, 'http://localhost:3000', 'the application there could not use a code');
  await other.open((await begin()).browser.url);
  t.match(other.html, `Continue as ${email}`);
});

t.test('an invitation that leads to the page: a password, and on to the application', async (t) => {
  const server = await openMailFlow(t, {
    PAGES_ENABLED: 'true',
    MAILER_URLPATHS_INVITE: '/ui/link',
    SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true',
  });
  const email = freshEmail();
  await server.call('POST', '/invite?redirect_to=http%3A%2F%2Flocalhost%3A3000%2Fteam', {
    bearer: adminToken(),
    body: { email },
  });
  const { link } = await server.nextMail(email);
  const browser = await new PageBrowser(server.url).open(server.url + link!.pathname + link!.search);
  await browser.send(browser.form('/ui/link'));
  t.equal(browser.title, 'Set a new password');
  t.match(browser.html, `We will send it to ${email}.`);
  t.notMatch(browser.html, 'name="password"', 'the code comes first');
  await browser.send(browser.form('/ui/password'), { password: 'a very good password', action: 'save' });
  t.equal(browser.alert, 'The code is wrong or has expired.');
  t.match(browser.html, 'name="code"', 'who has a code already may enter it');
  await browser.open(browser.url);
  await browser.send(browser.form('/ui/password'), { action: 'send' });
  t.equal(browser.alert, 'We have sent you a code.');
  const fields = ['name="code"', 'name="password"', 'value="save"', 'value="send"'];
  t.same(
    fields.toSorted((a, b) => browser.html.indexOf(a) - browser.html.indexOf(b)),
    fields,
    'in the order in which they are filled in',
  );
  t.match(browser.html, new RegExp(`<label for="code">Code that was sent to ${email}</label>`));
  const { code } = await server.nextMail(email);
  await browser.send(browser.form('/ui/password'), { password: 'short', code, action: 'save' });
  t.equal(browser.alert, 'The password is too short.');
  t.match(browser.html, /name="password"[^>]*aria-invalid="true"/);
  t.notMatch(browser.html, /name="code"[^>]*aria-invalid/, 'the code is still good');
  await browser.send(browser.form('/ui/password'), { password: 'a very good password', code, action: 'save' });
  t.equal(browser.onward, 'http://localhost:3000/team');
  const answer = await server.post('/token?grant_type=password', { email, password: 'a very good password' });
  t.equal(answer.status, 200);
});

t.test('a provider: there and back to the flow; a denial is a text', async (t) => {
  const begun = await begin();
  const { browser } = begun;
  const page = browser.url;
  const leave = async () => {
    await browser.open(`${page}&account=other`);
    await browser.open(browser.link('Continue with GitHub'));
    t.match(browser.url, /authorize/);
    t.not(new URL(browser.url).origin, flow.url);
    return browser.url;
  };
  const comeBack = (browser: PageBrowser, answer: { readonly url: string }) => {
    const { pathname, search } = new URL(answer.url);
    return browser.open(flow.url + pathname + search);
  };

  await comeBack(browser, await flow.providers.signIn(await leave(), { decision: 'deny' }));
  t.equal(new URL(browser.url).pathname, '/ui/return');
  t.match(browser.alert, 'did not work');
  const email = freshEmail();
  flow.providers.person('github', { email, subject: 4711 });
  await comeBack(browser, await flow.providers.signIn(await leave()));
  t.equal((await end(t, begun)).email, email);

  const stolen = await flow.providers.signIn(await leave());
  const victim = await comeBack(new PageBrowser(flow.url), stolen);
  t.match(victim.alert, 'did not work', 'in another browser the code is worth nothing');
  t.equal(victim.onward, '');

  await browser.open(`${page.replace('/sign-in', '/return')}&error_code=constructor`);
  t.match(browser.alert, 'did not work', 'a name that every object inherits is an unknown error_code');
});

t.test('signing out: of one account, then of the last', async (t) => {
  const emails = [await openAccount(), await openAccount()];
  const { browser } = await begin();
  const page = browser.url;
  for (const address of emails) {
    await browser.open(`${page}&account=other`);
    await browser.send(browser.form('/ui/sign-in'), { address, password });
  }
  await browser.open(page);
  await browser.send(browser.form(`Sign out ${emails[0]}`));
  t.match(browser.html, `Continue as ${emails[1]}`);
  t.notMatch(browser.html, emails[0]);
  await browser.send(browser.form(`Sign out ${emails[1]}`));
  t.equal(browser.title, 'Signed out');
  const { rows } = await flow.database.admin.query(
    'select from sessions s join users u on u.id = s.user_id where u.email = any($1) and s.amr @> $2',
    [emails, JSON.stringify([{ method: 'password' }])],
  );
  t.equal(rows.length, 0, 'the sessions have ended');
  await browser.open(page);
  t.equal(browser.title, 'Sign in');
});

t.test('pages without their flow lead to the beginning; errors have an id and a way on', async (t) => {
  const browser = new PageBrowser(flow.url);
  for (const page of ['code', 'password', 'mfa', 'continue']) {
    await browser.open(`/ui/${page}`);
    t.equal(browser.title, 'Sign in', page);
  }
  await browser.open('/ui/error?error_id=abc-1');
  t.match(browser.html, 'Error ID: abc-1');
  t.match(browser.link('Back to sign in'), '/ui/sign-in');
});
