/** Exports of users and of the audit log, as a browser saves them. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { forgetStepUps } from '../support/console.js';
import { awaitNoDialog, findLookFaults, findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

const LOOKS = [
  { theme: 'light', width: 320 },
  { theme: 'dark', width: 1280 },
] as const;

onlyInFull('files that a browser saves; the same by HTTP: console-export');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { console, enter } = await openConsolePages(t, executablePath);

  t.test('all pages of a search become one file', async (t) => {
    await console.database.admin.query(`
      insert into users (id, aud, role, email, created_at)
      select gen_random_uuid(), 'authenticated', 'authenticated', 'user' || n || '@example.com', now() - n * interval '1 second'
      from generate_series(1, 2100) n`);
    const { page, faults } = await enter('admin', { path: '/users' });
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Export users' });
    await dialog.getByLabel('Reason').fill('yearly audit');
    t.same(await findPageFaults(page), []);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export', exact: true }).click(),
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

  t.test('the audit log: what the filters of the page show, after a confirmation, with its progress', async (t) => {
    const person = randomUUID();
    await console.database.admin.query(
      `insert into audit_log (payload, created_at)
      select jsonb_build_object('action', case when n % 5 = 0 then 'logout' else 'login' end, 'actor_id', $1::text, 'n', n),
        now() - n * interval '1 second' from generate_series(1, 2000) n`,
      [person],
    );
    const { page, faults } = await enter('admin', { path: `/activity?person=${person}&action=login`, ...LOOKS[0] });
    await page.getByRole('button', { name: 'login' }).first().waitFor();
    await equalSoon(t, () => page.getByRole('button', { name: 'logout' }).count(), 0, 'both filters count');
    await forgetStepUps(console);
    await page.getByRole('button', { name: 'Export', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Export activity' });
    await dialog.getByLabel('Format').selectOption('ndjson');
    await dialog.getByLabel('Reason').fill('inquiry 12');
    t.same(await findLookFaults(page, LOOKS), []);
    // The second page fails once: what has come stays, and the export goes on behind it.
    let pages = 0;
    await page.route('**/api/activity/export', async (route) => {
      if (route.request().postDataJSON().cursor !== undefined && ++pages === 1) return route.abort('connectionreset');
      await route.continue();
    });
    await page.keyboard.press('Enter');
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirm.getByRole('button', { name: 'Confirm with a passkey' }).press('Enter');
    await dialog.getByText('1,000 rows so far').waitFor();
    await matchSoon(t, () => dialog.getByRole('alert').textContent(), /The server does not answer/);
    t.same(await findLookFaults(page, LOOKS), [], 'with progress');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export', exact: true }).press('Enter'),
    ]);
    t.match(download.suggestedFilename(), /^activity-\d{4}-\d\d-\d\d\.ndjson$/);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    const numbers = lines.map((line) => JSON.parse(line).payload.n);
    t.same(
      numbers,
      Array.from({ length: 2000 }, (_, n) => n + 1).filter((n) => n % 5 !== 0),
    );
    await dialog.waitFor({ state: 'detached' });
    const { rows } = await console.database.admin.query(
      "select payload -> 'traits' as traits from audit_log where payload ->> 'action' = 'activity_exported'",
    );
    t.match(rows, [{ traits: { reason: 'inquiry 12', format: 'ndjson', filter: { person, action: 'login' } } }]);
    t.same(faults, []);
  });

  t.test('an export that is closed saves nothing', async (t) => {
    const { page } = await enter('admin', { path: '/activity' });
    const downloads: string[] = [];
    page.on('download', (download) => downloads.push(download.suggestedFilename()));
    let answer = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => {
      void page.route('**/api/activity/export', async (route) => {
        resolve();
        await new Promise<void>((go) => {
          answer = go;
        });
        await route.continue();
      });
    });
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click();
    await isAsked;
    await page.keyboard.press('Escape');
    await awaitNoDialog(page);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const answered = page.waitForResponse('**/api/activity/export');
    answer();
    await answered;
    await page.waitForLoadState('networkidle');
    await equalSoon(
      t,
      () => page.getByRole('dialog', { name: 'Export activity' }).isVisible(),
      true,
      'the next dialog stays',
    );
    t.same(downloads, []);
  });

  t.test('only administrators see it; who is no longer one is refused, and reads which role it takes', async (t) => {
    for (const [path, shown] of [
      ['/users', 'user1@example.com'],
      ['/activity', 'Live'],
    ] as const) {
      const { page } = await enter('support', { path });
      await page.getByText(shown, { exact: true }).first().waitFor();
      await equalSoon(t, () => page.getByRole('button', { name: 'Export', exact: true }).count(), 0, path);
    }
    const { page } = await enter('admin', { path: '/activity' });
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await console.database.admin.query("update operators set role = 'support'");
    await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click();
    await matchSoon(t, () => page.getByRole('alert').textContent(), /This needs the role admin/);
    t.same(await findPageFaults(page), []);
  });
}
