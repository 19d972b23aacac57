/** Part of `npm run docs`: writes what is made from the catalogue of errors, the table of settings and the lockfile. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { renderApiPage } from './api-page.js';
import { renderErrorPages } from './errors-page.js';
import { insertFigures } from './figures.js';
import { exampleOf, insertFiles } from './guide-files.js';
import { type Lockfile, renderLicences } from './licences.js';
import { renderConsoleApi, renderOpenApi } from './openapi.js';
import { renderOrganizationClient } from './organization-client.js';
import { figurePages } from './pages.js';
import { renderProviderSetup } from './provider-setup-page.js';
import { insertTables } from './settings-table.js';

const root = new URL('../../../../', import.meta.url);
const firstSettings = new URL('docs/run/settings.md', root);
writeFileSync(new URL('docs/api.md', root), renderApiPage());
mkdirSync(new URL('docs/errors/', root), { recursive: true });
for (const [path, page] of renderErrorPages()) writeFileSync(new URL(path, root), page);
writeFileSync(new URL('docs/provider-setup.md', root), renderProviderSetup());
writeFileSync(new URL('docs/openapi.json', root), renderOpenApi());
writeFileSync(new URL('docs/console-openapi.json', root), renderConsoleApi());
writeFileSync(new URL('clients/organizations/operations.ts', root), renderOrganizationClient());
writeFileSync(firstSettings, insertTables(readFileSync(firstSettings, 'utf8')));
for (const path of figurePages) {
  const page = new URL(path, root);
  writeFileSync(page, insertFigures(readFileSync(page, 'utf8')));
}
const guides = readdirSync(new URL('docs/guides/', root)).map((name) => `docs/guides/${name}`);
for (const path of guides.filter((guide) => existsSync(new URL(exampleOf(guide), root)))) {
  const page = new URL(path, root);
  const example = new URL(`${exampleOf(path)}/`, root);
  writeFileSync(
    page,
    insertFiles(readFileSync(page, 'utf8'), (file) => readFileSync(new URL(file, example), 'utf8')),
  );
}
const lockfile = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as Lockfile;
writeFileSync(new URL('docs/licences.md', root), renderLicences(lockfile));
