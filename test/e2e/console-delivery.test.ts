/** The pages of webhooks, hooks and OAuth clients in a browser. */

import { assertPagesSound, findPageFaults, openConsolePages } from '../support/console-page.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { addClient, authorize, consent, oauthSettings, signUpPerson } from '../support/oauth-client.js';
import { freshEmail, password } from '../support/server.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';
import { startWebhookReceiver } from '../support/webhook-receiver.js';

onlyInFull('pages of the console in a browser; the same by HTTP: console-events, hooks-page');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const hooks = await openHookReceiver(t, () => ({}));
  const receiver = await startWebhookReceiver(t);
  const { console, origin, enter } = await openConsolePages(t, executablePath, {
    ...oauthSettings(),
    ...hookSettingsOf('BEFORE_USER_CREATED', hooks.url),
    OUTBOUND_PRIVATE_HOSTS: '127.0.0.1',
  });
  const dialogOf = (page: Awaited<ReturnType<typeof enter>>['page']) => page.getByRole('dialog');

  t.test('a webhook: added with a secret shown once, tried, replayed, given a new secret, deleted', async (t) => {
    const { page, faults } = await enter('admin', { path: '/webhooks' });
    await page.getByText('There are no webhooks').waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('textbox', { name: /^Events/ }).fill('user.created');
    t.same(await findPageFaults(page), []);
    await dialog.getByRole('textbox', { name: /^Events/ }).fill('user.borne');
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await matchSoon(t, () => dialog.getByRole('alert').textContent(), /unknown entry: user.borne/);
    await dialog.getByRole('textbox', { name: /^Events/ }).fill('user.created');
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    const secret = page.getByRole('dialog', { name: 'Secret of the webhook' });
    receiver.secret = (await secret.locator('code').first().textContent())!;
    t.match(receiver.secret, /^v1,whsec_/);
    t.same(await findPageFaults(page), []);
    await secret.getByRole('button', { name: 'Done' }).click();
    t.notMatch(await page.content(), /whsec_/, 'it is gone');

    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhook' }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await dialogOf(page).getByRole('button', { name: 'Send' }).click();
    await page.getByText(/It answered 204/).waitFor();
    t.match(receiver.received.at(-1), { type: 'webhook.test', isSigned: true });

    await console.post('/signup', { email: freshEmail(), password });
    const { admin } = console.database;
    const delivered = "select from webhook_deliveries where state = 'delivered'";
    await until(async () => (await admin.query(delivered)).rows.length === 1);
    await admin.query(
      "update webhook_deliveries set state = 'dead', last_status = 500, last_error = 'it answered 500'",
    );
    await page.reload();
    await page.getByRole('cell', { name: /it answered 500/ }).waitFor();
    t.same(await findPageFaults(page), []);
    const sent = receiver.received.length;
    // It begins when another list is shown.
    let begin = (): void => {};
    const isElsewhere = new Promise<void>((resolve) => {
      begin = resolve;
    });
    await page.route('**/replay', async (route) => {
      await isElsewhere;
      await route.continue();
    });
    await page.getByRole('button', { name: /^Replay user.created/ }).click();
    await page.getByRole('link', { name: 'Delivered' }).click();
    // Until the other list is there, the page shows the former one.
    await page.getByRole('cell', { name: /it answered 500/ }).waitFor({ state: 'detached' });
    const asked = page.waitForRequest(/\/deliveries\b/);
    begin();
    t.match((await asked).url(), /state=delivered/, 'the list that is shown is asked for again');
    // The page follows what waits.
    await page.getByRole('cell', { name: /^user.created/ }).waitFor();
    t.equal(receiver.received.length, sent + 1);

    await page.getByRole('button', { name: 'New secret' }).click();
    await dialogOf(page).getByRole('button', { name: 'Make a new secret' }).click();
    const next = page.getByRole('dialog', { name: 'New secret' });
    await matchSoon(t, () => next.locator('code').first().textContent(), /^v1,whsec_/);
    await next.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    const gone = dialogOf(page);
    await equalSoon(t, () => gone.getByRole('button', { name: 'Delete webhook' }).isDisabled(), true);
    await gone.getByRole('textbox').first().fill(new URL(receiver.url).host);
    await gone.getByLabel('Reason').fill('the end of the test');
    await gone.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('There are no webhooks').waitFor();
    t.same(faults, []);
  });

  t.test('hooks: what they are, and a rehearsal by keyboard alone', async (t) => {
    const { page, faults } = await enter('admin', { path: '/hooks' });
    await page.getByRole('cell', { name: hooks.url }).waitFor();
    await equalSoon(t, () => page.getByRole('table', { name: 'Hooks' }).getByRole('row').count(), 8);
    await page.getByRole('button', { name: 'Rehearse before_user_created' }).press('Enter');
    t.same(await findPageFaults(page), []);
    await dialogOf(page).getByRole('button', { name: 'Call it' }).press('Enter');
    await page.getByText('the account may be created').waitFor();
    await matchSoon(t, () => page.locator('pre').first().textContent(), /POST http.*someone@example.com/s);
    t.same(await findPageFaults(page), []);
    hooks.answer = () => ({ error: { http_code: 422, message: 'not you' } });
    await page.getByRole('button', { name: 'Rehearse before_user_created' }).click();
    await dialogOf(page).getByRole('button', { name: 'Call it' }).click();
    await page.getByText('the client gets 422: not you').waitFor();
    hooks.answer = () => ({});
    t.same(faults, []);
  });

  t.test('an OAuth client: added, changed, given a new secret; what a user allowed is taken back', async (t) => {
    const { page, faults } = await enter('owner', { path: '/clients' });
    await page.getByRole('button', { name: 'Add a client' }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByLabel('Type').selectOption('confidential');
    await dialog.getByLabel('Redirect URIs').fill('https://shop.example.com/callback');
    t.same(await findPageFaults(page), []);
    await dialog.getByRole('button', { name: 'Add client' }).click();
    const secret = page.getByRole('dialog', { name: 'Secret of Shop' });
    const first = await secret.locator('code').first().textContent();
    await secret.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
    await page.getByText('No user has allowed it anything').waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Change' }).click();
    await dialogOf(page).getByLabel('Home page').fill('https://shop.example.com/');
    await dialogOf(page).getByLabel('Scopes').fill('email');
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    const clientId = new URL(page.url()).pathname.split('/').at(-1)!;
    const path = `/api/oauth-clients/${clientId}`;
    const other = await console.signIn('admin', 'another');
    t.match((await other.get(path)).body, { client_uri: 'https://shop.example.com/', scope: 'email' });
    await page.getByRole('button', { name: 'Change' }).click();
    await dialogOf(page).getByLabel('Name').fill('Store');
    await dialogOf(page).getByLabel('Home page').fill('');
    await dialogOf(page).getByLabel('Scopes').fill('');
    const moved = ['https://shop.example.com/moved'];
    t.equal((await other.call('PUT', path, { body: { redirect_uris: moved } })).status, 200);
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor();
    const { client_uri, scope, redirect_uris } = (await other.get(path)).body;
    t.same({ client_uri, scope, redirect_uris }, { client_uri: undefined, scope: undefined, redirect_uris: moved });
    await page.getByRole('button', { name: 'New secret' }).click();
    await dialogOf(page).getByRole('button', { name: 'Make a new secret' }).click();
    const next = page.getByRole('dialog', { name: 'New secret' });
    t.not(await next.locator('code').first().textContent(), first);
    await next.getByRole('button', { name: 'Done' }).click();

    const client = await addClient(console);
    const person = await signUpPerson(console);
    await consent(console, person, (await authorize(console, { clientId: client.id })).location);
    await page.goto(`${origin}/clients/${client.id}`);
    await page.getByRole('button', { name: `Take back from ${person.email}` }).click();
    await dialogOf(page).getByRole('button', { name: 'Take back' }).click();
    await page.getByText('No user has allowed it anything').waitFor();
    t.same(faults, []);
  });

  t.test('a viewer sees no deeds; every page in both themes, wide and narrow', async (t) => {
    const client = await addClient(console, { client_name: 'Narrow' });
    const { page } = await enter('viewer', { path: '/webhooks' });
    await page.getByText('There are no webhooks').waitFor();
    await equalSoon(t, () => page.getByRole('button', { name: 'Add a webhook' }).count(), 0);
    const paths = ['/webhooks', '/hooks', '/clients', '/providers', `/clients/${client.id}`, '/clients/nonsense'];
    await assertPagesSound(t, await enter('viewer'), paths);
  });
}
