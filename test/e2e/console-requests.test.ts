/** The pages of refused requests in a browser: the search, an explanation, and their states. */

import { findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { freshEmail, password } from '../support/server.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('pages of the console in a browser; the same by HTTP: console-requests');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { console, origin, enter } = await openConsolePages(t, executablePath);

  t.test('from nothing to why a sign-in failed', async (t) => {
    const { page, faults } = await enter('viewer', { path: '/requests' });
    await page.getByText('Nothing was refused in the last seven days').waitFor();
    t.same(await findPageFaults(page), []);

    const email = freshEmail();
    const { body } = await console.post('/signup', { email, password });
    await console.post('/token?grant_type=password', { email, password: 'a wrong one' });
    await console.call('GET', '/nowhere');
    // They are recorded within a second.
    await until(async () => (await console.database.admin.query('select from refusals')).rows.length === 2);
    await page.reload();
    await page.locator('tbody tr').nth(1).waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByLabel('error_code').fill('invalid_credentials');
    await page.waitForURL(`${origin}/requests?code=invalid_credentials`);
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'POST /token (password)' }).click();
    await page.getByRole('heading', { name: 'Why it was refused' }).waitFor();
    await page.getByText('The account exists, and the password was wrong.').waitFor();
    await matchSoon(t, () => page.locator('.checks .failed').textContent(), /password is right.*failed/);
    await equalSoon(t, () => page.locator('.checks .failed').count(), 1);
    await equalSoon(t, () => page.getByText('Left out').count(), 0, 'a row without a value is not shown');
    await equalSoon(t, async () => (await page.locator('.checks .passed').count()) >= 5, true);
    await equalSoon(
      t,
      () => page.getByRole('link', { name: body.user.id }).getAttribute('href'),
      `/users/${body.user.id}`,
    );
    t.same(await findPageFaults(page), []);
    await page.locator('.checks summary').first().click();
    await matchSoon(t, () => page.locator('.settings-behind').first().textContent(), /AUTH_/);
    await page.goBack();
    await page.waitForURL(`${origin}/requests?code=invalid_credentials`);

    const { rows } = await console.database.admin.query(
      "select request_id from refusals where error_code = 'not_found'",
    );
    await page.getByLabel('Request id, or the error_id that a user reads out').fill(` ${rows[0].request_id} `);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/requests/${rows[0].request_id}`);
    await page.getByText('There is such an endpoint').waitFor();

    await page.goto(`${origin}/requests/none`);
    await page.getByText('No refusal with this id was recorded').waitFor();
    t.same(await findPageFaults(page), []);
    await page.goto(`${origin}/requests?code=nothing_like_it`);
    await page.getByText('No refusal matches').waitFor();
    t.same(faults, []);
  });

  t.test('faults of the server and of the network are told, and asked again; nothing is lost', async (t) => {
    const { page, faults } = await enter('viewer', { path: '/requests', theme: 'dark', width: 320 });
    const list = page.getByRole('table', { name: 'Refused requests' });
    await list.waitFor();
    t.same(await findPageFaults(page), [], 'in the dark, 320 pixels wide');
    let answer: 'offline' | 'broken' | 'well' = 'broken';
    await page.route('**/api/requests*', (route) => {
      if (answer === 'offline') return route.abort();
      if (answer === 'well') return route.continue();
      const body = JSON.stringify({ code: 500, error_code: 'unexpected_failure', msg: 'Unexpected', error_id: 'e-1' });
      return route.fulfill({ status: 500, contentType: 'application/json', body });
    });
    await page.reload();
    await matchSoon(t, () => page.getByRole('alert').textContent(), /Unexpected.*e-1/);
    t.same(await findPageFaults(page), []);
    answer = 'well';
    await page.getByRole('button', { name: 'Try again' }).click();
    await list.waitFor();
    answer = 'offline';
    await page.getByLabel('error_code').fill('not_found');
    await page.getByText('The server does not answer: this is what it was before').waitFor();
    await equalSoon(t, () => list.isVisible(), true, 'what was known stays');
    t.same(await findPageFaults(page), []);
    t.same(faults, []);
  });
}
