/** docs/guides/plain-page.md: its page, in a browser. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDev } from '../support/dev-server.js';
import { freePort } from '../support/free-port.js';
import { findExample, type InstalledExample, messageTo, openExample } from '../support/guide-example.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { freshEmail, password } from '../support/server.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('it installs packages, and starts a server and a browser');

/** What a wrong code is answered with. */
const EXPECTED = /status of 403 .*\/verify$/;
/**
 * The client renews a session in the last 90 seconds of its token, by what it has stored. A token that lives hardly longer would be
 * renewed twice in a row, and the slower of two tabs would come with one that is used up.
 */
const END_SOON = `(() => {
  const session = JSON.parse(localStorage.getItem('session'));
  localStorage.setItem('session', JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) + 60 }));
})()`;

const chromium = findChromium();
const found = await findExample('plain-page');
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else if (typeof found === 'string') skipHere(t, found);
else t.test('the page of the guide', { timeout: 300_000 }, (t) => testPage(t, chromium, found));

async function testPage(t: Test, executablePath: string, found: InstalledExample): Promise<void> {
  const { url } = await startDev(t, { AUTH_MAILER_AUTOCONFIRM: 'false' });
  const port = await freePort();
  const example = await openExample(t, found);
  for (const name of ['app.js', 'public/index.html']) {
    const path = join(example.folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('http://localhost:8081', url));
  }
  const origin = await example.start(['serve.js'], { PORT: String(port) }).line(/Open (\S+)/);

  const context = await (await openBrowser(t, executablePath)).newContext();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (line) => {
    const fault = `${line.text()} ${line.location().url}`;
    if (line.type() === 'error' && !EXPECTED.test(fault)) faults.push(fault);
  });
  const email = freshEmail();
  const stored = async (): Promise<{ refresh_token: string }> =>
    JSON.parse(await page.evaluate<string>("localStorage.getItem('session')"));

  await t.test('a code of a mail signs in, and a wrong one does not', async (t) => {
    await page.goto(origin);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send me a code' }).click();
    const { codes } = await messageTo(url, email);
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Token has expired or is invalid').waitFor();
    await page.getByLabel('Code').fill(codes[0]!);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(`Hello ${email}`).waitFor();
    await page.getByRole('button', { name: 'Ask the server' }).click();
    await matchSoon(t, () => page.textContent('#reply'), /^You are [\da-f-]{36}$/);
  });

  await t.test('two tabs renew at once; one signs out, and the other shows it', async (t) => {
    const other = await context.newPage();
    await other.goto(origin);
    await other.getByText(`Hello ${email}`).waitFor();
    const before = await stored();
    await page.evaluate(END_SOON);
    await Promise.all([page.reload(), other.reload()]);
    await until(async () => (await stored()).refresh_token !== before.refresh_token);
    for (const tab of [page, other]) {
      await tab.getByRole('button', { name: 'Ask the server' }).click();
      await matchSoon(t, () => tab.textContent('#reply'), /^You are /);
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('button', { name: 'Send me a code' }).waitFor();
    t.equal(await page.evaluate("localStorage.getItem('session')"), null);
    await other.close();
  });

  await t.test('the link of a mail signs in', async (t) => {
    const newcomer = freshEmail();
    await page.getByLabel('Email').fill(newcomer);
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.goto((await messageTo(url, newcomer)).links[0]!);
    await page.getByText(`Hello ${newcomer}`).waitFor();
    await equalSoon(t, async () => page.url(), `${origin}/`, 'no code is left in the address');
    await page.getByRole('button', { name: 'Sign out' }).click();
  });

  await t.test('the hosted pages sign in and lead back', async (t) => {
    const newcomer = freshEmail();
    await page.getByRole('button', { name: 'Other ways to sign in' }).click();
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('Email').fill(newcomer);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel('Code').fill((await messageTo(url, newcomer)).codes[0]!);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(`Hello ${newcomer}`).waitFor();
    t.same(faults, [], 'the policy lets all of it through');
  });
}
