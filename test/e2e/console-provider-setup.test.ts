/** Identity providers are set up in the console, without a restart: one of the operator's own, and a built-in one. */
import type { Page } from 'playwright-core';
import { awaitNoDialog, findPageFaults, openConsolePages } from '../support/console-page.js';
import { credentialsOf, openFakeProviders } from '../support/fake-providers/index.js';
import { freePort } from '../support/free-port.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull(
  'pages of the console in a browser, 10 s of processor time; the same by HTTP: console-providers, custom-providers',
);

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

const bar = (page: Page) => page.getByRole('region', { name: 'Changes that are not applied' });
const fieldOf = (page: Page, label: string) => page.getByLabel(label, { exact: true });

async function typeSecret(page: Page, secret: string): Promise<void> {
  await page.getByRole('button', { name: 'Set: Client secret' }).click();
  await page.keyboard.type(secret);
}

async function apply(page: Page): Promise<void> {
  await bar(page)
    .getByRole('button', { name: /^Apply/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await awaitNoDialog(page);
}

async function run(executablePath: string): Promise<void> {
  const providers = await openFakeProviders(t);
  const port = String(await freePort());
  const origin = `http://localhost:${port}`;
  // Stands for the application.
  const site = `${origin}/health`;
  // Known at the fakes; the server learns of them in the console.
  providers.settings(['gitlab', 'google'], `${origin}/callback`);
  const pages = await openConsolePages(t, executablePath, { API_PORT: port, API_EXTERNAL_URL: origin, SITE_URL: site });
  const { admin } = pages.console.database;

  /** @returns what the application gets */
  async function signIn(page: Page, provider: string): Promise<string> {
    const person = await page.context().newPage();
    await person.goto(`${origin}/authorize?provider=${encodeURIComponent(provider)}`);
    await person.getByRole('button', { name: /allow/i }).click();
    await person.waitForURL(`${site}**`);
    const address = person.url();
    await person.close();
    return address;
  }

  const authorize = () => pages.console.call('GET', '/authorize?provider=custom:acme');

  t.test('an own provider: added, used by a person, removed, brought back by the history', async (t) => {
    const { page, faults } = await pages.enter('owner', { path: '/providers' });
    await page.getByRole('button', { name: 'Add an OpenID Connect provider' }).click();
    await page.getByLabel('Name').fill('acme');
    await page.keyboard.press('Enter');
    await page.getByText('Not there yet.').waitFor();
    await page.getByRole('button', { name: 'Copy the redirect address' }).waitFor();
    await page.getByText(`${origin}/callback`).first().waitFor();
    const { id, secret } = credentialsOf('google');
    await fieldOf(page, 'Issuer').fill('http://127.0.0.1:1/nowhere');
    await fieldOf(page, 'Client ID').fill(id);
    await bar(page).getByRole('button', { name: 'Check' }).click();
    await page.locator('.setting .fault', { hasText: 'AUTH_EXTERNAL_CUSTOM_ACME_SECRET' }).waitFor();
    t.same(await findPageFaults(page), []);
    await typeSecret(page, secret);
    await bar(page).getByRole('button', { name: 'Check' }).click();
    await bar(page).getByText('The discovery document at').waitFor();
    await bar(page).getByRole('button', { name: 'Apply all the same' }).waitFor();
    await fieldOf(page, 'Issuer').fill(providers.issuerOf('google'));
    await apply(page);
    await page.getByText('ready', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Trace a sign-in' }).waitFor();
    t.same(await findPageFaults(page), []);

    t.match(await signIn(page, 'custom:acme'), /#access_token=/);
    const identities = await admin.query<{ provider: string }>('select provider from identities');
    t.same(
      identities.rows.map(({ provider }) => provider),
      ['custom:acme'],
    );

    await page.getByRole('button', { name: 'Remove it' }).click();
    await bar(page).getByText('3 changes').waitFor();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await equalSoon(t, () => bar(page).count(), 0);
    await page.getByRole('button', { name: 'Remove it' }).click();
    await apply(page);
    await page.getByText('Not there yet.').waitFor();
    t.equal((await authorize()).status, 400);
    const operator = await pages.console.signIn('owner', 'grace@example.com');
    const restore = (version: number) =>
      operator.post('/api/config/rollback', { version, base_version: version === 1 ? 2 : 3 });
    t.equal((await restore(1)).status, 200, 'the history has the secret too');
    await until(async () => (await authorize()).status === 302);
    t.match(await signIn(page, 'custom:acme'), /#access_token=/, 'the same account');
    t.equal((await admin.query('select from identities')).rowCount, 1);
    t.equal((await restore(0)).status, 200);
    await until(async () => (await authorize()).status === 400);
    await page.reload();
    await page.getByText('Not there yet.').waitFor();
    await page.getByRole('link', { name: 'All providers' }).click();
    await page.getByText('No provider is on').waitFor();
    t.same(faults, []);
  });

  t.test('a built-in provider is turned on with the redirect address of this server', async (t) => {
    const { page, faults } = await pages.enter('owner', { path: '/providers' });
    await page.getByRole('link', { name: 'GitLab', exact: true }).click();
    await page.getByRole('heading', { name: 'Register this server there' }).waitFor();
    const { id, secret } = credentialsOf('gitlab');
    await fieldOf(page, 'Sign-in is on').check();
    await equalSoon(t, () => fieldOf(page, 'Redirect address').inputValue(), `${origin}/callback`);
    await fieldOf(page, 'Client ID').fill(id);
    await typeSecret(page, secret);
    await fieldOf(page, 'Address').fill(providers.urlOf('gitlab'));
    await bar(page).getByText('5 changes').click();
    const link = bar(page).getByRole('link', { name: 'GitLab: Client ID' });
    await equalSoon(t, () => link.getAttribute('href'), '/providers/gitlab?setting=AUTH_EXTERNAL_GITLAB_CLIENT_ID');
    await apply(page);
    await page.getByText('ready', { exact: true }).waitFor();
    t.match(await signIn(page, 'gitlab'), /#access_token=/);
    await page.getByRole('button', { name: 'Trace a sign-in' }).click();
    await page.getByRole('button', { name: 'Open a trace' }).click();
    await page.getByRole('link', { name: 'Open in a new tab' }).waitFor();
    t.same(faults, []);
  });

  t.test('administrators change all but secrets; others read', async (t) => {
    const admin = (await pages.enter('admin', { path: '/providers/figma' })).page;
    await equalSoon(t, () => fieldOf(admin, 'Client ID').isEnabled(), true);
    await equalSoon(t, () => admin.getByRole('button', { name: 'Set: Client secret' }).isDisabled(), true);
    const viewer = (await pages.enter('viewer', { path: '/providers/figma' })).page;
    await viewer.getByText('Changing settings needs the role admin.').waitFor();
    await equalSoon(t, () => viewer.locator('.setting :is(input, select, textarea, button):enabled').count(), 0);
    await viewer.getByRole('link', { name: 'All providers' }).click();
    await viewer.getByRole('list', { name: 'Providers that are on' }).waitFor();
    await equalSoon(t, () => viewer.getByRole('button', { name: 'Add an OpenID Connect provider' }).count(), 0);
  });
}
