/** An operator manages an organization with a keyboard alone. */
import { enterByKeyboard } from '../support/console-keyboard.js';
import { awaitNoDialog, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const pages = await openConsolePages(t, executablePath, { ORGANIZATIONS_ENABLED: 'true' });
  for (const name of ['kate', 'kato']) {
    await pages.console.post('/signup', { email: `${name}@keys.example`, password });
  }

  t.test('an organization, from its first day to its last', async (t) => {
    const operator = await enterByKeyboard(t, pages);
    const { page, press, tabTo, type } = operator;
    const opens = async (button: RegExp) => {
      await tabTo(button);
      await press('Enter');
      await page.getByRole('dialog').waitFor();
    };
    await operator.go('z', 'Organizations');
    await page.getByText('There are no organizations yet').waitFor();
    await opens(/^Add an organization$/);
    await tabTo(/^Name/);
    await type('Acme <b>Ltd</b>');
    await tabTo(/^Owner/);
    await type('nobody@keys.example');
    await press('Enter');
    await page.getByText('No account has this address').waitFor();
    await tabTo(/^Owner/);
    await press('Control+A');
    await type('kate@keys.example');
    await press('Enter');
    await awaitNoDialog(page);
    await page.getByRole('heading', { level: 1, name: 'Acme <b>Ltd</b>' }).waitFor();

    await opens(/^Change$/);
    await tabTo(/^Members at most/);
    await type('2');
    await operator.sendReason('they pay for two');
    await awaitNoDialog(page);
    await page.locator('dd', { hasText: /^2$/ }).waitFor();

    await tabTo(/^Members$/);
    await press('Enter');
    await page.getByRole('link', { name: 'kate@keys.example' }).waitFor();
    await opens(/^Add a member$/);
    await tabTo(/^User/);
    await type('kato@keys.example');
    await operator.sendReason('asked by mail');
    await awaitNoDialog(page);
    await page.getByRole('link', { name: 'kato@keys.example' }).waitFor();
    await opens(/^Roles kato@keys.example$/);
    await tabTo(/^admin/);
    await press('Space');
    await operator.sendReason('is in charge');
    await awaitNoDialog(page);
    await page.getByRole('cell', { name: 'admin, member' }).waitFor();
    await opens(/^Remove kate@keys.example$/);
    await operator.sendReason('left');
    await page.getByText('An organization needs an owner').waitFor();
    await press('Escape');
    await awaitNoDialog(page);
    await operator.hasFocus(/^Remove kate@keys.example$/);

    await tabTo(/^Domains$/);
    // The navigation has an Activity, too.
    await press('Tab', 'Enter');
    await page.getByRole('button', { name: 'organization.member_updated' }).waitFor();

    await opens(/^Delete$/);
    await tabTo(/^Type/);
    await type('acme-b-ltd-b');
    await operator.sendReason('the end');
    await awaitNoDialog(page);
    await page.getByText('There are no organizations yet').waitFor();
    t.same(operator.pointed, []);
  });

  t.test('roles', async (t) => {
    const operator = await enterByKeyboard(t, pages);
    const { page, press, tabTo, type } = operator;
    await operator.go('z', 'Organizations');
    await tabTo(/^Roles$/);
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Roles of organizations' }).waitFor();
    await tabTo(/^Add a role$/);
    await press('Enter');
    await tabTo(/^Name/);
    await type('editor');
    await tabTo(/^Permissions/);
    await type('docs:write');
    await operator.sendReason('for the new application');
    await awaitNoDialog(page);
    await page.getByRole('cell', { name: 'docs:write' }).waitFor();
    await tabTo(/^Delete editor$/);
    await press('Enter');
    await operator.sendReason('a mistake');
    await awaitNoDialog(page);
    await page.getByRole('cell', { name: 'docs:write' }).waitFor({ state: 'detached' });
    t.same(operator.pointed, []);
  });
}
