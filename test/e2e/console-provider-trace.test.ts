/** An operator follows a sign-in at a provider in the console: opened, waiting, live, ended; and tests the provider. */

import { findPageFaults, openConsolePages } from '../support/console-page.js';
import { openFakeProviders } from '../support/fake-providers/index.js';
import { freePort } from '../support/free-port.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('pages of the console in a browser; the same by HTTP: provider-trace');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const providers = await openFakeProviders(t);

  /** Of a server that is where it says it is. */
  const settings = async () => {
    const port = String(await freePort());
    const origin = `http://localhost:${port}`;
    return { API_PORT: port, API_EXTERNAL_URL: origin, ...providers.settings('github', `${origin}/callback`) };
  };

  t.test('a dry run, opened by keyboard and followed while it happens', async (t) => {
    const pages = await openConsolePages(t, executablePath, await settings());
    const { page, faults } = await pages.enter('admin', { path: '/providers' });
    await page.getByRole('link', { name: 'GitHub', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('No trace within the last day').waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Trace a sign-in' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('nobody gets in');
    await page.keyboard.press('Enter');
    const link = page.getByRole('link', { name: 'Open in a new tab' });
    await link.waitFor();
    t.same(await findPageFaults(page), []);

    const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    t.same(await findPageFaults(tab), [], 'the page before it');
    await page.getByText('waits to be opened').waitFor();
    await tab.getByRole('link', { name: 'Go on' }).click();
    await page.getByText('under way', { exact: true }).waitFor();
    await page.getByText('Sent to the provider', { exact: true }).waitFor();
    await equalSoon(t, () => page.locator('ol.trace > li').count(), 1, 'the person is at the provider');
    t.same(await findPageFaults(page), []);
    await tab.getByRole('button', { name: /allow/i }).click();
    await tab.getByText('The dry run has ended').waitFor();
    t.same(await findPageFaults(tab), [], 'the page at its end, which has a style sheet of its own');

    await page.getByText('dry run passed').waitFor();
    await page.getByText('A new account.').waitFor();
    await equalSoon(t, () => page.locator('ol.trace > li').count(), 8);
    for (const step of await page.locator('ol.trace summary').all()) await step.click();
    t.same(await findPageFaults(page), []);
    t.same(faults, []);
    t.equal((await pages.console.database.admin.query('select from users')).rowCount, 0);
  });
  t.test('the test of a provider, and a real sign-in that fails', async (t) => {
    const pages = await openConsolePages(t, executablePath, await settings());
    const { page, faults } = await pages.enter('admin', { path: '/providers/github', width: 320 });
    await page.getByRole('button', { name: 'Test', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('passed', { exact: true }).waitFor();
    await page.getByText('as it should').waitFor();
    t.same(await findPageFaults(page), []);
    providers.misbehave('github', 'token', { status: 401, body: { error: 'invalid_client' } });
    t.teardown(() => providers.misbehave('github', 'token', null));
    await page.getByRole('button', { name: 'Trace a sign-in' }).click();
    await page.locator('dialog[open]').waitFor();
    await page.getByLabel('Real sign-in').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    const link = page.getByRole('link', { name: 'Open in a new tab' });
    await link.waitFor();
    const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await tab.getByRole('link', { name: 'Go on' }).click();
    await tab.getByRole('button', { name: /allow/i }).click();
    await page.getByText('The sign-in failed.').waitFor();
    await matchSoon(t, () => page.locator('li.failed .advice').textContent(), /What to do: .*client id, secret/);
    t.same(await findPageFaults(page), []);
    await page.getByRole('link', { name: 'github' }).click();
    await page.getByRole('table', { name: 'Traces' }).getByText('failed').waitFor();
    t.same(faults, []);
  });
}
