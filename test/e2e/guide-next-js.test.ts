/** docs/guides/next-js.md: its application, built with Next.js, in a browser. */
import type { BrowserContext, Page } from 'playwright-core';
import { startDev } from '../support/dev-server.js';
import { freePort } from '../support/free-port.js';
import { findExample, type InstalledExample, openExample } from '../support/guide-example.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { call, freshEmail, password } from '../support/server.js';
import { onlyInFull, type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('it installs Next.js and builds an application, 60 s of processor time');

/** The client renews a session in the last 90 seconds of its token. */
const [MARGIN, LIFETIME] = [90, 96];
const secondsNow = () => Date.now() / 1000;

const chromium = findChromium();
const found = await findExample('next-js');
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else if (typeof found === 'string') skipHere(t, found);
else t.test('the application of the guide', { timeout: 600_000 }, (t) => testApplication(t, chromium, found));

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_at: number;
}

async function testApplication(t: Test, executablePath: string, found: InstalledExample): Promise<void> {
  const { url } = await startDev(t, { AUTH_JWT_EXP: String(LIFETIME), AUTH_MAILER_AUTOCONFIRM: 'false' });
  const [port, apiPort] = [await freePort(), await freePort()];
  const app = `http://localhost:${port}`;
  const example = await openExample(t, found);
  const next = 'node_modules/next/dist/bin/next';
  const variables = {
    LATCHKEY_URL: url,
    APP_URL: app,
    API_URL: `http://localhost:${apiPort}`,
    API_PORT: String(apiPort),
  };
  await example.run([next, 'build'], variables);
  const api = example.start(['api.js'], variables);
  await api.line(/API at/);
  const server = example.start([next, 'start', '-p', String(port)], variables);
  await server.line(/Ready/);

  const context = await (await openBrowser(t, executablePath)).newContext();
  const page = await context.newPage();
  const email = freshEmail();
  const welcome = (of: Page) => of.getByRole('heading', { name: `Hello ${email}` }).waitFor();

  await t.test('a visitor is led to the sign-in', async (t) => {
    await page.goto(`${app}/account`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    t.equal(page.url(), `${app}/sign-in`);
  });

  await t.test('sign up, and the link of the mail signs in', async (t) => {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('We have sent you a mail.').waitFor();
    await page.goto((await messageTo(url, email)).links[0]!);
    await welcome(page);
    t.equal(page.url(), `${app}/account`);
    const { sub } = claimsOf((await tokensOf(context)).access_token);
    await page.getByText(`First order of ${sub}`).waitFor();
    t.equal(await page.evaluate('document.cookie'), '', 'scripts see no session');
  });

  await t.test('sign out, a wrong password, and in again', async (t) => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Invalid login credentials').waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await welcome(page);
    t.equal(page.url(), `${app}/account`);
  });

  await t.test('two tabs and many requests renew at once, and all go on', async (t) => {
    const other = await context.newPage();
    for (let round = 0; round < 2; round++) {
      const before = await tokensOf(context);
      await until(() => before.expires_at - secondsNow() < MARGIN - 1);
      const requests = Array.from({ length: 8 }, async () => {
        const response = await context.request.get(`${app}/account`);
        t.match(await response.text(), email);
        return response.headers()['set-cookie'];
      });
      await Promise.all([...requests, page.reload(), other.goto(`${app}/account`)]);
      await Promise.all([welcome(page), welcome(other)]);
      const after = await tokensOf(context);
      t.not(after.refresh_token, before.refresh_token, 'renewed');
      t.equal(claimsOf(after.access_token).session_id, claimsOf(before.access_token).session_id);
      const given = new Set(
        (await Promise.all(requests)).filter(Boolean).map((line) => /refresh_token%22%3A%22([^%]+)/.exec(line!)![1]),
      );
      t.same([...given], [after.refresh_token], 'all requests got the same one');
    }
  });

  await t.test('a sign-out in one tab ends the session in all', async (t) => {
    const { refresh_token } = await tokensOf(context);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    t.same(
      (await context.cookies(app)).filter(({ name }) => name.startsWith('session')),
      [],
    );
    const other = context.pages()[1]!;
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    const refused = await call(url, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token } });
    t.match(refused, { status: 400, body: { error_code: 'refresh_token_not_found' } });
  });

  await t.test('the hosted pages sign in and lead back', async (t) => {
    const newcomer = freshEmail();
    await page.goto(`${app}/sign-in`);
    await page.getByRole('button', { name: 'Other ways to sign in' }).click();
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('Email').fill(newcomer);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel('Code').fill((await messageTo(url, newcomer)).codes[0]!);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: `Hello ${newcomer}` }).waitFor();
    t.equal(page.url(), `${app}/account`);
  });

  await t.test('a forged session, and a code of another browser, sign nobody in', async (t) => {
    const stranger = await (await openBrowser(t, executablePath)).newContext();
    const tokens = { access_token: 'e30.e30.e30', refresh_token: 'x', expires_at: 2 ** 40, token_type: 'bearer' };
    const value = encodeURIComponent(JSON.stringify(tokens));
    await stranger.addCookies([{ name: 'session.0', value, url: app }]);
    const visit = await stranger.newPage();
    await visit.goto(`${app}/account`);
    t.equal(visit.url(), `${app}/sign-in`);
    await visit.goto(`${app}/callback?code=${crypto.randomUUID()}`);
    await visit.getByText('That did not work.').waitFor();
  });
}

async function tokensOf(context: BrowserContext): Promise<Tokens> {
  const parts = (await context.cookies()).filter(({ name }) => /^session\.\d$/.test(name));
  parts.sort((a, b) => a.name.localeCompare(b.name));
  return JSON.parse(decodeURIComponent(parts.map(({ value }) => value).join('')));
}

function claimsOf(token: string): { sub: string; session_id: string } {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
}

interface Message {
  readonly links: readonly string[];
  readonly codes: readonly string[];
}

async function messageTo(url: string, email: string): Promise<Message> {
  let message: Message | undefined;
  await until(async () => {
    const response = await fetch(`${url}/dev/mailbox/messages.json?to=${encodeURIComponent(email)}`);
    [message] = ((await response.json()) as { messages: Message[] }).messages;
    return message !== undefined;
  });
  return message!;
}
