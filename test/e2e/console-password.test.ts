/** An operator with a password and the code of an app, from the link to the next sign-in. */
import { openOperatorApp } from '../support/authenticator-app.js';
import { findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { password } from '../support/server.js';
import { matchSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('pages of the console in a browser; the same by HTTP: console-sign-in; with a passkey: console-shell');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { console, origin, visit } = await openConsolePages(t, executablePath);

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
}
