/** The console in a browser: links, sign-in, confirmation, sign-out, navigation and looks. */

import { openOperatorApp } from '../support/authenticator-app.js';
import { forgetStepUps } from '../support/console.js';
import {
  assertPagesSound,
  consoleLooks,
  findPageFaults,
  lookColumns,
  openConsolePages,
} from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { cross, pickRows } from '../support/rows.js';
import { password } from '../support/server.js';
import { matchSoon } from '../support/soon.js';
import { t } from '../support/tap.js';

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { console, origin, visit, enter } = await openConsolePages(t, executablePath);

  t.test('a link sets up a passkey, which signs in again', async (t) => {
    const { page, faults } = await visit();
    const { link } = await console.invite('ann@example.com', 'admin');
    await page.goto(`${origin}/link#${link}`);
    await page.getByRole('heading', { name: 'Welcome, ann@example.com' }).waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    t.equal(new URL(page.url()).hash, '', 'the address forgets the link');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.goto(`${origin}/users?q=ada`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    t.equal(page.url(), `${origin}/users?q=ada`, 'the page that was asked for follows');

    await page.goto(`${origin}/link#${link}`);
    await matchSoon(t, () => page.getByRole('alert').textContent(), /unknown, was used, or is older/);
    t.same(faults, []);
  });

  t.test('a password with the code of an app, by keyboard alone', async (t) => {
    const { page, faults } = await visit();
    const { link } = await console.invite('ben', 'viewer');
    await page.goto(`${origin}/link#${link}`);
    await page.getByRole('button', { name: 'Use a password and an authenticator app instead' }).press('Enter');
    await page.getByRole('img', { name: 'The secret as a QR code' }).waitFor();
    t.ok(
      await page.evaluate(() => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        return (globalThis as any).document.querySelector('.qr').naturalWidth > 0;
      }),
      'the picture is shown',
    );
    t.same(await findPageFaults(page), []);
    const app = openOperatorApp((await page.locator('form code').textContent())!);
    await page.getByLabel('Password').focus();
    await page.keyboard.type(password);
    await page.keyboard.press('Tab');
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await matchSoon(t, () => page.getByRole('alert').textContent(), /The code is wrong/);
    await page.getByLabel('Code that the app shows').fill(app.nextCode());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByLabel('Name').fill('ben');
    await page.getByLabel('Password').fill('wrong');
    await page.getByLabel('Code of your authenticator app').fill(app.nextCode());
    await page.keyboard.press('Enter');
    await matchSoon(t, () => page.getByRole('alert').textContent(), /Name, password or code is wrong/);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    t.same(faults, []);
  });

  t.test('what needs a confirmation asks for it, and goes on', async (t) => {
    const { page, agree } = await enter('viewer');
    await forgetStepUps(console);
    await agree(false);
    const add = page.getByRole('button', { name: 'Add a passkey' });
    await add.click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.waitFor();
    t.same(await findPageFaults(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await matchSoon(t, () => page.locator('.toasts').textContent(), /it was not confirmed/);
    t.ok(await add.evaluate((button) => button === button.ownerDocument.activeElement), 'the focus is back');

    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await agree(true);
    await dialog.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await dialog.waitFor({ state: 'detached' });
    await matchSoon(
      t,
      () => page.getByRole('alert').textContent(),
      /last way to sign in/,
      'the request was sent again',
    );
  });

  t.test('a session that has ended leads to the sign-in, and back', async (t) => {
    const { page } = await enter('viewer', { path: '/redirects' });
    await console.database.admin.query('delete from operator_sessions');
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    t.equal(new URL(page.url()).pathname, '/users');
  });

  t.test('the navigation shows what the role may see, and keys lead there', async (t) => {
    const titlesFor = async (role: 'viewer' | 'owner') => {
      const { page } = await enter(role);
      const titles = (await page.locator('nav.pages a').allTextContents()).map((text) => text.trim());
      return { page, titles };
    };
    t.ok((await titlesFor('owner')).titles.includes('Operators'));
    const { page, titles } = await titlesFor('viewer');
    t.ok(titles.includes('Users'));
    t.notOk(titles.includes('Operators'));
    await page.goto(`${origin}/operators`);
    await page.getByText('Operators needs the role owner').waitFor();
    t.same(await findPageFaults(page), []);
    await page.goto(`${origin}/me`);
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
    t.equal(await page.title(), 'Addresses · Latchkey console');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await page.getByLabel(/act without Ctrl/).uncheck();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    t.equal(new URL(page.url()).pathname, '/me', 'keys are off');
    await page.goto(`${origin}/`);
    await page.getByRole('heading', { level: 1, name: titles[0]! }).waitFor();
  });

  t.test('light and dark, wide and narrow', async (t) => {
    const paths = ['/me', '/users', '/redirects?redirect_to=https://evil.example/x'];
    const addresses = paths.map((path) => `${origin}${path}`);
    await assertPagesSound(t, await enter('viewer'), pickRows(cross(addresses, consoleLooks), lookColumns));
    const { page } = await enter('viewer');
    const ground = () =>
      page.locator('body').evaluate((body) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        return (globalThis as any).getComputedStyle(body).backgroundColor;
      });
    const light = await ground();
    await page.getByLabel('Theme').selectOption('dark');
    t.not(await ground(), light);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    t.not(await ground(), light, 'the choice is kept');
  });
}
