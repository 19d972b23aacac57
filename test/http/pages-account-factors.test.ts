/** The account page without scripts: second factors, recovery codes, trusted devices, identities. */

import { openAccountPage, pathOf } from '../support/account-page.js';
import { claimsOf, openApp, type Session } from '../support/authenticator-app.js';
import { openExternalFlow } from '../support/external-flow.js';
import type { PageBrowser } from '../support/page-browser.js';
import { openPhoneFlow } from '../support/phone-flows.js';
import { freshEmail, freshPhone, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openPhoneFlow(t, 'twilio', {
  PAGES_ENABLED: 'true',
  MFA_PHONE_ENROLL_ENABLED: 'true',
  MFA_PHONE_VERIFY_ENABLED: 'true',
  MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
  MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
  MFA_TRUSTED_DEVICE_ENABLED: 'true',
});

async function signUp(on: Pick<TestServer, 'post'> = server): Promise<{ email: string; session: Session }> {
  const email = freshEmail();
  return { email, session: (await on.post('/signup', { email, password })).body as Session };
}

const factorsOf = async (id: string): Promise<{ kind: string; status: string }[]> =>
  (
    await server.database.admin.query('select kind, status from mfa_factors where user_id = $1 order by created_at', [
      id,
    ])
  ).rows;

/** Adds an authenticator app on the page. */
async function addApp(browser: PageBrowser, friendly_name = '') {
  await browser.send(browser.form('Add an authenticator app'), { friendly_name, action: 'totp' });
  const app = openApp(/<code class="secret" dir="ltr">([A-Z2-7]+)</.exec(browser.html)![1]!);
  await browser.send(browser.form('name="code"'), { code: app.nextCode(), action: 'verify' });
  return app;
}

/** A browser on the page whose session an authenticator app has raised. */
async function openRaised() {
  const { email, session } = await signUp();
  const browser = await openAccountPage(server.url, email, 'factors');
  const app = await addApp(browser, 'My app');
  return { email, session, browser, app };
}

t.test('an authenticator app: QR code, a wrong code, the right one, removal', async (t) => {
  const { email, session } = await signUp();
  const browser = await openAccountPage(server.url, email, 'factors');
  const add = browser.form('Add an authenticator app');
  await browser.send(add, { action: 'totp', form_token: 'x'.repeat(43) });
  t.equal(browser.status, 409);
  t.same(await factorsOf(session.user.id), []);
  await browser.send(add, { friendly_name: 'Blue <phone>', action: 'totp' });
  t.match(browser.html, 'src="data:image/svg+xml;base64,');
  const app = openApp(/<code class="secret" dir="ltr">([A-Z2-7]+)</.exec(browser.html)![1]!);
  await browser.send(browser.form('name="code"'), { code: '000000', action: 'verify' });
  t.equal(browser.alert, 'The code is wrong or has expired.');
  t.match(browser.html, 'Not finished');
  t.match(browser.html, /<label for="(code-[^"]+)">Code<\/label>\s*<input id="\1"[^>]*aria-invalid="true"/);
  const before = browser.cookies.get('latchkey-pages');
  await browser.send(browser.form('name="code"'), { code: app.nextCode(), action: 'verify' });
  t.equal(browser.alert, 'Added.');
  t.match(browser.html, 'Blue &#60;phone&#62;');
  t.notMatch(browser.html, 'Not finished');
  t.not(browser.cookies.get('latchkey-pages'), before, 'more rights, another secret');
  t.same(await factorsOf(session.user.id), [{ kind: 'totp', status: 'verified' }]);
  const remove = browser.form('Remove Blue');
  await browser.send(remove);
  t.equal(browser.alert, 'Removed.');
  t.same(await factorsOf(session.user.id), []);
  await browser.send(remove);
  t.equal(browser.status, 200, 'a second click is no fault');
});

t.test('a phone: the code goes out on demand', async (t) => {
  const { session, browser } = await openRaised();
  const phone = freshPhone();
  await browser.send(browser.form('Add a phone number'), { phone: '12', action: 'phone' });
  t.equal(browser.alert, 'This address is not valid.');
  t.match(browser.html, /<details open><summary>Add a phone number/);
  await browser.send(browser.form('Add a phone number'), { phone: `+${phone}`, action: 'phone' });
  await browser.send(browser.form('Send code'), { action: 'begin' });
  const code = await server.nextCode(phone);
  await browser.send(browser.form('name="code"'), { code: '000000', action: 'verify' });
  t.equal(browser.alert, 'The code is wrong or has expired.');
  await browser.send(browser.form('name="code"'), { code, action: 'verify' });
  t.equal(browser.alert, 'Added.', browser.html);
  t.same(
    (await factorsOf(session.user.id)).map(({ kind, status }) => `${kind} ${status}`),
    ['totp verified', 'phone verified'],
  );
});

t.test('a factor of somebody else, and one that a password alone would add', async (t) => {
  const { session: theirs, browser: theirBrowser } = await openRaised();
  const { rows } = await server.database.admin.query('select id from mfa_factors where user_id = $1', [theirs.user.id]);
  const { browser } = await openRaised();
  await browser.send(browser.form('Remove My app'), { factor_id: rows[0].id });
  t.equal(browser.status, 200);
  t.equal((await factorsOf(theirs.user.id)).length, 1);
  // Another browser, which has the password only.
  const { email } = (await server.call('GET', '/user', { bearer: theirs.access_token })).body;
  const weak = await openAccountPage(server.url, email, 'factors');
  t.equal(pathOf(weak), '/ui/mfa');
  await weak.send(
    {
      ...theirBrowser.form('Add an authenticator app'),
      action: `${server.url}/ui/account/factors${new URL(weak.url).search}`,
    },
    { ...weak.form('/ui/mfa').fields, action: 'totp' },
  );
  t.equal(pathOf(weak), '/ui/mfa');
  t.equal((await factorsOf(theirs.user.id)).length, 1);
});

