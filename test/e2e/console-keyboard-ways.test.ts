/** The console with a keyboard alone: operators, the confirmation, and the ways that lead anywhere. */

import { forgetStepUps } from '../support/console.js';
import { enterByKeyboard } from '../support/console-keyboard.js';
import { awaitNoDialog, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('pages of the console by keyboard; its keys: console-shell');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const pages = await openConsolePages(t, executablePath);
  const { console } = pages;
  const { admin } = console.database;

  t.test('operators, and the confirmation', async (t) => {
    const operator = await enterByKeyboard(t, pages);
    const { page, press, tabTo } = operator;
    await operator.go('t', 'Operators');
    await page.getByRole('table').waitFor();
    await tabTo(/^Add an operator$/);
    await forgetStepUps(console);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    if (!/^Name/.test((await operator.focus()).name)) await tabTo(/^Name/);
    await operator.type('new@keys.example');
    await press('Enter');
    const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await question.getByRole('button', { name: 'Confirm with a passkey' }).waitFor();
    await operator.hasFocus(/^Confirm with a passkey$/);
    await press('Enter');
    await question.waitFor({ state: 'detached' });
    await page.getByRole('dialog').locator('code').first().waitFor();
    await press('Escape');
    await awaitNoDialog(page);
    const row = page.getByRole('row', { name: /new@keys.example/ });
    await row.waitFor();
    for (let rows = 0; rows < 9 && !(await row.locator(':focus').count()); rows++) await press('j');
    if ((await operator.focus()).name !== 'Remove') await tabTo(/^Remove$/);
    await equalSoon(t, () => row.locator(':focus').count(), 1);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    if (!/^Type/.test((await operator.focus()).name)) await tabTo(/^Type/);
    await operator.type('new@keys.example');
    await operator.sendReason('left');
    await row.waitFor({ state: 'detached' });
    t.equal(
      (
        await admin.query(
          "select payload -> 'traits' ->> 'reason' as reason from audit_log where payload ->> 'action' = 'operator_removed'",
        )
      ).rows[0].reason,
      'left',
    );
    await operator.hasFocus(/./);
    t.same(operator.pointed, []);
  });

  t.test('from anywhere', async (t) => {
    const id = (await console.post('/signup', { email: 'palette@keys.example', password })).body.user.id as string;
    await console.post('/token?grant_type=password', { email: 'palette@keys.example', password: 'wrong' });
    const operator = await enterByKeyboard(t, pages);
    const { page, press, tabTo } = operator;
    const askFor = async (text: string, ...keys: readonly string[]) => {
      await press('Control+k');
      await page.getByRole('dialog', { name: 'Go to' }).waitFor();
      await operator.paste(text);
      await press(...keys, 'Enter');
    };
    await askFor('palette@keys.example');
    await page.waitForURL(/\/users\?q=palette%40keys\.example$/);
    await askFor(id);
    await page.getByRole('heading', { level: 1, name: 'palette@keys.example' }).waitFor();
    const refusals = "select request_id from refusals where error_code = 'invalid_credentials'";
    await until(async () => (await admin.query(refusals)).rows.length > 0);
    await askFor((await admin.query(refusals)).rows[0].request_id, 'ArrowDown');
    await page.getByRole('heading', { name: 'Why it was refused' }).waitFor();

    await tabTo(/./);
    const { name } = await operator.focus();
    await press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await press('Escape');
    await awaitNoDialog(page);
    await until(async () => (await operator.focus()).name === name);

    await tabTo(/keys-\d+@example.com/);
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await tabTo(/act without Ctrl/);
    await press('Space', 'g', 'u', 'Tab', '?');
    t.equal(new URL(page.url()).pathname, '/me', 'the keys are off');
    await equalSoon(t, () => page.getByRole('dialog').count(), 0);
    await askFor('overv');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    t.same(operator.pointed, []);
  });
}
