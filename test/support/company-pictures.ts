/**
 * What `npm run screenshots` also runs: pictures of the identity provider of `latchkey dev`, in .screenshots/company/; or those of
 * docs/sso.md, when SCREENSHOTS=docs. Like those of the hosted pages, it is a test file without a test's name.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createTestDatabase } from './database.js';
import { startDev } from './dev-server.js';
import { serveOnLoopback } from './loopback-server.js';
import { findChromium, openBrowser } from './mailbox-page.js';
import { missingProgram, skipHere } from './not-here.js';
import { call } from './server.js';
import { repository } from './source-tree.js';
import { t } from './tap.js';

const isForDocs = process.env['SCREENSHOTS'] === 'docs';
const directory = join(repository, isForDocs ? 'docs/pictures' : '.screenshots/company');
const shots = [
  { colorScheme: 'light', width: 800 },
  ...(isForDocs ? [] : [{ colorScheme: 'dark', width: 800 } as const, { colorScheme: 'light', width: 360 } as const]),
] as const;

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await takeAll(chromium);

async function takeAll(executablePath: string): Promise<void> {
  await t.test('the identity provider of latchkey dev', async (t) => {
    mkdirSync(directory, { recursive: true });
    const { url: DATABASE_URL } = await createTestDatabase(t);
    const app = await serveOnLoopback(t, (_request, response) => response.end('In'));
    const { url } = await startDev(t, { DATABASE_URL, AUTH_SITE_URL: app }, ['--company']);
    const page = await (await (await openBrowser(t, executablePath)).newContext()).newPage();
    const take = (name: string) => takeShots(page, name, new URL(url).port);
    const body = { domain: 'company.example', redirect_to: app, skip_http_redirect: true };
    await page.goto((await call(url, 'POST', '/sso', { body })).body.url);
    await page.getByText('The request').click();
    await take('company-sign-in');
    await page.goto((await call(url, 'POST', '/sso', { body })).body.url);
    await page.getByLabel('Answer with').selectOption('audience');
    await page.getByRole('button', { name: 'Ada Lovelace' }).click();
    await take('company-fault');
    await page.goto((await call(url, 'POST', '/sso', { body })).body.url);
    await page.getByRole('button', { name: 'Ada Lovelace' }).click();
    await page.waitForURL(`${app}/**`);
    await page.goto(`${url}/dev/identity-provider`);
    await page.getByRole('button', { name: 'Sign in as Ada Lovelace' }).click();
    await page.getByText('"email": "ada@company.example"').waitFor();
    await take('company-arrival');
    await page.goto(`${url}/dev/identity-provider`);
    await page.locator('details summary').first().click();
    await take('company-messages');
    t.ok(
      await page
        .getByText('AuthnRequest')
        .first()
        .waitFor()
        .then(() => true),
    );
  });
}

/** @param port of this run, which pictures are not to show */
async function takeShots(page: Page, name: string, port: string): Promise<void> {
  await page.evaluate(`document.body.innerHTML = document.body.innerHTML.replaceAll('${port}', '8081')`);
  for (const { colorScheme, width } of shots) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 400 });
    const suffix = isForDocs ? '' : `.${colorScheme}.${width}`;
    await page.screenshot({ path: join(directory, `${name}${suffix}.png`), fullPage: true });
  }
}