t.test('recovery codes: shown once, as a file, replaced, removed; one signs in', async (t) => {
  const { email, browser, app } = await openRaised();
  await browser.send(browser.form('Create recovery codes'));
  const codes = [...browser.html.matchAll(/<li><code>([a-z2-7]+)<\/code>/g)].map(([, code]) => code!);
  t.equal(codes.length, 10);
  const file = Buffer.from(/href="data:text\/plain;charset=utf-8;base64,([^"]+)"/.exec(browser.html)![1]!, 'base64');
  t.equal(
    codes.every((code) => file.includes(code)),
    true,
  );
  await browser.open(browser.link('I have kept them'));
  t.match(browser.html, '10 of 10 are left.');
  t.notOk(codes.some((code) => browser.html.includes(code)));
  await browser.send({ ...browser.form('Replace them'), html: '' }, { action: 'recovery' });
  t.match(browser.alert, 'You have recovery codes already.');
  await browser.send(browser.form('Replace them'));
  const [code] = [...browser.html.matchAll(/<li><code>([a-z2-7]+)<\/code>/g)].map(([, code]) => code!);
  t.notOk(codes.includes(code!));

  const other = await openAccountPage(server.url, email, 'factors');
  await other.open(other.link('Recovery code'));
  await other.send(other.form('/ui/mfa'), { code: code!, action: 'recovery' });
  t.equal(pathOf(other), '/ui/account/factors');
  t.match(other.html, '9 of 10 are left.');
  await other.send(other.form('Remove My app'));
  t.match(other.alert, 'Recovery codes cannot be your only second step.');
  await browser.open('/ui/account/factors');
  if (pathOf(browser) !== '/ui/account/factors') {
    await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  }
  await browser.send(browser.form('Remove recovery codes'));
  t.equal(browser.alert, 'Removed.');
});

t.test('trusted devices: listed, one removed, then all', async (t) => {
  const { session, browser } = await openRaised();
  const insert = (name: string) =>
    server.database.admin.query(
      `insert into mfa_trusted_devices (user_id, factor_id, name, token_hash, expires_at)
       select f.user_id, f.id, $2, gen_random_uuid(), now() + interval '1 day' from mfa_factors f where f.user_id = $1`,
      [session.user.id, name],
    );
  for (const name of ['Laptop', 'Tablet', 'Clock']) await insert(name);
  await browser.open('/ui/account/factors');
  await browser.send(browser.form('Remove Laptop'));
  t.equal(browser.alert, 'Removed.');
  t.notMatch(browser.html, 'Laptop');
  t.match(browser.html, 'Tablet');
  await browser.send(browser.form('Stop trusting them all'));
  t.notMatch(browser.html, 'Tablet');
  const left = await server.database.admin.query('select from mfa_trusted_devices where user_id = $1', [
    session.user.id,
  ]);
  t.equal(left.rows.length, 0);
});

t.test('identities: linked by way of the provider, refused where it is taken, unlinked', async (t) => {
  const flow = await openExternalFlow(t, ['github'], {
    PAGES_ENABLED: 'true',
    MAILER_AUTOCONFIRM: 'true',
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
  });
  const link = async (browser: PageBrowser, as: ReturnType<typeof flow.providers.person>) => {
    await browser.send(browser.form('Link GitHub'));
    t.equal(browser.title, 'One moment');
    const back = new URL((await flow.providers.signIn(browser.onward, { as })).url);
    return browser.open(flow.url + back.pathname + back.search);
  };
  const { email, session } = await signUp(flow);
  const browser = await openAccountPage(flow.url, email, 'identities');
  const begin = browser.form('Link GitHub');
  await browser.send(begin, { form_token: 'x'.repeat(43) });
  t.equal(browser.status, 409, 'another site cannot begin');
  const address = freshEmail();
  const person = flow.providers.person('github', { email: address, subject: 77_001 });
  await link(browser, person);
  t.equal(pathOf(browser), '/ui/account/identities', browser.html);
  t.match(browser.html, 'GitHub');
  t.match(browser.html, address);
  const identities = (await flow.call('GET', '/user', { bearer: session.access_token })).body.identities;
  t.same(
    identities.map(({ provider }: { provider: string }) => provider),
    ['email', 'github'],
  );

  const other = await openAccountPage(flow.url, (await signUp(flow)).email, 'identities');
  await link(other, person);
  t.equal(other.alert, 'That sign-in already belongs to an account here.');
  t.equal(other.title, 'Ways to sign in');

  const unlink = browser.form('Unlink GitHub');
  await other.send(
    {
      ...unlink,
      fields: { ...other.form('Link GitHub').fields, ...{ action: 'unlink' } },
      action: other.form('Link GitHub').action,
    },
    { entry_id: unlink.fields['entry_id']! },
  );
  t.equal((await flow.database.admin.query("select from identities where provider = 'github'")).rows.length, 1);
  await browser.send(unlink);
  t.equal(browser.alert, 'Removed.');
  t.equal((await flow.database.admin.query("select from identities where provider = 'github'")).rows.length, 0);
  t.notMatch(browser.html, 'Unlink', 'the last one stays');
});

t.test('the level of the page after a first factor', async (t) => {
  const { browser } = await openRaised();
  await browser.open('/authorize?provider=custom:hosted&redirect_to=http%3A%2F%2Flocalhost%3A3000%2F');
  await browser.send(browser.form('Continue as'), { action: 'choose' });
  const token = new URLSearchParams(new URL(browser.onward).hash.slice(1)).get('access_token')!;
  t.equal(claimsOf(token)['aal'], 'aal2');
});
