/** Pages of the console light and dark, wide and narrow, and the choice of a theme. */
import { assertPagesSound, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('pages of the console in a browser; each look: console-states');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { enter } = await openConsolePages(t, executablePath);

  t.test('light and dark, wide and narrow', async (t) => {
    const paths = ['/me', '/users', '/redirects?redirect_to=https://evil.example/x'];
    await assertPagesSound(t, await enter('viewer'), paths);
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
