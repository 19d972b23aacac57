/** Setting up identity providers: of the built-in ones, and of the operator's own. */
import type { OpenedPage, PageOptions } from '../console-page.js';
import { credentialsOf } from '../fake-providers/index.js';
import type { ConsoleState } from './console-state.js';
import type { StatePages } from './state-pages.js';
import { storeSettings } from './states-settings.js';

async function enterForm(pages: StatePages, options: PageOptions, name: string): Promise<OpenedPage> {
  const path = `/providers/${encodeURIComponent(name)}`;
  const opened = await pages.enter('owner', { ...options, path });
  await opened.page.locator('main .setting').first().waitFor();
  return opened;
}

/** An own provider in the database, which the states share. */
async function storeOwn(pages: StatePages): Promise<void> {
  const { id, secret } = credentialsOf('google');
  await storeSettings(pages, {
    AUTH_EXTERNAL_CUSTOM_ACME_ISSUER: pages.providers.issuerOf('google'),
    AUTH_EXTERNAL_CUSTOM_ACME_CLIENT_ID: id,
    AUTH_EXTERNAL_CUSTOM_ACME_SECRET: secret,
  });
}

export const providerStates: readonly ConsoleState[] = [
  {
    page: '/providers',
    state: 'settings',
    shows: 'main details.card',
    reach: (pages, options) => pages.enter('owner', { ...options, path: '/providers?tab=settings' }),
  },
  {
    page: '/providers',
    state: 'adding',
    shows: 'dialog[open] input',
    async reach(pages, options) {
      const opened = await pages.enter('owner', { ...options, path: '/providers' });
      await opened.page.getByRole('button', { name: 'Add an OpenID Connect provider' }).click();
      await opened.page.getByLabel('Name').fill('our-login');
      return opened;
    },
  },
  {
    page: '/providers/{provider}',
    state: 'new',
    shows: 'main .setting button:has-text("Set")',
    reach: (pages, options) => enterForm(pages, options, 'custom:our-login'),
  },
  {
    page: '/providers/{provider}',
    state: 'turned-on',
    shows: 'main .draft-bar details[open] li:has-text("Redirect address")',
    async reach(pages, options) {
      const opened = await enterForm(pages, options, 'gitlab');
      await opened.page.getByLabel('Sign-in is on', { exact: true }).check();
      await opened.page.locator('main .draft-bar summary').click();
      return opened;
    },
  },
  {
    page: '/providers/{provider}',
    state: 'to-be-removed',
    shows: 'main button:has-text("Keep it")',
    async reach(pages, options) {
      await storeOwn(pages);
      const opened = await enterForm(pages, options, 'custom:acme');
      await opened.page.getByRole('button', { name: 'Remove it' }).click();
      return opened;
    },
  },
];
