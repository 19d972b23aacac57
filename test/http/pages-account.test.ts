/** The account page: the way in, its sessions, and what a stranger, another tab and an ended session come to. */

import { openAccountPage, pathOf } from '../support/account-page.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(t, { PAGES_ENABLED: 'true', URI_ALLOW_LIST: 'https://app.example.com/**' });

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

async function signUp(): Promise<{ email: string; session: Session }> {
  const email = freshEmail();
  return { email, session: (await server.post('/signup', { email, password })).body as Session };
}

/** Another session of an account, as an application has it. */
const signInElsewhere = async (email: string): Promise<Session> =>
  (
    await server.call('POST', '/token?grant_type=password', {
      body: { email, password },
      headers: { 'user-agent': firefox },
    })
  ).body as Session;

const refresh = async ({ refresh_token }: Session): Promise<number> =>
  (await server.post('/token?grant_type=refresh_token', { refresh_token })).status;

t.test('whoever is not signed in signs in first, and comes back to the part', async (t) => {
  const { email } = await signUp();
  const browser = await new PageBrowser(server.url).open(
    `/ui/account/sessions?redirect_to=https%3A%2F%2Fapp.example.com%2Fsettings&login_hint=${email}&ui_locales=de`,
  );
  t.equal(pathOf(browser), '/ui/sign-in');
  t.equal(browser.form('/ui/sign-in').fields['address'], email);
  await browser.send(browser.form('/ui/sign-in'), { password });
  t.equal(pathOf(browser), '/ui/account/sessions');
  t.equal(browser.title, 'Sitzungen', 'in the language that was asked for');
  t.equal(browser.link('app.example.com'), 'https://app.example.com/settings', 'the way back');
  t.match(browser.html, /href="\.\.\/assets\/hosted-/);
  await browser.open(browser.link('Übersicht'));
  t.equal(pathOf(browser), '/ui/account');
  t.match(browser.html, email);
  t.equal(browser.link('app.example.com'), 'https://app.example.com/settings');
  for (const part of ['', '/sessions']) {
    await browser.open(`/ui/account${part}?redirect_to=https%3A%2F%2Fevil.example%2F`);
    t.notMatch(browser.html, 'evil.example');
    t.equal(browser.link('localhost:3000'), 'http://localhost:3000/');
  }
});

t.test('sessions: device, address and age; ends one', async (t) => {
  const { email, session } = await signUp();
  const other = await signInElsewhere(email);
  await server.database.admin.query(
    "update sessions set created_at = now() - interval '3 days' where user_agent = $1",
    [firefox],
  );
  const browser = await openAccountPage(server.url, email, 'sessions');
  const rows = [...browser.html.matchAll(/<li class="row">[\s\S]*?<\/li>/g)].map(([row]) => row);
  t.equal(rows.length, 3);
  t.equal(rows.filter((row) => row.includes('This browser')).length, 1);
  const row = rows.find((row) => row.includes('Firefox on Linux'))!;
  t.match(row, '127.0.0.1');
  t.match(row, /Signed in <time datetime="\d{4}-[^"]+">3 days ago<\/time>/);

  const form = browser.form('Sign out Firefox on Linux');
  await browser.send(form);
  t.equal(browser.alert, 'Signed out there.');
  t.equal(pathOf(browser), '/ui/account/sessions');
  t.notMatch(browser.html, 'Firefox');
  t.equal(await refresh(other), 400);
  t.equal(await refresh(session), 200, 'the others go on');
  const audit = await server.database.admin.query(
    "select payload -> 'traits' ->> 'session_id' as id from audit_log where payload ->> 'action' = 'logout' and payload ->> 'actor_username' = $1",
    [email],
  );
  t.same(audit.rows, [{ id: form.fields['entry_id'] }]);
  const sent = await browser.send(form);
  t.equal(sent.status, 200, 'a second click is no fault');
});

t.test('sessions: all others, then the own one', async (t) => {
  const { email, session } = await signUp();
  const other = await signInElsewhere(email);
  const browser = await openAccountPage(server.url, email, 'sessions');
  await browser.send(browser.form('Sign out everywhere else'), { action: 'others' });
  t.equal(browser.alert, 'Signed out there.');
  t.same([await refresh(session), await refresh(other)], [400, 400]);
  t.notMatch(browser.html, 'Sign out everywhere else');
  await browser.send(browser.form('aria-label="Sign out '));
  t.equal(pathOf(browser), '/ui/signed-out');
  t.same((await server.database.admin.query('select from sessions where user_id = $1', [session.user.id])).rows, []);
  await browser.open(browser.link('Manage your account'));
  t.equal(pathOf(browser), '/ui/sign-in');
});

t.test('a session of somebody else, an id that is none, a form of somewhere else', async (t) => {
  const [own, foreign] = [await signUp(), await signUp()];
  const browser = await openAccountPage(server.url, own.email, 'sessions');
  const { rows } = await server.database.admin.query('select id from sessions where user_id = $1', [
    foreign.session.user.id,
  ]);
  for (const entry_id of [rows[0].id, 'none', '']) {
    await browser.send(browser.form('aria-label="Sign out '), { action: 'end', entry_id });
    t.equal(browser.status, 200);
  }
  t.equal(await refresh(foreign.session), 200);

  const form = browser.form('Sign out everywhere else');
  await browser.send(form, { action: 'others', form_token: 'x'.repeat(43) });
  t.equal(browser.status, 409);
  t.match(browser.alert, 'Please try again.');
  t.equal(browser.title, 'Sessions');
  browser.more = { origin: 'https://evil.example' };
  await browser.send(form, { action: 'others' });
  t.equal(browser.status, 403);
  t.equal(await refresh(own.session), 200, 'neither has done anything');
});

t.test('an ended session, a lost cookie, an expired flow', async (t) => {
  const { email, session } = await signUp();
  const browser = await openAccountPage(server.url, email, 'sessions');
  const form = browser.form('Sign out everywhere else');
  await server.call('POST', '/logout?scope=others', { bearer: session.access_token });
  await browser.send(form, { action: 'others' });
  t.equal(pathOf(browser), '/ui/sign-in');
  t.equal(browser.alert, 'You were signed out. Please sign in again.');
  t.equal(await refresh(session), 200, 'an ended session ends no others');
  await browser.send(browser.form('/ui/sign-in'), { address: email, password });
  t.equal(pathOf(browser), '/ui/account/sessions', 'and back');

  browser.cookies.clear();
  await browser.send(browser.form('Sign out everywhere else'), { action: 'others' });
  t.equal(pathOf(browser), '/ui/sign-in');
  await browser.send(browser.form('/ui/sign-in'), { address: email, password });
  t.equal(pathOf(browser), '/ui/account/sessions');
  t.equal((await refresh(session)) === 200, true);

  await server.database.admin.query("update page_flows set created_at = now() - interval '25 hours'");
  await browser.send(browser.form('Sign out everywhere else'), { action: 'others' });
  t.equal(browser.status, 409, 'the page is shown again, with a new flow');
  await browser.send(browser.form('Sign out everywhere else'), { action: 'others' });
  t.equal(browser.alert, 'Signed out there.');
});

t.test('two accounts in a browser: each tab goes on with its own', async (t) => {
  const [ann, ben] = [await signUp(), await signUp()];
  const browser = await openAccountPage(server.url, ann.email);
  const annsTab = browser.url;
  await browser.open(browser.link('Use another account'));
  await browser.send(browser.form('/ui/sign-in'), { address: ben.email, password });
  t.equal(pathOf(browser), '/ui/account');
  t.match(browser.html, ben.email);
  t.equal(browser.url, annsTab, 'the tab has switched');
  const second = await browser.open('/ui/account');
  t.match(second.html, ben.email, 'the one used last');
  const bensTab = browser.url;
  await browser.open(browser.link('Switch account'));
  await browser.send(browser.form(`Continue as ${ann.email}`), { action: 'choose' });
  t.match(browser.html, ann.email);
  await browser.open(annsTab);
  t.match(browser.html, ben.email, 'the first tab is not switched by the other');
  await browser.open(bensTab);
  await browser.send(browser.form('/ui/account'));
  t.equal(pathOf(browser), '/ui/sign-in', 'signed out of one; the chooser has the other');
  t.match(browser.html, `Continue as ${ben.email}`);
  t.notMatch(browser.html, ann.email);
});

t.test('a second factor comes before the account', async (t) => {
  const { email, session } = await signUp();
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  await verifyWith(server, session, id, app.nextCode());
  const browser = await openAccountPage(server.url, email, 'sessions');
  t.equal(pathOf(browser), '/ui/mfa');
  await browser.open(browser.url.replace('/mfa', '/account/sessions'));
  t.equal(pathOf(browser), '/ui/mfa', 'it cannot be left out');
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), '/ui/account/sessions');
});

t.test('the page of another flow, and a part that there is not', async (t) => {
  const { email } = await signUp();
  const browser = await new PageBrowser(server.url).open('/authorize?provider=custom:hosted');
  const { search } = new URL(browser.url);
  await browser.send(browser.form('/ui/sign-in'), { address: email, password });
  await browser.open(`/ui/account/sessions${search}`);
  t.equal(pathOf(browser), '/ui/account/sessions');
  t.not(new URL(browser.url).search, search, 'a flow of its own');
  await browser.open('/ui/account/apps');
  t.equal(pathOf(browser), '/ui/account', 'there is no OAuth server');
  await browser.open('/ui/account/organizations/6b0a3b1e-6b0a-4b1e-8b0a-3b1e6b0a3b1e');
  t.equal(pathOf(browser), '/ui/account', 'nor are there organizations');
  await browser.open('/ui/account/nothing');
  t.equal(browser.status, 404);
});
