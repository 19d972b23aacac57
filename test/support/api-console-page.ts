/** The page "Try the API" of the site, served by a server as `latchkey dev` does it. */
import { siteRoutes } from '../../src/dev/site/routes.js';
import { loadConfig } from '../../src/server/config/load.js';
import { startServer } from '../../src/server/runtime/server.js';
import { openLog } from '../../src/server/telemetry/log.js';
import { createTestDatabase } from './database.js';
import { PAGE_PATIENCE_MS, type TestBrowser } from './mailbox-page.js';
import { watchPolicyFaults } from './policy-faults.js';
import { freshEmail, password, testEnvironment } from './server.js';
import type { Test } from './tap.js';

/** Signs up by a form, and reads the account with the token of the answer. The site is built already. */
export async function tryApi(t: Test, browser: TestBrowser): Promise<void> {
  const { url: databaseUrl } = await createTestDatabase(t);
  const { config } = loadConfig({ environment: testEnvironment(databaseUrl, {}) });
  const development = { captureMail: () => {}, captureSms: () => {}, routes: siteRoutes() };
  const log = await openLog({ level: 'panic', file: '' });
  const server = await startServer(config, '0.0.0-test', log, { development });
  t.teardown(() => server.stop(0));
  await server.migrated;
  const context = await browser.newContext();
  context.setDefaultTimeout(PAGE_PATIENCE_MS);
  const page = await context.newPage();
  const faults = watchPolicyFaults(page);
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.port}/docs/api-console.html`);
  const form = page.getByRole('region', { name: 'Try the API' });
  const find = form.getByRole('searchbox', { name: 'Find' });
  await find.fill('POST /signup');
  await form.getByRole('button', { name: /^POST \/signup/ }).click();
  const email = freshEmail();
  await form.getByLabel(/^email body/).fill(email);
  await form.getByLabel(/^password body/).fill(password);
  await form.getByText(`"email":"${email}"`).waitFor();
  await form.getByRole('button', { name: 'Send POST' }).click();
  // The whole line: the answer below it has tokens and times, in which any digits can occur.
  await form.getByText('200 OK', { exact: true }).waitFor();
  t.match(await form.getByLabel('Access token').inputValue(), /^eyJ/);

  await find.fill('GET /user');
  await form.getByRole('button', { name: /^GET \/user Returns/ }).click();
  await form.getByRole('button', { name: 'Send GET' }).click();
  await form.getByText(`"email": "${email}"`).first().waitFor();
  t.match(page.url(), '#getUser');
  t.same(faults, []);
}
