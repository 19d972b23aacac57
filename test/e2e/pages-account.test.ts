/** Passkeys and security keys on the account page, with an authenticator of the browser. */

import { codeOf } from '../support/authenticator-app.js';
import { openDevices } from '../support/hosted/devices.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { openPasskeyPages } from '../support/passkey-pages.js';
import { watchPolicyFaults } from '../support/policy-faults.js';
import { freshEmail, password } from '../support/server.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

onlyInFull('the account page in a browser; the same by HTTP: pages-account, pages-account-factors');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { browser, origin, server } = await openPasskeyPages(t, executablePath, {
    MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
  });

  const openDevice = openDevices(t, browser);

  async function visit(part: string) {
    const email = freshEmail();
    await server.post('/signup', { email, password });
    const { context, page } = await openDevice({ viewport: { width: 320, height: 700 } });
    await addVirtualAuthenticator(context, page);
    const faults = watchPolicyFaults(page);
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto(`${origin}/ui/account/${part}`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`**/ui/account/${part}**`);
    /** Nothing is wider than the window (WCAG 1.4.10). */
    const overflow = () =>
      // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
      page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth - 320);
    return { page, email, faults, overflow };
  }

  t.test('a passkey: added, renamed, used to sign in, removed', async (t) => {
    const { page, email, faults, overflow } = await visit('passkeys');
    await page.getByText('You have no passkey yet.').waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('Added.').waitFor();
    t.equal((await server.database.admin.query('select from passkeys')).rows.length, 1);
    await page.getByText(/^Change /).click();
    await page.getByLabel('Name').fill('My laptop');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByText('My laptop', { exact: true }).waitFor();
    t.ok((await overflow()) <= 0, 'it fits into 320 pixels');

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/ui/signed-out');
    await page.getByRole('link', { name: 'Manage your account' }).click();
    await page.waitForURL('**/ui/account?**');
    await matchSoon(
      t,
      () => page.locator('h1').textContent(),
      email,
      'signed in by the passkey, which the browser has filled in',
    );

    await page.getByRole('link', { name: 'Passkeys' }).first().click();
    await page.getByText('Change My laptop').click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed.').waitFor();
    t.equal((await server.database.admin.query('select from passkeys')).rows.length, 0);
    t.same(faults, []);
  });

  t.test('a security key as second step, then recovery codes', async (t) => {
    const { page, faults, overflow } = await visit('factors');
    await page.getByText('Add a security key', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Add a security key' }).click();
    await page.getByText('Not finished').waitFor();
    await page.getByRole('button', { name: 'Use security key' }).click();
    // The page with the options, whose button asks the browser.
    await page.locator('form[data-credential=create] button').click();
    await page.getByText('Added.').waitFor();
    const { rows } = await server.database.admin.query('select kind, status, friendly_name from mfa_factors');
    t.same(rows, [{ kind: 'webauthn', status: 'verified', friendly_name: 'Security key' }]);

    await page.getByRole('button', { name: 'Create recovery codes' }).click();
    await page.getByText('They are shown only now.').waitFor();
    await equalSoon(t, () => page.getByRole('button', { name: 'Print' }).isVisible(), true);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    t.equal(download.suggestedFilename(), 'recovery-codes.txt');
    t.ok((await overflow()) <= 0, 'it fits into 320 pixels');
    await page.getByRole('link', { name: 'I have kept them' }).click();
    await page.getByText('10 of 10 are left.').waitFor();
    t.same(faults, []);
  });

  t.test('without JavaScript: name, sessions, a second step and the way out', async (t) => {
    const email = freshEmail();
    await server.post('/signup', { email, password });
    const context = await browser.newContext({ javaScriptEnabled: false, colorScheme: 'dark' });
    t.teardown(() => context.close());
    const page = await context.newPage();
    await page.goto(`${origin}/ui/account`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const tab = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();
    await tab('Profile');
    await equalSoon(t, () => page.locator('[aria-current=page]').textContent(), 'Profile');
    await page.getByLabel('Name').fill('Ann');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByRole('status').getByText('Saved.').waitFor();
    await tab('Sessions');
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('Signed out there.').waitFor();
    await page.goBack();
    await page.getByText('This browser').waitFor();
    await tab('Passkeys');
    await page.getByText('You have no passkey yet.').waitFor();
    t.match(await page.content(), '<noscript><p>Passkeys need JavaScript.</p></noscript>');
    await equalSoon(t, () => page.getByRole('button', { name: 'Add a passkey' }).isVisible(), false);
    await tab('Second step');
    await page.getByText('Add an authenticator app', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    const secret = (await page.locator('main code').textContent()) ?? '';
    await page.getByLabel('Code').fill(codeOf(secret));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Added.').waitFor();
    await tab('Overview');
    await page.getByRole('button', { name: 'Sign out' }).click();
    t.equal(new URL(page.url()).pathname, '/ui/signed-out');
  });

  t.test('the own data comes as a file, twice', async (t) => {
    const { page, email, faults } = await visit('download');
    for (let n = 0; n < 2; n++) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      t.equal(download.suggestedFilename(), 'account.json');
      const { readFile } = await import('node:fs/promises');
      t.equal(JSON.parse(await readFile(await download.path(), 'utf8')).user.email, email);
    }
    t.same(faults, []);
  });
}
