/** The export of users, as a browser saves it. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { console, enter } = await openConsolePages(t, executablePath);

  t.test('all pages of a search become one file', async (t) => {
    await console.database.admin.query(`
      insert into users (id, aud, role, email, created_at)
      select gen_random_uuid(), 'authenticated', 'authenticated', 'user' || n || '@example.com', now() - n * interval '1 second'
      from generate_series(1, 2100) n`);
    const { page, faults } = await enter('admin', { path: '/users' });
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export users' });
    await dialog.getByLabel('Reason').fill('yearly audit');
    t.same(await findPageFaults(page), []);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ]);
    t.match(download.suggestedFilename(), /^users-\d{4}-\d\d-\d\d\.csv$/);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    t.equal(lines.length, 2101);
    t.match(lines[1], /"user1@example\.com"/);
    t.match(lines.at(-1), /"user2100@example\.com"/);
    await dialog.waitFor({ state: 'detached' });
    const { rows } = await console.database.admin.query(
      "select payload -> 'traits' ->> 'reason' as reason from audit_log where payload ->> 'action' = 'users_exported'",
    );
    t.same(rows, [{ reason: 'yearly audit' }]);
    t.same(faults, []);
  });

  t.test('only administrators see it', async (t) => {
    const { page } = await enter('support', { path: '/users' });
    await page.getByRole('link', { name: 'user1@example.com' }).waitFor();
    t.equal(await page.getByRole('button', { name: 'Export' }).count(), 0);
  });
}
