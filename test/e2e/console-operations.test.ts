/** Operators at work in a browser: keys, limits, mails, settings and checks, with every state of the pages. */
import type { Locator } from 'playwright-core';
import { assertPagesSound, findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { freshEmail, password } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, t, takesMinutesInFull } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull(
  'pages of the console in a browser, 9 s of processor time; the same by HTTP: console-keys, console-limits, console-mail',
);
takesMinutesInFull('a dozen ways through the console');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

const colourOf = (element: Locator): Promise<string> =>
  element.evaluate((node) => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
    return (globalThis as any).getComputedStyle(node).color;
  });

async function run(executablePath: string): Promise<void> {
  const mailServer = await openTestMailServer(t);
  const { console, origin, enter } = await openConsolePages(t, executablePath, {
    ...{ SMTP_HOST: '127.0.0.1', SMTP_PORT: String(mailServer.port), SMTP_ADMIN_EMAIL: 'no-reply@example.com' },
    ...{ JWT_KEYS_SOURCE: 'database', RATE_LIMIT_HEADER: 'X-Client-IP', RATE_LIMIT_TOKEN_REFRESH: '1' },
    MAILER_SUBJECTS_RECOVERY: 'Reset it',
  });
  const { admin } = console.database;

  t.test('keys: the first rotation, and what each stage offers', async (t) => {
    const { page, faults } = await enter('owner', { path: '/keys' });
    await page.getByText('AUTH_JWT_SECRET signs').waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rotate the signing key' });
    await dialog.getByLabel('It signs').selectOption('0');
    await dialog.getByLabel('Reason').fill('yearly');
    t.same(await findPageFaults(page), []);
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const secret = page.getByRole('row').filter({ hasText: 'jwt-secret' });
    await secret.getByText('the last one expires').waitFor();
    await matchSoon(t, () => secret.textContent(), /previous/);
    await equalSoon(t, () => page.getByRole('row').filter({ hasText: 'new ones are signed' }).count(), 1);
    t.same(await findPageFaults(page), []);

    await secret.getByRole('button', { name: 'retire jwt-secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retire' }).click();
    await matchSoon(
      t,
      () => page.getByRole('alert').textContent(),
      /its tokens may live/,
      'a conflict stays in the dialog',
    );
    await page.keyboard.press('Escape');
    await secret.getByRole('button', { name: 'revoke jwt-secret' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter');
    await secret.getByText('refused').waitFor();
    await equalSoon(t, () => secret.getByRole('button', { name: 'revoke' }).count(), 0);
    t.same(faults, []);

    const viewer = await enter('viewer', { path: '/keys' });
    await viewer.page.getByText('new ones are signed').waitFor();
    await equalSoon(
      t,
      () => viewer.page.getByRole('button', { name: 'Rotate' }).count(),
      0,
      'a viewer changes nothing',
    );
  });

  t.test('limits: who is held back, by list and by address, and forgiven', async (t) => {
    const client = { 'x-client-ip': '192.0.2.9' };
    const body = { refresh_token: 'x' };
    for (let n = 0; n < 31; n++) {
      await console.call('POST', '/token?grant_type=refresh_token', { body, headers: client });
    }
    const email = freshEmail();
    await console.post('/signup', { email, password });
    for (let n = 0; n < 3; n++) await console.post('/token?grant_type=password', { email, password: 'wrong' });
    const { page, faults } = await enter('support', { path: '/limits' });
    const row = page.getByRole('row').filter({ hasText: '192.0.2.9' });
    await row.getByText('held back').waitFor();
    t.same(await findPageFaults(page), []);
    await row.getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forgive' }).click();
    await page.getByText('Nobody is held back').waitFor();

    await page.getByLabel(/^Email, number or id/).fill(email);
    await page.keyboard.press('Enter');
    await page
      .getByRole('table', { name: `Counters of ${email}` })
      .getByText('Wrong passwords')
      .waitFor();
    await equalSoon(t, () => page.getByRole('link', { name: 'The account' }).isVisible(), true);
    t.same(await findPageFaults(page), []);
    t.same(faults, []);
  });

  t.test('mails: why they wait, tried again, and previews in a frame of their own', async (t) => {
    mailServer.react = (step) => (step === 'recipient' ? { code: 450, text: 'greylisted' } : 'accept');
    const email = freshEmail();
    await console.post('/signup', { email, password });
    await console.post('/recover', { email });
    await until(async () => (await admin.query('select from outbox where failure is not null')).rows.length === 1);
    const { page, faults } = await enter('admin', { path: '/mail' });
    await page.getByText(/× naming the recipient/).waitFor();
    await matchSoon(t, () => page.getByRole('row').filter({ hasText: email }).textContent(), /greylisted/);
    t.same(await findPageFaults(page), []);
    mailServer.react = () => 'accept';
    await page.getByLabel(`Select recovery to ${email}`).check();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Try now' }).click();
    await mailServer.waitForMails(1);
    await until(async () => (await admin.query('select from outbox')).rows.length === 0);
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByText('Nothing waits').waitFor();

    await page.getByRole('link', { name: 'Given up' }).click();
    await page.getByText('Nothing was given up').waitFor();
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByLabel('Kind').selectOption('recovery');
    await page.getByText('Reset it').first().waitFor();
    const frame = page.frameLocator('iframe').frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Reset your password' }).waitFor();
    t.match(
      await frame.getByRole('link', { name: 'Choose a new password' }).evaluate((link) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        return (globalThis as any).getComputedStyle(link).backgroundColor;
      }),
      'rgb(36, 87, 197)',
      'styles of the mail apply',
    );
    t.same(await findPageFaults(page), []);
    await page.getByLabel('HTML, dark').check();
    const heading = frame.getByRole('heading', { name: 'Reset your password' });
    // The frame loads again, and what is asked meanwhile fails.
    await until(async () => (await colourOf(heading).catch(() => '')) === 'rgb(255, 255, 255)');
    await page.getByLabel('Plain text').check();
    await page.getByLabel('The mail in plain text').getByText('Reset your password').waitFor();
    await page.getByRole('button', { name: 'Send me this mail' }).click();
    await page.getByText(/accepted the mail to admin-\d+@example/).waitFor();
    t.equal((await mailServer.waitForMails(2))[1]!.subject, 'Reset it');
    t.same(await findPageFaults(page), []);
    t.same(faults, []);
  });

  t.test('settings: found by words, compared, checked', async (t) => {
    const { page, faults } = await enter('admin', { path: '/configuration' });
    const smtp = page.getByRole('row').filter({ hasText: 'AUTH_SMTP_HOST' });
    await smtp.getByText('127.0.0.1').waitFor();
    await matchSoon(t, () => smtp.textContent(), /environment/);
    await equalSoon(t, () => page.getByText('test-secret').count(), 0);
    await page.getByLabel('Search').fill('refresh token');
    await page.waitForURL(/q=refresh/);
    t.same(await findPageFaults(page), []);
    await page.getByRole('link', { name: 'Compare with a .env' }).click();
    await page.getByLabel('Text of a .env file').fill('AUTH_SITE_URL=https://app.example.com\nAUTH_JWT_SECRET=x');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('row').filter({ hasText: 'https://app.example.com' }).waitFor();
    t.same(await findPageFaults(page), []);
    await page.getByRole('link', { name: 'Checks' }).click();
    await page.getByRole('button', { name: 'Run check db' }).click();
    await page.getByLabel('What the check db printed').getByText('The database is well').waitFor();
    await page.getByText('passed', { exact: true }).first().waitFor();
    t.same(await findPageFaults(page), []);
    t.same(faults, []);
  });

  t.test('every page: forbidden, loading, error, stale, light and dark, wide and narrow', async (t) => {
    const paths = [
      '/keys',
      '/limits',
      '/mail',
      '/mail?tab=given-up',
      '/mail?tab=templates',
      '/configuration',
      '/configuration?tab=checks',
    ];
    await assertPagesSound(t, await enter('viewer'), paths);
    const { page } = await enter('viewer', { path: '/mail' });
    await page.getByText('What waits needs the role support.').waitFor();
    for (const [path, api] of [
      ['/keys', '/api/keys'],
      ['/limits', '/api/limits'],
      ['/mail?tab=given-up', '/api/mail/failures*'],
      ['/configuration', '/api/settings'],
    ] as const) {
      let isBroken = true;
      await page.route(`${origin}${api}`, (route) => {
        if (!isBroken) return route.continue();
        return route.fulfill({
          status: 500,
          json: { error_code: 'unexpected_failure', msg: 'Broken', error_id: 'e-1' },
        });
      });
      await page.goto(`${origin}${path}`);
      await matchSoon(t, () => page.getByRole('alert').textContent(), /Broken.*e-1/s, path);
      isBroken = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await page.unroute(`${origin}${api}`);
    }
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`${origin}/api/keys`, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${origin}/keys`);
    await page.locator('.skeleton[aria-busy="true"]').waitFor();
    release();
    await page.locator('.skeleton').waitFor({ state: 'detached' });
  });
}
