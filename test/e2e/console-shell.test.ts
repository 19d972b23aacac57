/** The console in a browser: links, sign-in, confirmation, sign-out and navigation. */
import { forgetStepUps } from '../support/console.js';
import { findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
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
}
