/** The page of one user in a browser: acting as the user, and the apps that have access. */
import type { Page } from 'playwright-core';
import { asAdmin } from '../support/admin.js';
import { forgetStepUps } from '../support/console.js';
import { awaitNoDialog, findLookFaults, findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { addClient, oauthSettings, signInToClient, signUpPerson } from '../support/oauth-client.js';
import { openTestMailServer } from '../support/smtp.js';
import { equalSoon, matchSoon, sameSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull(
  'one page of the console in a browser, 23 s of processor time; the same by HTTP: console-impersonation, console-users',
);

const LOOKS = [
  { theme: 'light', width: 320 },
  { theme: 'dark', width: 1280 },
] as const;

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

/** Everything that outlives a dialog: the address, storages, cookies that scripts see, history. */
const readTraces = (page: Page): Promise<string> =>
  page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
    const { location, localStorage, sessionStorage, document, history, name } = globalThis as any;
    return JSON.stringify([location.href, localStorage, sessionStorage, document.cookie, history.state, name]);
  });

async function run(executablePath: string): Promise<void> {
  const smtp = await openTestMailServer(t);
  const { console, origin, enter } = await openConsolePages(t, executablePath, {
    ...oauthSettings(),
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(smtp.port),
    SMTP_ADMIN_EMAIL: 'auth@example.com',
  });
  const admin = asAdmin(console);

  t.test('acting as a user: said in words, confirmed, shown once, ended, and in the activity', async (t) => {
    const user = await signUpPerson(console);
    const { page, faults } = await enter('admin', { ...LOOKS[0], path: `/users/${user.id}` });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await forgetStepUps(console);
    await page.getByRole('button', { name: 'Act as' }).press('Enter');
    const ask = page.getByRole('dialog', { name: `Act as ${user.email}?` });
    await matchSoon(t, () => ask.textContent(), /15 minutes at most.*stays with the user.*audit log.*gets no notice/);
    t.same(await findLookFaults(page, LOOKS), []);
    await ask.getByLabel('Reason').focus();
    await page.keyboard.type('ab');
    await page.keyboard.press('Enter');
    await equalSoon(t, () => ask.isVisible(), true, 'a reason has three letters');
    await page.keyboard.type('c: ticket 12');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Confirm with a passkey' }).press('Enter');
    const shown = page.getByRole('dialog', { name: `You act as ${user.email}` });
    await shown.waitFor();
    t.same(await findLookFaults(page, LOOKS), [], 'with the token');
    await shown.getByRole('button', { name: 'Copy the access token' }).press('Enter');
    const token = await page.evaluate<string>('navigator.clipboard.readText()');
    t.match(await console.call('GET', '/user', { bearer: token }), { status: 200, body: { id: user.id } });
    const { act, exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    await matchSoon(t, () => shown.textContent(), JSON.stringify(act));
    await equalSoon(t, () => shown.locator('time').getAttribute('datetime'), new Date(exp * 1000).toISOString());
    t.notOk((await readTraces(page)).includes(token), 'neither in the address nor in a storage');
    t.equal(page.url(), `${origin}/users/${user.id}`);
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
    t.notOk((await page.content()).includes(token), 'it is not shown again');
    t.notOk((await readTraces(page)).includes(token));

    await page.getByRole('link', { name: /^Sessions/ }).press('Enter');
    await page.getByText('acts as the user').waitFor();
    t.same(await findLookFaults(page, LOOKS), [], 'sessions');
    await page.getByRole('link', { name: 'Activity' }).last().press('Enter');
    await page.getByRole('button', { name: 'user_impersonated' }).press('Enter');
    const entry = page.getByRole('dialog', { name: 'user_impersonated' });
    await matchSoon(t, () => entry.textContent(), /Ends.*Reason.*abc: ticket 12/);
    await page.keyboard.press('Escape');
    t.same(faults, []);
  });

  t.test('the token can be ended at once, which the activity shows', async (t) => {
    const user = await signUpPerson(console);
    const { page } = await enter('owner', { path: `/users/${user.id}` });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Act as' }).press('Enter');
    await page.getByLabel('Reason').fill('to see the bill');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copy the access token' }).press('Enter');
    const token = await page.evaluate<string>('navigator.clipboard.readText()');
    t.equal((await console.call('GET', '/user', { bearer: token })).status, 200);
    await page.getByRole('button', { name: 'End it now' }).press('Enter');
    await awaitNoDialog(page);
    t.match(await console.call('GET', '/user', { bearer: token }), { status: 403 });
    t.equal((await console.call('GET', '/user', { bearer: user.token })).status, 200, 'the user stays signed in');
    await page.goto(`${origin}/users/${user.id}?tab=activity`);
    await page.getByRole('button', { name: 'logout' }).press('Enter');
    await matchSoon(t, () => page.getByRole('dialog').textContent(), /ended by who acted/);
  });

  t.test(
    'nobody acts for who has opted out, before and after it is known here; roles below see no button',
    async (t) => {
      const optOut = (id: string) =>
        admin('PUT', `/admin/users/${id}`, { app_metadata: { no_impersonation: true } }).then(({ status }) =>
          t.equal(status, 200),
        );
      const user = await signUpPerson(console);
      const { page } = await enter('admin', { path: `/users/${user.id}`, width: 320 });
      await page.getByRole('button', { name: 'Act as' }).press('Enter');
      await optOut(user.id);
      await page.getByLabel('Reason').fill('curious');
      await page.keyboard.press('Enter');
      await matchSoon(
        t,
        () => page.getByRole('alert').textContent(),
        /cannot act for this user: the user has opted out/,
      );
      await page.reload();
      await page.getByRole('button', { name: 'Act as' }).press('Enter');
      const refused = page.getByRole('dialog', { name: `Nobody acts as ${user.email}` });
      await matchSoon(t, () => refused.textContent(), /the user has opted out.*no_impersonation/);
      await equalSoon(t, () => refused.getByRole('textbox').count(), 0);
      t.same(await findPageFaults(page), []);
      for (const role of ['viewer', 'support'] as const) {
        const { page: other } = await enter(role, { path: `/users/${user.id}` });
        await other.getByRole('heading', { level: 1, name: user.email }).waitFor();
        await equalSoon(t, () => other.getByRole('button', { name: 'Act as' }).count(), 0, role);
      }
      const { rows } = await console.database.admin.query(
        'select 1 from sessions where act is not null and user_id = $1',
        [user.id],
      );
      t.same(rows, []);
    },
  );

  t.test('apps with access: since when, for what, and taken back', async (t) => {
    const user = await signUpPerson(console);
    const shop = await addClient(console, { client_name: 'Shop' });
    const blog = await addClient(console, { client_name: 'Blog' });
    const tokens = await signInToClient(console, user, shop, { parameters: { scope: 'openid email' } });
    await signInToClient(console, user, blog);
    const bearer = tokens.body.access_token as string;
    const viewer = await enter('viewer', { path: `/users/${user.id}?tab=apps`, theme: 'dark', width: 320 });
    await viewer.page.getByRole('row', { name: /Shop.*openid email/ }).waitFor();
    await equalSoon(t, () => viewer.page.getByRole('button', { name: /Take back/ }).count(), 0);
    t.same(await findPageFaults(viewer.page), []);

    const { page, faults } = await enter('support', { path: `/users/${user.id}?tab=apps` });
    await page.getByRole('link', { name: 'Apps2' }).waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Take back from Shop' }).press('Enter');
    t.same(await findPageFaults(page), []);
    await page.getByRole('dialog').getByLabel('Reason').fill('lost laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /Shop/ }).waitFor({ state: 'detached' });
    t.match(await console.call('GET', '/oauth/userinfo', { bearer }), { status: 401 });
    const { rows } = await console.database.admin.query(
      "select payload from audit_log where payload ->> 'action' = 'token_revoked'",
    );
    t.match(rows, [{ payload: { traits: { user_id: user.id, client_id: shop.id, reason: 'lost laptop' } } }]);
    await page.getByRole('link', { name: 'Blog' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Blog' }).waitFor();
    await page.getByRole('button', { name: `Take back from ${user.email}` }).press('Enter');
    await page.getByRole('dialog').getByLabel('Reason').fill('both');
    await page.keyboard.press('Enter');
    await page.getByText('No user has allowed it anything').waitFor();
    await page.goto(`${origin}/users/${user.id}?tab=apps`);
    await page.getByText('No app has access').waitFor();
    t.same(await findPageFaults(page), []);
    t.same(faults, []);
  });

  t.test('a link is sent, by the limits of its mail, and shown only to administrators', async (t) => {
    const user = await signUpPerson(console);
    const { page, faults } = await enter('support', { path: `/users/${user.id}`, width: 320 });
    await page.getByRole('button', { name: 'Link' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: `A link for ${user.email}` });
    await equalSoon(t, () => dialog.getByLabel('How').count(), 0, 'support never sees the link');
    await sameSoon(t, () => dialog.getByLabel('What for').locator('option').allTextContents(), [
      'Set a new password',
      'Sign in',
    ]);
    t.same(await findPageFaults(page), []);
    await dialog.getByLabel('Reason').fill('forgot it');
    await page.keyboard.press('Enter');
    await page.getByText(`On its way to ${user.email}`).waitFor();
    await dialog.waitFor({ state: 'detached' });
    const [mail] = await smtp.waitForMails(1);
    t.match(mail, { subject: 'Reset Your Password', to: [{ address: user.email }] });
    await page.getByRole('button', { name: 'Link' }).press('Enter');
    await dialog.getByRole('button', { name: 'Send link' }).press('Enter');
    await matchSoon(t, () => page.getByRole('alert').textContent(), /after \d+ seconds/);
    t.same(await findPageFaults(page), []);
    t.same(faults, []);

    const { body: fresh } = await admin('POST', '/admin/users', { email: 'fresh@links.example' });
    const other = await enter('admin', { path: `/users/${fresh.id}`, theme: 'dark' });
    await other.page.getByRole('button', { name: 'Link' }).press('Enter');
    await other.page.getByLabel('What for').selectOption('signup');
    await equalSoon(
      t,
      () => other.page.getByRole('button', { name: 'Send link' }).isVisible(),
      true,
      'it is sent unless that is changed',
    );
    await other.page.getByLabel('How').selectOption('copy');
    t.same(await findPageFaults(other.page), []);
    await other.page.getByRole('button', { name: 'Make link' }).press('Enter');
    const link = await other.page.getByRole('dialog', { name: 'The link' }).locator('code').first().textContent();
    t.match(link, /\/verify\?token=[^&]+&type=signup/);
    t.equal((await smtp.accepted()).length, 1, 'nothing was sent');
  });

  t.test('refusals and codes of the user, and of nobody else', async (t) => {
    const [user, other] = [await signUpPerson(console), await signUpPerson(console)];
    const { page, faults } = await enter('viewer', { path: `/users/${user.id}`, width: 320 });
    await page.getByText('None: no code or link that was sent').waitFor();
    await page.goto(`${origin}/users/${user.id}?tab=activity`);
    await page.getByText('Nothing was refused').waitFor();
    t.same(await findPageFaults(page), []);

    for (const { email } of [other, ...Array(6).fill(user)]) {
      const { status } = await console.post('/token?grant_type=password', { email, password: 'a wrong one' });
      t.equal(status, 400);
    }
    await console.post('/recover', { email: user.email });
    const list = page.getByRole('table', { name: 'Refused requests' });
    const all = page.getByRole('link', { name: 'All refusals of this user' });
    // They are recorded within a second.
    const refused = 'select from refusals where user_id = any($1)';
    const both = [user.id, other.id];
    await until(async () => (await console.database.admin.query(refused, [both])).rows.length === 7);
    await page.reload();
    await all.waitFor();
    await equalSoon(t, () => list.getByRole('row').count(), 6, 'a heading and the newest five');
    t.same(await findPageFaults(page), []);
    await equalSoon(t, () => all.getAttribute('href'), `/requests?user=${user.id}`);
    await page.route('**/api/requests*', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body: '{"msg":"Unexpected","error_id":"e-7"}' }),
    );
    await page.reload();
    const fault = page.getByRole('alert');
    await matchSoon(t, () => fault.textContent(), /Unexpected.*e-7/);
    await page.getByRole('table', { name: 'Activity' }).waitFor();
    await page.unroute('**/api/requests*');
    await fault.getByRole('button', { name: 'Try again' }).press('Enter');
    await list.getByRole('link', { name: 'POST /token (password)' }).first().press('Enter');
    await page.getByText('The account exists, and the password was wrong.').waitFor();

    await page.goto(`${origin}/users/${other.id}?tab=activity`);
    await list.waitFor();
    await equalSoon(t, () => list.getByRole('row').count(), 2, 'those of the other are not here');

    await page.goto(`${origin}/users/${user.id}`);
    await page.setViewportSize({ width: 1280, height: 900 });
    const codes = page.getByRole('table', { name: 'Codes that are out' });
    await matchSoon(t, () => codes.getByRole('row').nth(1).textContent(), /sign in, or a new password.*link and code/);
    t.same(await findPageFaults(page), []);
    t.same(faults, []);
  });
}
