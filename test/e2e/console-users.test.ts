/** Users, one user, activity and operators in a browser: each deed, by keyboard, and what others do meanwhile. */
import type { Page } from 'playwright-core';
import { assertPagesSound, awaitNoDialog, findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { password } from '../support/server.js';
import { equalSoon, matchSoon, sameSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull(
  'pages of the console in a browser, 40 s of processor time; the same by HTTP: console-users; each page once: console-states',
);

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const { console, origin, enter } = await openConsolePages(t, executablePath);

  async function signUp(email: string): Promise<string> {
    return (await console.post('/signup', { email, password })).body.user.id;
  }
  const reasonsOf = async (action: string): Promise<unknown[]> => {
    const { rows } = await console.database.admin.query(
      "select payload -> 'traits' ->> 'reason' as reason from audit_log where payload ->> 'action' = $1 order by created_at",
      [action],
    );
    return rows.map(({ reason }) => reason);
  };
  async function leaveDialog(page: Page): Promise<void> {
    await page.keyboard.press('Escape');
    await awaitNoDialog(page);
  }
  /** Fills in the dialog and sends it, by keyboard. */
  async function confirm(page: Page, reason: string): Promise<void> {
    const field = page.getByRole('dialog').getByLabel('Reason');
    await field.pressSequentially(reason);
    await field.press('Enter');
    await awaitNoDialog(page);
  }

  t.test('search by keyboard; filters are in the address', async (t) => {
    for (const name of ['ada', 'adam', 'bob']) await signUp(`${name}@search.example`);
    const { page, faults } = await enter('viewer', { path: '/users' });
    await page.getByRole('link', { name: 'bob@search.example' }).waitFor();
    await equalSoon(t, () => page.getByRole('checkbox').count(), 0, 'a viewer selects nothing');
    await page.keyboard.press('/');
    await page.keyboard.type('ada');
    await page.waitForURL(/\?q=ada$/);
    await page.getByRole('link', { name: 'bob@search.example' }).waitFor({ state: 'detached' });
    await sameSoon(t, () => page.locator('tbody a').allTextContents(), ['ada@search.example', 'adam@search.example']);
    await page.getByLabel('Search').blur();
    for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: 'ada@search.example' }).waitFor();
    await page.goBack();
    await equalSoon(t, () => page.getByLabel('Search').inputValue(), 'ada', 'Back keeps the search');
    await page.getByLabel('Search').fill('nobody');
    await page.getByText('No account matches').waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Banned').selectOption('true');
    await page.waitForURL(/\?banned=true$/);
    await page.getByText('No account matches').waitFor();
    t.same(faults, []);
  });

  t.test('many accounts at once, with a result for each', async (t) => {
    for (let n = 0; n < 12; n++) await signUp(`many${n}@bulk.example`);
    const { page } = await enter('admin', { path: '/users?q=many' });
    await page.getByLabel('Select many3@bulk.example').waitFor();
    await page.getByLabel('All rows of this page').check();
    // Meanwhile somebody else deletes one of them.
    await console.database.admin.query("delete from users where email = 'many3@bulk.example'");
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Ban', exact: true }).press('Enter');
    await page.getByLabel('Reason').fill('a wave of spam');
    await page.keyboard.press('Enter');
    await page.getByText('12 of 12: 1 refused').waitFor();
    await matchSoon(
      t,
      () => page.getByRole('dialog').getByRole('row', { name: /many3/ }).textContent(),
      /refused.*not found/i,
    );
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Close' }).press('Enter');
    await equalSoon(t, () => page.getByRole('row', { name: /banned/ }).count(), 11);

    await page.getByLabel('Select many0@bulk.example').check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await equalSoon(
      t,
      () => page.getByRole('button', { name: 'Delete 1 account' }).isDisabled(),
      true,
      'it has to be typed',
    );
    await page.getByLabel('Type 1 account').fill('1 account');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1: all done').waitFor();
    const { rows } = await console.database.admin.query("select 1 from users where email = 'many0@bulk.example'");
    t.same(rows, []);
  });

  t.test('one account: ban, sessions, link, deletion', async (t) => {
    const email = 'grace@one.example';
    const id = await signUp(email);
    const { page, faults } = await enter('admin', { path: `/users/${id}` });
    await page.getByRole('button', { name: 'Ban' }).press('Enter');
    await page.getByLabel('How long').selectOption('24h');
    await confirm(page, 'asked by the police');
    await page.getByText('banned', { exact: true }).waitFor();
    t.same(await reasonsOf('user_modified').then((all) => all.at(-1)), 'asked by the police');
    await page.getByRole('button', { name: 'Lift ban' }).press('Enter');
    await confirm(page, 'a mistake');
    await page.getByText('active', { exact: true }).waitFor();

    t.equal((await console.post('/token?grant_type=password', { email, password })).status, 200);
    await page.reload();
    await page.getByRole('link', { name: /^Sessions/ }).press('Enter');
    await page.getByRole('button', { name: 'End', exact: true }).press('Enter');
    await confirm(page, 'stolen phone');
    await page.getByText('Not signed in anywhere').waitFor();
    t.match(page.url(), /\?tab=sessions$/);

    await page.getByRole('button', { name: 'Link' }).press('Enter');
    await page.getByLabel('How').selectOption('copy');
    await page.getByRole('button', { name: 'Make link' }).press('Enter');
    const link = await page.getByRole('dialog', { name: 'The link' }).locator('code').first().textContent();
    t.match(link, /\/verify\?token=/);
    t.same(await findPageFaults(page), []);
    await leaveDialog(page);

    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByLabel(`Type ${email}`).fill(email);
    await confirm(page, 'right to be forgotten');
    await page.waitForURL(`${origin}/users`);
    await page.goto(`${origin}/users/${id}`);
    await page.getByText('User not found').waitFor();
    t.same(faults, []);
  });

  t.test('metadata: what changes is shown, and nothing of others is overwritten', async (t) => {
    const id = await signUp('edit@one.example');
    const { page } = await enter('support', { path: `/users/${id}?tab=metadata` });
    await page.getByLabel('User metadata').fill('{"plan": "free", ');
    await page.getByText('This is no JSON object.').waitFor();
    await equalSoon(t, () => page.getByRole('button', { name: 'Save metadata' }).isDisabled(), true);
    await page.getByLabel('User metadata').fill('{"plan": "free"}');
    await page.getByText('+ user_metadata.plan: "free"').waitFor();
    await console.database.admin.query(
      `update users set user_metadata = '{"theme":"dark"}', updated_at = now() where id = $1`,
      [id],
    );
    await page.getByRole('button', { name: 'Save metadata' }).press('Enter');
    await page.getByText('+ user_metadata.theme: "dark"').waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Compare my text with that' }).press('Enter');
    await page.getByText('- user_metadata.theme: "dark"').waitFor();
    await page.getByRole('button', { name: 'Save metadata' }).press('Enter');
    await page.getByText('Metadata saved').waitFor();
    const { rows } = await console.database.admin.query('select user_metadata as data from users where id = $1', [id]);
    t.same(rows, [{ data: { plan: 'free' } }]);
  });

  t.test('activity: new entries come by themselves; one person', async (t) => {
    const id = await signUp('tail@one.example');
    const { page, faults } = await enter('viewer', { path: '/activity' });
    await page.getByRole('link', { name: 'tail@one.example' }).first().waitFor();
    await signUp('later@one.example');
    await page.getByRole('link', { name: 'later@one.example' }).first().waitFor();
    await page.getByRole('button', { name: 'user_signedup' }).first().press('Enter');
    await page.getByRole('region', { name: 'The entry as it is stored' }).waitFor();
    t.same(await findPageFaults(page), []);
    await leaveDialog(page);
    await page.goto(`${origin}/activity?person=${id}`);
    await page.getByRole('link', { name: 'tail@one.example' }).first().waitFor();
    await equalSoon(t, () => page.getByRole('link', { name: 'later@one.example' }).count(), 0);
    t.same(await findPageFaults(page), []);
    t.same(faults, []);
  });

  t.test('operators: add, role, remove', async (t) => {
    const { page, faults } = await enter('owner', { path: '/operators' });
    await page.getByRole('button', { name: 'Add an operator' }).press('Enter');
    await page.getByLabel('Name').fill('new@op.example');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('support');
    await page.getByRole('button', { name: 'Make link' }).press('Enter');
    const link = await page.getByRole('dialog').locator('code').textContent();
    t.match(link, new RegExp(`^${origin}/link#[\\w-]{43}$`));
    t.same(await findPageFaults(page), []);
    await leaveDialog(page);
    const row = page.getByRole('row', { name: /new@op.example/ });
    await row.getByRole('button', { name: 'Role' }).press('Enter');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer');
    await confirm(page, 'promoted by mistake');
    await page.getByText('new@op.example is viewer now').waitFor();
    await row.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByLabel('Type new@op.example').fill('new@op.example');
    await confirm(page, 'left');
    await row.waitFor({ state: 'detached' });
    t.same(await reasonsOf('operator_removed'), ['left']);
    t.same(faults, []);
  });

  t.test('Ctrl-K goes to pages and accounts, ? shows the keys', async (t) => {
    const id = await signUp('palette@one.example');
    const { page } = await enter('viewer');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(id);
    t.same(await findPageFaults(page), []);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'palette@one.example' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    t.same(await findPageFaults(page), []);
    await leaveDialog(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('addr');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Addresses' }).waitFor();
  });

  t.test('a server that is gone: what is known stays, and deeds are off', async (t) => {
    const id = await signUp('stale@one.example');
    const { page } = await enter('support', { path: `/users/${id}` });
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('link', { name: 'stale@one.example' }).waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Banned').selectOption('true');
    await page.getByText('this is what it was before').waitFor();
    await equalSoon(t, () => page.getByRole('link', { name: 'stale@one.example' }).isVisible(), true);
    await equalSoon(t, () => page.getByLabel('Select stale@one.example').isDisabled(), true);
    t.same(await findPageFaults(page), []);
    await page.context().setOffline(false);
    await page.getByText('this is what it was before').waitFor({ state: 'detached' });

    await page.goto(`${origin}/users/${id}`);
    await page.getByRole('button', { name: 'Ban' }).click();
    await page.context().setOffline(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Ban' }).click();
    await matchSoon(t, () => page.getByRole('alert').textContent(), /The server does not answer/);
    await page.context().setOffline(false);
    await confirm(page, 'now');
    await page.getByText('banned', { exact: true }).waitFor();
  });

  t.test('a request that a new cookie has overtaken does not sign out', async (t) => {
    const { page } = await enter('viewer', { path: '/activity' });
    await page.getByText('Live', { exact: true }).waitFor();
    let refused = 0;
    const body = JSON.stringify({ code: 401, error_code: 'operator_signed_out', msg: 'Sign in to the console first' });
    await page.route('**/api/activity/tail*', async (route) => {
      if (refused++ > 0) return route.continue();
      await route.fulfill({ status: 401, contentType: 'application/json', body });
    });
    await signUp('overtaken@one.example');
    await page.getByRole('link', { name: 'overtaken@one.example' }).first().waitFor();
    t.ok(refused > 1, 'it was sent again');
    await console.database.admin.query('delete from operator_sessions');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  });

  t.test('the tail keeps up with more entries of one second than an answer holds', async (t) => {
    const { page } = await enter('viewer', { path: '/activity' });
    await page.getByText('Live', { exact: true }).waitFor();
    const add = (count: number) =>
      console.database.admin.query(
        `insert into audit_log (payload, created_at)
        select jsonb_build_object('action', 'login', 'actor_username', 'rush-' || n), now() from generate_series(1, $1) n`,
        [count],
      );
    await add(450);
    await page.getByText('rush-450', { exact: true }).first().waitFor();
    await signUp('after-450@one.example');
    await page.getByRole('link', { name: 'after-450@one.example' }).first().waitFor();
    await add(1500);
    await page.getByText('More happens than fits').waitFor();
    await signUp('after-1500@one.example');
    await page.getByRole('link', { name: 'after-1500@one.example' }).first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await equalSoon(
      t,
      async () => (await page.getByRole('row').count()) > 150,
      true,
      'those of the rush are still there',
    );
  });

  t.test('every page, light and dark, wide and narrow', async (t) => {
    const id = await signUp('looks@one.example');
    const paths = ['/users', '/activity', '/operators'].concat(
      ['', '?tab=sessions', '?tab=factors', '?tab=activity', '?tab=metadata'].map((tab) => `/users/${id}${tab}`),
    );
    await assertPagesSound(t, await enter('owner'), paths);
  });
}
