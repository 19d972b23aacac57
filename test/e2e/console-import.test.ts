/** Files of accounts, notes and saved filters in a browser: an import that loses its tab, hostile files, by keyboard. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { awaitNoDialog, findLookFaults, findPageFaults, openConsolePages } from '../support/console-page.js';
import { chooseFile } from '../support/console-pages/states-people.js';
import { pickForm } from '../support/long-form.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { password } from '../support/server.js';
import { equalSoon, matchSoon, sameSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

const ROWS = pickForm({ short: 1500, long: 50_000 });
onlyInFull('files that a browser uploads; the same by HTTP: console-import');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { console, origin, enter } = await openConsolePages(t, executablePath);
  const { admin } = console.database;
  const count = async (like: string): Promise<number> =>
    (await admin.query('select count(*)::int from users where email like $1', [like])).rows[0].count;
  const download = async (page: Page, name: string): Promise<string> => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).first().click(),
    ]);
    return readFileSync(await file.path(), 'utf8');
  };

  t.test('a file is tried, its faults are named, and it is imported', async (t) => {
    await console.post('/signup', { email: 'taken@file.example', password });
    const { page, faults } = await enter('admin', { path: '/import' });
    const text = [
      'Who;Full name;=1+1',
      'ann@file.example;"Ann; ""A""";x',
      'nobody;;x',
      'TAKEN@file.example;;x',
      'ann@file.example;;x',
      'ben@file.example;"Ben\r\nof two lines";x',
    ].join('\r\n');
    await chooseFile(page, 'people.csv', `\ufeff${text}`);
    await page.getByText('3 columns, separated by semicolon').waitFor();
    await page.getByRole('button', { name: 'Try without importing' }).press('Enter');
    await matchSoon(t, () => page.getByRole('alert').textContent(), /a column must become email or phone/);
    await page.getByLabel('Field of Who').selectOption('email');
    await page.getByLabel('Field of =1+1').selectOption('app_metadata.1_1');
    await page.getByRole('button', { name: 'Try without importing' }).press('Enter');
    await page.getByText('Trial over: 2 can be imported, 3 refused').waitFor();
    await sameSoon(t, () => page.getByRole('table', { name: 'Refused rows' }).locator('tbody tr').allInnerTexts(), [
      '3\tWho\temail is not an address',
      '4\tWho\tits email belongs to another account',
      '5\tWho\tits email is in line 2, too',
    ]);
    t.same(
      await findLookFaults(page, [
        { theme: 'light', width: 1280 },
        { theme: 'dark', width: 320 },
      ]),
      [],
    );
    t.equal(await count('%@file.example'), 1);
    t.match(
      await download(page, 'Download refused rows'),
      /^line,.*\r\n"3","refused",,"Who","email is not an address"\r\n/,
    );
    await page.getByRole('button', { name: 'Import 2 accounts' }).press('Enter');
    await page.getByLabel('Reason').fill('the club moves in');
    await page.keyboard.press('Enter');
    await awaitNoDialog(page);
    await page.getByText('Import over: 2 imported, 3 refused').waitFor();
    t.equal(await count('%@file.example'), 3);
    t.same((await download(page, 'Download results')).match(/"imported"/g)?.length, 2);
    await page
      .getByRole('row', { name: /people.csv.*imported/ })
      .first()
      .waitFor();
    t.same(faults, []);
  });

  t.test('a lost tab: what was imported stays, and the same file goes on', async (t) => {
    const rows = Array.from({ length: ROWS }, (_, n) => `tab${n}@lost.example,"Name, ${n}"\n`).join('');
    const file = `email,name\n${rows}`;
    const { page } = await enter('admin', { path: '/import' });
    await chooseFile(page, 'many.csv', file);
    let pieces = 0;
    // The third piece waits until the operator has stopped the trial.
    await page.route('**/pieces', (route) => (++pieces < 3 ? route.continue() : undefined));
    await page.getByRole('button', { name: 'Try without importing' }).click();
    await page.getByText('250 can be imported').waitFor();
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await page.getByText('Stands at line 251: 250 can be imported').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('button', { name: 'Go on' }).press('Enter');
    await page
      .getByRole('button', { name: `Import ${ROWS.toLocaleString('en')} accounts` })
      .click({ timeout: 300_000 });
    pieces = 0;
    await page.route('**/pieces', async (route) => {
      if (++pieces < 3) return route.continue();
      // The piece is stored, and the tab does not hear of it.
      if (pieces === 3) await route.fetch();
      return route.abort('connectionrefused');
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText(/^Stands at line \d+: /).waitFor();
    await page.unrouteAll();
    await page.reload();
    await chooseFile(page, 'renamed.csv', file);
    await page.getByText(/You have begun to import this file/).waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Go on' }).press('Enter');
    const total = ROWS.toLocaleString('en');
    await page.getByText(`Import over: ${total} imported`).waitFor({ timeout: 300_000 });
    t.equal(await count('%@lost.example'), ROWS);
    await page.reload();
    await chooseFile(page, 'many.csv', file);
    await page.getByRole('button', { name: 'Try without importing' }).click();
    await page.getByText(`Trial over: ${total} there already`).waitFor({ timeout: 300_000 });
    await equalSoon(t, () => page.getByRole('button', { name: /^Import / }).count(), 0, 'there is nothing to import');
  });

  t.test('notes on a user', async (t) => {
    const { user } = (await console.post('/signup', { email: 'noted@file.example', password })).body;
    const { page, faults } = await enter('support', { path: `/users/${user.id}` });
    await page.getByRole('link', { name: 'Notes' }).press('Enter');
    await page.getByText('No notes').waitFor();
    await page.getByLabel('New note').fill('<b>called</b>\nabout a lost phone');
    await page.getByRole('button', { name: 'Add note' }).press('Enter');
    await page.getByText('<b>called</b>').waitFor();
    await equalSoon(t, () => page.getByLabel('New note').inputValue(), '');
    await page.getByRole('button', { name: /^Delete the note of support/ }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await awaitNoDialog(page);
    await page.getByText('No notes').waitFor();
    const viewer = await enter('viewer', { path: `/users/${user.id}?tab=notes` });
    await viewer.page.getByText('No notes').waitFor();
    await equalSoon(t, () => viewer.page.getByLabel('New note').count(), 0);
    t.same(faults, []);
  });

  t.test('a filter is saved, chosen, shared and deleted', async (t) => {
    const { page, faults } = await enter('admin', { path: '/users?banned=true' });
    await page.getByRole('button', { name: 'Save filter' }).press('Enter');
    await page.getByLabel('Name of the filter').fill('Locked out');
    await page.getByLabel('All operators see it').check();
    await page.keyboard.press('Enter');
    await awaitNoDialog(page);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForURL(`${origin}/users`);
    await page.getByLabel('Saved filters').selectOption('Locked out');
    await page.waitForURL(/\?banned=true$/);
    const viewer = await enter('viewer', { path: '/users?confirmed=true' });
    const shared = viewer.page.getByLabel('Saved filters').locator('option', { hasText: /^Locked out \(admin-/ });
    await shared.waitFor({ state: 'attached' });
    await viewer.page.getByLabel('Saved filters').selectOption((await shared.textContent())!);
    await viewer.page.waitForURL(/\?banned=true$/);
    await equalSoon(t, () => viewer.page.getByRole('button', { name: 'Delete filter' }).count(), 0);
    await page.getByRole('button', { name: 'Delete filter' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await awaitNoDialog(page);
    await equalSoon(t, () => page.getByLabel('Saved filters').count(), 0);
    t.same(faults, []);
  });
}
