/** An operator manages an organization with a keyboard alone. */
import { asAdmin } from '../support/admin.js';
import { enterByKeyboard } from '../support/console-keyboard.js';
import { awaitNoDialog, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { oauthSettings } from '../support/oauth-client.js';
import { password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('pages of the console in a browser; the same by HTTP: console-organizations');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const pages = await openConsolePages(t, executablePath, {
    ...oauthSettings(),
    ORGANIZATIONS_ENABLED: 'true',
    // An invitation is sent again at once.
    SMTP_MAX_FREQUENCY: '0',
  });
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

    await tabTo(/^Invitations$/);
    await press('Enter');
    await page.getByText('No invitation is pending').waitFor();
    await opens(/^Invite$/);
    await tabTo(/^Addresses/);
    await type('kim@keys.example, kate@keys.example');
    await operator.sendReason('asked by mail');
    await page.getByRole('heading', { name: '1 invited, some not' }).waitFor();
    await page.getByRole('listitem').getByText('kate@keys.example').waitFor();
    await press('Escape');
    await awaitNoDialog(page);
    await page.getByRole('cell', { name: 'kim@keys.example', exact: true }).waitFor();
    await opens(/^Send again kim@keys.example$/);
    await operator.sendReason('lost');
    await awaitNoDialog(page);
    await opens(/^Revoke kim@keys.example$/);
    await operator.sendReason('a mistake');
    await awaitNoDialog(page);
    await page.getByText('No invitation is pending').waitFor();

    await tabTo(/^Domains$/);
    await press('Enter');
    await page.getByText('It has no domains').waitFor();
    await opens(/^Add a domain$/);
    await tabTo(/^Domain/);
    await type('keys.test');
    await operator.sendReason('they asked');
    await awaitNoDialog(page);
    await page.getByText('not proved', { exact: true }).waitFor();
    await opens(/^Mark as proved keys.test$/);
    await operator.sendReason('their contract says so');
    await awaitNoDialog(page);
    await page.getByText('proved', { exact: true }).waitFor();
    await opens(/^Remove keys.test$/);
    await operator.sendReason('sold');
    await awaitNoDialog(page);
    await page.getByText('It has no domains').waitFor();

    await tabTo(/^Sign-on$/);
    await press('Enter');
    await page.getByText('It has no identity provider').waitFor();
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

  t.test('a client of an organization, with a key', async (t) => {
    const admin = asAdmin(pages.console);
    const { body: users } = await admin('GET', '/admin/users');
    const { body: made } = await admin('POST', '/admin/organizations', { name: 'Globex', owner_id: users.users[0].id });
    const { page } = await pages.enter('admin', { path: '/clients' });
    const dialog = page.getByRole('dialog');
    const send = (name: string) => dialog.getByRole('button', { name, exact: true }).click();
    await page.getByRole('button', { name: 'Add a client' }).click();
    await dialog.getByLabel('Name').fill('Robot');
    await dialog.getByLabel('Type').selectOption('machine');
    await dialog.getByText('Keys in place of a secret').click();
    await dialog.getByText('For one organization').click();
    await dialog.getByLabel('Address of its keys').fill('https://robot.example/keys');
    await dialog.getByLabel(/^Organization/).fill('globexx');
    await send('Add client');
    await dialog.getByText('No organization has this slug or id').waitFor();
    await dialog.getByLabel(/^Organization/).fill('globex');
    await dialog.getByRole('checkbox', { name: /^member/ }).check();
    await send('Add client');
    await page.getByRole('heading', { level: 1, name: 'Robot' }).waitFor();
    await page.getByRole('link', { name: made.id }).waitFor();
    await equalSoon(t, () => page.getByRole('button', { name: 'New secret' }).count(), 0, 'it has a key');

    const read = async () => (await admin('GET', `/admin/oauth/clients/${page.url().split('/').at(-1)}`)).body;
    const served = { organization_id: made.id, organization_roles: ['member'] };
    const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://robot.example/keys' };
    t.match(await read(), { client_name: 'Robot', grant_types: ['client_credentials'], ...served, ...keyed });
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Name').fill('Robot 2');
    await send('Save');
    await page.getByRole('heading', { level: 1, name: 'Robot 2' }).waitFor();
    t.match(await read(), { client_name: 'Robot 2', ...served, ...keyed }, 'the rest stays');
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Address of its keys').fill('');
    await dialog.getByLabel(/^Organization/).fill('');
    await send('Save');
    await page.getByRole('button', { name: 'New secret' }).waitFor();
    const after = await read();
    t.match(after, { token_endpoint_auth_method: 'client_secret_basic' });
    t.notOk('organization_id' in after || 'jwks_uri' in after);
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
