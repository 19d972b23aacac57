/** The console while its server does not answer: what it says, what it turns off, and that it goes on by itself. */
import type { Page } from 'playwright-core';
import { findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { freshEmail, password } from '../support/server.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull(
  'the console in a browser while its server is away; only its scripts can break it; each page once: console-states',
);

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

/** @returns ends it */
async function cutOff(page: Page): Promise<() => Promise<void>> {
  await page.context().setOffline(true);
  return () => page.context().setOffline(false);
}

const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'The server does not answer. It is asked' });
const deedsOf = (page: Page) => page.locator('.heading .actions button');
const areOff = async (page: Page): Promise<readonly boolean[]> =>
  Promise.all((await deedsOf(page).all()).map((button) => button.isDisabled()));

async function run(executablePath: string): Promise<void> {
  const { console, origin, enter } = await openConsolePages(t, executablePath);
  const addUser = async () => {
    const email = freshEmail();
    const { body } = await console.post('/signup', { email, password });
    return { id: body.user.id as string, email };
  };

  t.test('without a network: a banner, nothing can be changed, and both end by themselves', async (t) => {
    const user = await addUser();
    const { page, faults } = await enter('admin', { path: `/users/${user.id}` });
    await page.getByRole('heading', { level: 1, name: user.email }).waitFor();
    const comeBack = await cutOff(page);
    await banner(page).waitFor();
    const off = await areOff(page);
    t.ok(off.length >= 4);
    t.ok(
      off.every((isOff) => isOff),
      'every deed is off',
    );
    t.same(await findPageFaults(page), []);
    await comeBack();
    await banner(page).waitFor({ state: 'detached' });
    t.notOk((await areOff(page)).some((isOff) => isOff));
    t.same(faults, []);
  });

  t.test('an answer that was on its way when the network went does not count as one without it', async (t) => {
    const { page } = await enter('admin', { path: '/users' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const me = await page.evaluate(async () => (await fetch('/api/me')).json());
    // Answered by the browser: the network is not asked.
    let answered = 0;
    await page.route('**/api/me', (route) => (answered++ === 0 ? route.fulfill({ json: me }) : route.continue()));
    const comeBack = await cutOff(page);
    await banner(page).waitFor();
    t.ok(answered > 1);
    await comeBack();
    await banner(page).waitFor({ state: 'detached' });
  });

  t.test('what could not be loaded meanwhile is loaded then', async (t) => {
    const [user, other] = [await addUser(), await addUser()];
    const { page } = await enter('viewer', { path: '/users' });
    await page.getByRole('link', { name: user.email }).waitFor();
    const comeBack = await cutOff(page);
    await banner(page).waitFor();
    await page.getByLabel('Search').fill(user.email);
    await page.getByText('this is what it was before').waitFor();
    await equalSoon(t, () => page.getByRole('link', { name: other.email }).count(), 1, 'what is known stays');
    await comeBack();
    await page.getByText('this is what it was before').waitFor({ state: 'detached' });
    await equalSoon(t, () => banner(page).count(), 0);
    await page.getByRole('link', { name: other.email }).waitFor({ state: 'detached' });
  });

  t.test('an open dialog keeps what was typed, can be left, and goes on', async (t) => {
    const user = await addUser();
    const { page } = await enter('support', { path: `/users/${user.id}` });
    const dialog = page.getByRole('dialog');
    await page.getByRole('link', { name: /^Sessions/ }).press('Enter');
    await page.getByRole('button', { name: 'End all' }).press('Enter');
    const comeBackAgain = await cutOff(page);
    await banner(page).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
    await equalSoon(t, () => dialog.count(), 0, 'also one that a part of the page has opened');
    await comeBackAgain();
    await banner(page).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Ban' }).press('Enter');
    await dialog.getByLabel('Reason').fill('ticket 7');
    const comeBack = await cutOff(page);
    await banner(page).waitFor();
    await dialog.getByRole('button', { name: 'Ban' }).press('Enter');
    await matchSoon(t, () => dialog.getByRole('alert').textContent(), /The server does not answer/);
    await equalSoon(t, () => dialog.getByLabel('Reason').inputValue(), 'ticket 7');
    await comeBack();
    await banner(page).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Ban' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Lift ban' }).waitFor();
    const { rows } = await console.database.admin.query('select banned_until from users where id = $1', [user.id]);
    t.ok(rows[0].banned_until > new Date());
  });

  t.test('a change whose new state cannot be read leaves the page stale and its deeds off', async (t) => {
    const user = await addUser();
    const { page } = await enter('admin', { path: `/users/${user.id}` });
    await page.getByRole('button', { name: 'Ban' }).press('Enter');
    await page.route(`**/api/users/${user.id}`, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ status: 503, contentType: 'application/json', body: '{"msg":"Service unavailable"}' })
        : route.continue(),
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Ban' }).press('Enter');
    await page.getByText('this is what it was before').waitFor();
    const off = await areOff(page);
    t.ok(off.length >= 4 && off.every((isOff) => isOff));
    await equalSoon(t, () => banner(page).count(), 0, 'the server does answer');
    t.same(await findPageFaults(page), []);
    await page.unroute(`**/api/users/${user.id}`);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByRole('button', { name: 'Lift ban' }).waitFor();
    t.notOk((await areOff(page)).some((isOff) => isOff));
  });

  t.test('the live activity goes on where it was', async (t) => {
    const { page } = await enter('viewer', { path: '/activity' });
    await page.getByText('Live', { exact: true }).waitFor();
    const before = await page.getByRole('row').count();
    const comeBack = await cutOff(page);
    await page.getByText('The server does not answer. Trying again.').waitFor();
    await addUser();
    await comeBack();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('row').nth(before).waitFor();
    await equalSoon(t, () => banner(page).count(), 0);
    t.equal(new URL(page.url()).origin, origin);
  });
}
