/** States of the pages of companies: their forms, and what is refused. */
import type { ConsoleState } from './console-state.js';

export const consoleCompanyStates: readonly ConsoleState[] = [
  {
    page: '/companies',
    state: 'guides',
    shows: 'main details[open] ol',
    async reach({ enter }, options) {
      const opened = await enter('viewer', { ...options, path: '/companies' });
      for (const name of ['Entra ID', 'Keycloak']) await opened.page.getByText(name, { exact: true }).click();
      return opened;
    },
  },
  {
    page: '/companies',
    state: 'broken-metadata',
    shows: 'dialog #metadata-fault',
    async reach({ enter }, options) {
      const opened = await enter('owner', { ...options, path: '/companies' });
      const { page } = opened;
      await page.getByRole('button', { name: 'Add a company' }).click();
      await page.getByLabel('Metadata in a file').check();
      await page.getByLabel('Metadata file').setInputFiles({
        name: 'metadata.xml',
        mimeType: 'application/xml',
        buffer: Buffer.from('<html>Sign in first</html>'),
      });
      await page.locator('dialog [name="domains"]').fill('new.example');
      await page.getByRole('button', { name: 'Add company' }).click();
      return opened;
    },
  },
  {
    page: '/companies/{sso_provider_id}',
    state: 'change',
    shows: 'dialog [name="attribute_mapping"]',
    async reach({ enter, examples }, options) {
      const opened = await enter('admin', { ...options, path: `/companies/${examples['sso_provider_id']}` });
      await opened.page.getByRole('button', { name: 'Change', exact: true }).click();
      return opened;
    },
  },
];
