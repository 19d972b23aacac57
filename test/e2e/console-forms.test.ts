/** Settings that operators change in a browser: drafts, faults, secrets, locks, roles, two operators, and the way back. */
import type { Page } from 'playwright-core';
import { enterByKeyboard } from '../support/console-keyboard.js';
import { awaitNoDialog, findPageFaults, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { equalSoon, matchSoon, sameSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull(
  'forms of the console in a browser, 15 s of processor time; the same by HTTP: console-config, console-drafts',
);

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

const bar = (page: Page) => page.getByRole('region', { name: 'Changes that are not applied' });
const fieldOf = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const stateOf = (page: Page, label: string) =>
  page.locator('.setting').filter({ has: page.getByText(label, { exact: true }) });

async function apply(page: Page, comment = ''): Promise<void> {
  await bar(page).getByRole('button', { name: 'Apply', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(comment);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await awaitNoDialog(page);
}

async function run(executablePath: string): Promise<void> {
  const pages = await openConsolePages(t, executablePath);
  const { console, origin, enter } = pages;
  const isClosed = async () => (await console.call('GET', '/settings')).body.disable_signup;

  t.test('a draft over two tabs: its faults, applied as one, and undone from the history', async (t) => {
    const { page, faults } = await enter('owner', { path: '/sign-in-rules' });
    await fieldOf(page, 'New accounts by invitation only').check();
    await page.getByRole('link', { name: 'Passwords' }).click();
    await fieldOf(page, 'Minimum length').fill('twelve');
    await bar(page).getByText('2 changes').click();
    await bar(page).getByRole('button', { name: 'Check' }).click();
    const length = stateOf(page, 'Minimum length');
    await length.getByText('must be a whole number').waitFor();
    await equalSoon(t, () => bar(page).getByRole('button', { name: 'Apply' }).isDisabled(), true);
    t.same(await findPageFaults(page), []);
    t.equal(await isClosed(), false, 'nothing was applied');
    await page.reload();
    await fieldOf(page, 'Minimum length').waitFor();
    await equalSoon(t, () => fieldOf(page, 'Minimum length').inputValue(), 'twelve', 'the draft is kept');
    await fieldOf(page, 'Minimum length').fill('12');
    await apply(page, 'a closed beta');
    await length.getByText('set here').waitFor();
    await equalSoon(t, () => bar(page).count(), 0);
    await until(isClosed);

    await page.goto(`${origin}/configuration/history`);
    const set = page.getByRole('article').first();
    await set.getByText('a closed beta').waitFor();
    await set.getByRole('row', { name: 'AUTH_PASSWORD_MIN_LENGTH not set 12' }).waitFor();
    t.same(await findPageFaults(page), []);
    await set.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('article').nth(1).waitFor();
    await until(async () => !(await isClosed()));
    await page.getByRole('button', { name: 'Back to this: the state of set 1' }).click();
    await page.getByRole('article').nth(2).waitFor();
    await until(isClosed);
    t.same(faults, []);
  });

  t.test('the list of settings leads to the field; what the environment sets is locked', async (t) => {
    const { page } = await enter('owner', { path: '/configuration?q=SESSIONS_TIMEBOX' });
    await page.getByRole('link', { name: 'in the console' }).click();
    await equalSoon(t, () => fieldOf(page, 'Maximum age').evaluate((field) => field.matches(':focus')), true);
    await page.goto(`${origin}/configuration?q=AUTH_SITE_URL`);
    await page.getByRole('link', { name: 'locked' }).click();
    const site = stateOf(page, 'Site');
    await site.getByText('set in environment').click();
    await site.getByText('latchkey config import --only AUTH_SITE_URL').waitFor();
    await equalSoon(t, () => fieldOf(page, 'Site').isDisabled(), true);
    await equalSoon(t, () => fieldOf(page, 'Site').inputValue(), 'http://localhost:3000');
  });

  t.test('a secret is written and never shown, and no draft keeps it', async (t) => {
    const secret = 'a-secret-of-the-captcha-service';
    const { page } = await enter('owner', { path: '/limits?tab=settings' });
    const field = stateOf(page, 'Secret');
    await field.getByRole('button', { name: 'Set: Secret' }).click();
    await page.keyboard.type(secret);
    // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
    const stored = await page.evaluate(() => JSON.stringify((globalThis as any).sessionStorage));
    t.match(stored, /AUTH_SECURITY_CAPTCHA_SECRET/);
    t.notMatch(stored, secret);
    await page.reload();
    await bar(page).getByText('a draft keeps no secrets').waitFor();
    t.same(await findPageFaults(page), []);
    await field.getByRole('button', { name: 'Set: Secret' }).click();
    await page.keyboard.type(secret);
    await equalSoon(t, () => bar(page).getByText('a draft keeps no secrets').count(), 0);
    await apply(page);
    await field.getByText('Set, fingerprint').waitFor();
    t.notMatch(await page.content(), secret);
    await field.getByRole('button', { name: 'Remove: Secret' }).click();
    await field.getByText('Will be removed').waitFor();
    await bar(page).getByRole('button', { name: 'Discard' }).click();
    await field.getByText('Set, fingerprint').waitFor();
  });

  t.test('two operators: what both have changed is chosen, the rest goes together', async (t) => {
    const [ada, grace] = [await enter('owner', { path: '/sms' }), await enter('owner', { path: '/sms' })];
    await fieldOf(ada.page, 'Digits of a code').fill('8');
    await fieldOf(ada.page, 'Codes are valid for').fill('2m');
    await fieldOf(grace.page, 'Digits of a code').fill('7');
    await fieldOf(grace.page, 'Time between two messages').fill('90');
    await apply(grace.page);
    await fieldOf(grace.page, 'Codes are valid for').fill('3m');
    await apply(ada.page);
    await bar(ada.page).getByText('Changed meanwhile').waitFor();
    t.same(await findPageFaults(ada.page), []);
    await bar(ada.page).getByRole('button', { name: 'Theirs: 7' }).click();
    await apply(ada.page);
    await stateOf(ada.page, 'Time between two messages').getByText('set here').waitFor();
    const shown = ['Digits of a code', 'Codes are valid for', 'Time between two messages'];
    const values = () => Promise.all(shown.map((label) => fieldOf(ada.page, label).inputValue()));
    await sameSoon(t, values, ['7', '2m', '90']);

    // Her page has learnt of the newer set by itself: the draft still began before it.
    await apply(grace.page);
    await bar(grace.page).getByRole('button', { name: 'Theirs: 2m' }).waitFor();
    await fieldOf(ada.page, 'Codes are valid for').fill('4m');
    await apply(ada.page);
    await bar(grace.page).getByRole('button', { name: 'Yours: 3m' }).click();
    await apply(grace.page);
    await bar(grace.page).getByRole('button', { name: 'Theirs: 4m' }).waitFor();
    await bar(grace.page).getByRole('button', { name: 'Yours: 3m' }).click();
    await apply(grace.page);
    await equalSoon(t, () => bar(grace.page).count(), 0);
    await equalSoon(t, () => fieldOf(grace.page, 'Codes are valid for').inputValue(), '3m');
  });

  t.test('roles: administrators change all but secrets and hooks, others read', async (t) => {
    const admin = (await enter('admin', { path: '/limits?tab=settings' })).page;
    await equalSoon(t, () => admin.getByRole('button', { name: /: Secret$/ }).isDisabled(), true);
    await equalSoon(t, () => fieldOf(admin, 'Ask for a captcha').isEnabled(), true);
    await admin.goto(`${origin}/hooks?tab=settings&setting=AUTH_HOOK_SEND_SMS_ENABLED`);
    await admin.locator('.setting.wanted').getByText('Owners change it.').waitFor();
    await equalSoon(t, () => admin.locator('.setting :is(input, select, textarea, button):enabled').count(), 0);
    const viewer = (await enter('viewer', { path: '/oauth-server' })).page;
    await viewer.getByText('Changing settings needs the role admin.').waitFor();
    await equalSoon(t, () => viewer.locator('.setting :is(input, select, textarea, button):enabled').count(), 0);
    await viewer.goto(`${origin}/configuration/history`);
    await viewer.getByRole('article').first().waitFor();
    await equalSoon(t, () => viewer.getByRole('button', { name: /Undo|Back to this/ }).count(), 0);
  });

  t.test('a draft of another operator is not taken over', async (t) => {
    const { page } = await enter('owner', { path: '/sms' });
    await fieldOf(page, 'Digits of a code').fill('9');
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
      const { sessionStorage } = globalThis as any;
      const draft = JSON.parse(sessionStorage.getItem('settings-draft'));
      sessionStorage.setItem('settings-draft', JSON.stringify({ ...draft, operatorId: 'somebody else' }));
    });
    await page.reload();
    await fieldOf(page, 'Digits of a code').waitFor();
    await equalSoon(t, () => bar(page).count(), 0);
    await equalSoon(t, () => fieldOf(page, 'Digits of a code').inputValue(), '7');
  });

  t.test('what does not work when it is tried is stored only all the same', async (t) => {
    const { page } = await enter('owner', { path: '/hooks?tab=settings&setting=AUTH_HOOK_SEND_SMS_ENABLED' });
    await page.locator('#AUTH_HOOK_SEND_SMS_ENABLED').check();
    await page.locator('#AUTH_HOOK_SEND_SMS_URI').fill('http://127.0.0.1:9/sms');
    const keys = page.locator('.setting').filter({ hasText: 'AUTH_HOOK_SEND_SMS_SECRETS' });
    await keys.getByRole('button', { name: /^Set/ }).click();
    await page.keyboard.type(`v1,whsec_${Buffer.alloc(32, 7).toString('base64')}`);
    await apply(page);
    await bar(page).getByText('hook send_sms').waitFor();
    t.same(await findPageFaults(page), []);
    await bar(page).getByRole('button', { name: 'Apply all the same' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await awaitNoDialog(page);
    await equalSoon(t, () => bar(page).count(), 0);
    await until(async () => {
      await page.goto(`${origin}/hooks`);
      await page.getByRole('row', { name: /send_sms/ }).waitFor();
      return (await page.getByRole('row', { name: /send_sms on/ }).count()) === 1;
    });
  });

  t.test('with a keyboard alone', async (t) => {
    const operator = await enterByKeyboard(t, pages);
    const { page, press, tabTo } = operator;
    await operator.go('e', 'SMS');
    await fieldOf(page, 'Text of the message').waitFor();
    await tabTo(/^Text of the message/);
    await operator.type('Code: {{ .Code }}');
    await tabTo(/^Apply$/);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await operator.sendReason('shorter');
    await stateOf(page, 'Text of the message').getByText('set here').waitFor();
    await matchSoon(t, () => fieldOf(page, 'Text of the message').inputValue(), /^Code: /);
  });
}
