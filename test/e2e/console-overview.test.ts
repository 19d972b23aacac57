/** The overview in a browser: figures, charts, and the tables behind them. */

import { findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('a page of the console in a browser; the same by HTTP: console-overview');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { console, origin, enter } = await openConsolePages(t, executablePath, { JWT_SECRET: 'short' });

  t.test('a new server, then one with a past', async (t) => {
    const { page, faults } = await enter('viewer', { path: '/overview' });
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await page.getByRole('link', { name: /Requests a second/ }).waitFor();
    await equalSoon(t, () => page.getByText('None in these days').count(), 4);
    await matchSoon(t, () => page.locator('.faults').textContent(), /AUTH_JWT_SECRET.*shorter than 32 bytes/);
    t.same(await findPageFaults(page), []);

    await console.database.admin.query(`
      insert into stats_daily (day, name, method, result, count)
      select (now() at time zone 'utc')::date - n, s.name, s.method, s.result, s.most * (2 + sin(n / 3.0))
      from generate_series(0, 89) n,
        (values ('sign_in', 'password', 'ok', 900), ('sign_in', 'oauth', 'ok', 400), ('sign_in', 'passkey', 'ok', 150),
          ('sign_in', 'password', 'invalid_credentials', 80), ('sign_in', 'otp', 'otp_expired', 20), ('sign_up', '', 'ok', 60),
          ('refresh', '', 'ok', 20000), ('refresh', '', 'refresh_token_not_found', 300), ('active', 'day', '', 3000),
          ('active', 'week', '', 9000), ('active', 'month', '', 21000)) as s (name, method, result, most)
      on conflict (day, name, method, result) do update set count = excluded.count`);
    await page.reload();
    await page.locator('.plot canvas').nth(3).waitFor();
    await equalSoon(
      t,
      () => page.getByRole('link', { name: 'Password', exact: true }).getAttribute('href'),
      '/activity?action=login',
    );
    await equalSoon(
      t,
      () => page.getByRole('link', { name: 'invalid credentials' }).getAttribute('href'),
      '/requests?code=invalid_credentials',
    );
    await matchSoon(t, () => page.getByRole('link', { name: /In 30 days/ }).textContent(), /42,000/);
    t.same(await findPageFaults(page), []);
    const isDrawn = await page
      .locator('.plot canvas')
      .first()
      .evaluate((canvas) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        const { width, height } = canvas as any;
        // biome-ignore lint/suspicious/noExplicitAny: likewise.
        const pixels = (canvas as any).getContext('2d').getImageData(0, 0, width, height).data as Uint8Array;
        return pixels.some((value) => value !== 0);
      });
    t.ok(isDrawn);
    await page.getByText('As a table').first().press('Enter');
    const table = page.getByRole('table', { name: 'Sign-ins by day' });
    await equalSoon(t, () => table.getByRole('row').count(), 31);
    t.same(await findPageFaults(page), []);
    await page.getByRole('link', { name: '7 days', exact: true }).click();
    await page.waitForURL(`${origin}/overview?days=7`);
    t.same(faults, []);
  });

  t.test('in the dark and narrow, without an answer, and by itself again', async (t) => {
    const { page, faults } = await enter('viewer', { path: '/overview?days=7', theme: 'dark', width: 320 });
    await page.locator('.plot canvas').nth(3).waitFor();
    t.same(await findPageFaults(page), []);
    let isAway = true;
    await page.route('**/api/overview*', (route) => (isAway ? route.abort() : route.continue()));
    await page.getByRole('link', { name: '30 days', exact: true }).click();
    await page.getByText('The server does not answer: this is what it was before').waitFor();
    await equalSoon(t, () => page.locator('.plot canvas').count(), 4, 'what was known stays');
    isAway = false;
    await page.getByText('The server does not answer: this is what it was before').waitFor({ state: 'detached' });
    t.same(faults, []);
  });

  t.test('uPlot is loaded by the overview alone', async (t) => {
    const { page } = await enter('viewer', { path: '/requests' });
    const loaded: string[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/assets/')) loaded.push(response.url());
    });
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    const before = new Set(loaded);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    t.ok(loaded.some((url) => !before.has(url)));
  });
}
