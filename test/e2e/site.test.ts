/** `npm run site`: it builds, `latchkey dev` serves it under a strict policy, and its search finds what a newcomer looks for. */
import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { SITE } from '../../src/dev/site/build-site.js';
import { siteRoutes } from '../../src/dev/site/routes.js';
import type { Route } from '../../src/server/http/types.js';
import { tryApi } from '../support/api-console-page.js';
import { findChromium, openBrowser, PAGE_PATIENCE_MS } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { watchPolicyFaults } from '../support/policy-faults.js';
import { onlyInFull, t, takesMinutesInFull } from '../support/tap.js';
import { openTestEdge, type TestContext } from '../support/test-edge.js';

onlyInFull('a build takes 13 s of processor time; structure and links: conventions/site');
takesMinutesInFull('it builds the documentation and visits it');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

/** What is searched, and the page that answers it. */
const SEARCHES = [
  ['rotate keys', 'keys.html'],
  ['403 insufficient_aal', 'errors/factors.html#insufficient_aal'],
  ['behind nginx', 'proxies.html'],
  ['move from supabase', 'moving-in.html'],
  ['AUTH_SITE_URL', 'settings.html#auth_site_url'],
  ['next.js', 'guides/next-js.html'],
  ['verify token python', 'guides/protect-an-api-python.html'],
  ['scim entra', 'scim.html#entra-id'],
] as const;

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  // These handlers use nothing of their context.
  const routes = siteRoutes() as unknown as Route<TestContext>[];
  const edge = await openTestEdge({ routes });
  t.teardown(() => edge.close());
  const site = `http://127.0.0.1:${edge.port}/docs/`;
  rmSync(SITE, { recursive: true, force: true });

  async function openPage(name: string): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext();
    context.setDefaultTimeout(PAGE_PATIENCE_MS);
    const page = await context.newPage();
    const faults = watchPolicyFaults(page);
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(site + name);
    return { page, faults };
  }

  t.test('the first visit builds the site, says so, and shows it', async (t) => {
    const answer = await fetch(site);
    t.equal(answer.status, 200);
    t.match(answer.headers.get('content-security-policy'), /^default-src 'none'; base-uri/);
    t.match(await answer.text(), /<meta http-equiv="refresh".*is being built/s);
    const { page, faults } = await openPage('');
    // As long as the build takes, which the load decides; only the limit of the whole file ends it.
    await page.getByRole('link', { name: 'Start in two minutes' }).waitFor({ timeout: 0 });
    t.same(faults, []);
  });

  t.test('the first page leads to the start, and from there through the sidebar', async (t) => {
    const { page, faults } = await openPage('');
    await page.getByRole('link', { name: 'Start in two minutes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Start in two minutes' }).waitFor();
    const sidebar = page.getByRole('navigation', { name: 'Sidebar' });
    await sidebar.getByRole('link', { name: 'Concepts' }).click();
    await page.getByRole('heading', { level: 1, name: 'Concepts' }).waitFor();
    const picture = page.locator('img[alt^="A user has"]');
    t.ok(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0));
    await sidebar.getByRole('link', { name: 'Settings', exact: true }).click();
    // Templates in the text are text.
    await page.getByText('Your code is {{ .Code }}', { exact: true }).first().waitFor();
    t.same(faults, []);
    const answer = await fetch(`${site}settings.html`);
    t.match(
      answer.headers.get('content-security-policy'),
      /^default-src 'none'; script-src 'self' 'sha256-[^;]*; style-src 'self';/,
    );
    t.equal((await fetch(`${site}none.html`)).status, 404);
    for (const typed of ['guides/next-js', 'guides/next-js.md'])
      t.equal((await fetch(site + typed)).url, `${site}guides/next-js.html`, typed);
    t.not((await fetch(`${site}..%2fsite-source%2findex.md`)).status, 200);
    t.match(await (await fetch(`${site}files/deploy/proxies/nginx.conf`)).text(), 'proxy_pass');
  });

  t.test('an address without a page says so, and names the search', async (t) => {
    const context = await browser.newContext();
    context.setDefaultTimeout(PAGE_PATIENCE_MS);
    const page = await context.newPage();
    await page.goto(`${site}none`);
    await page.getByText('The search finds pages by their words.').waitFor();
    await page.getByRole('link', { name: 'To the first page' }).click();
    await page.getByRole('link', { name: 'Start in two minutes' }).waitFor();
    t.equal(page.url(), site);
  });

  t.test('on a phone tables and names stay within the page, and each cell says its column', async (t) => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    context.setDefaultTimeout(PAGE_PATIENCE_MS);
    const page = await context.newPage();
    for (const name of ['api', 'settings', 'errors/factors', 'compatibility/endpoints', 'compatibility/settings']) {
      await page.goto(`${site}${name}.html`);
      await page.locator('.vp-doc table').first().waitFor();
      const wide = await page
        .locator('.vp-doc table')
        .evaluateAll((tables) => tables.filter((table) => table.scrollWidth > table.clientWidth).length);
      t.equal(wide, 0, name);
    }
    await page.goto(`${site}settings.html`);
    await page.locator('#auth_site_url td[data-label="Meaning"]').waitFor();
    const label = `getComputedStyle(document.querySelector('#auth_site_url td:last-child'), '::before').content`;
    t.equal(await page.evaluate(label), '"Meaning"');
  });

  t.test('the rows of settings can be filtered, and sections without one go', async (t) => {
    const { page, faults } = await openPage('settings.html');
    await page.getByRole('searchbox', { name: 'Filter the rows' }).fill('secret signs access');
    await page.getByRole('heading', { name: 'Rate limits' }).waitFor({ state: 'hidden' });
    await page.locator('#auth_jwt_secret').waitFor();
    await page.locator('#auth_jwt_exp').waitFor({ state: 'hidden' });
    await page.getByRole('searchbox', { name: 'Filter the rows' }).fill('');
    await page.getByRole('heading', { name: 'Rate limits' }).waitFor();
    t.same(faults, []);
  });

  t.test('the search finds the page among the first three', async (t) => {
    const { page, faults } = await openPage('start.html');
    await page.getByRole('button', { name: 'Search' }).click();
    const results = page.locator('#localsearch-list a.result');
    for (const [words, wanted] of SEARCHES) {
      await page.locator('#localsearch-input').fill('');
      await results.first().waitFor({ state: 'detached' });
      await page.locator('#localsearch-input').fill(words);
      await page.locator(`#localsearch-list a.result[href*="/docs/${wanted}"]`).first().waitFor();
      const found = await results.evaluateAll((links) => links.map((link) => link.getAttribute('href')!));
      const first = found.slice(0, 3);
      t.ok(
        first.some((href) => href.startsWith(`/docs/${wanted}`)),
        `${words}: ${first.join(' ')}`,
      );
    }
    t.same(faults, []);
  });

  t.test('the forms of the API call the server that serves the page, under its policy', (t) => tryApi(t, browser));
}
