/** What the web applications of guides do in a browser; all have the same pages, words and cookies. */
import type { BrowserContext, Page } from 'playwright-core';
import type { DevServer } from './dev-server.js';
import { messageTo } from './guide-example.js';
import { openBrowser } from './mailbox-page.js';
import { call, freshEmail, password } from './server.js';
import { equalSoon } from './soon.js';
import type { Test } from './tap.js';

/** For `startDev`: mails as in production. */
export const guideSettings = { AUTH_MAILER_AUTOCONFIRM: 'false' };

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/**
 * @param server with `guideSettings`
 * @param app address of the application
 */
export async function testWebApplication(
  t: Test,
  executablePath: string,
  { url }: DevServer,
  app: string,
): Promise<void> {
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
    await equalSoon(t, () => page.getByLabel('Email').inputValue(), email, 'the address is kept');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await welcome(page);
    t.equal(page.url(), `${app}/account`);
  });

  await t.test('two tabs and many requests renew at once, and all go on', async (t) => {
    const other = await context.newPage();
    for (let round = 0; round < 2; round++) {
      const before = await tokensOf(context);
      await endSoon(context);
      const requests = Array.from({ length: 8 }, async () => {
        // A connection that is kept may be closed at this moment, and this client does not try again.
        const response = await context.request.get(`${app}/account`, { headers: { connection: 'close' } });
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

/** The session, encoded, in parts. */
async function cookiesOf(context: BrowserContext) {
  const parts = (await context.cookies()).filter(({ name }) => /^session\.\d$/.test(name));
  parts.sort((a, b) => a.name.localeCompare(b.name));
  return { parts, text: parts.map(({ value }) => value).join('') };
}

async function tokensOf(context: BrowserContext): Promise<Tokens> {
  return JSON.parse(decodeURIComponent((await cookiesOf(context)).text));
}

/**
 * Makes the session one that its client renews, which it does in the last 90 seconds, by what it has stored. Tokens that live hardly
 * longer would be renewed again meanwhile, and the slowest request would come with one that is used up.
 */
async function endSoon(context: BrowserContext): Promise<void> {
  const { parts, text } = await cookiesOf(context);
  const ending = text.replace(/(?<=expires_at%22%3A)\d{10}/, String(Math.floor(Date.now() / 1000) + 60));
  const cookies: typeof parts = [];
  let begin = 0;
  for (const cookie of parts) {
    const value = ending.slice(begin, begin + cookie.value.length);
    cookies.push({ ...cookie, value });
    begin += value.length;
  }
  await context.addCookies(cookies);
}

function claimsOf(token: string): { sub: string; session_id: string } {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
}
