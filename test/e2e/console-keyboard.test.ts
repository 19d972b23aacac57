/** The deeds of the console with a keyboard alone: no event of a pointer reaches the pages. */

import { enterByKeyboard } from '../support/console-keyboard.js';
import { awaitNoDialog, openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';
import { startWebhookReceiver } from '../support/webhook-receiver.js';

onlyInFull('pages of the console by keyboard; the hosted pages: hosted-keyboard; each page once: console-states');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const receiver = await startWebhookReceiver(t);
  const pages = await openConsolePages(t, executablePath, {
    ...{ JWT_KEYS_SOURCE: 'database', RATE_LIMIT_HEADER: 'X-Client-IP', RATE_LIMIT_TOKEN_REFRESH: '1' },
    OUTBOUND_PRIVATE_HOSTS: '127.0.0.1',
  });
  const { console } = pages;
  const { admin } = console.database;
  const signUp = async (email: string): Promise<string> =>
    (await console.post('/signup', { email, password })).body.user.id;
  const signIn = (email: string) => console.post('/token?grant_type=password', { email, password });
  const lastReason = async (action: string): Promise<string | undefined> => {
    const { rows } = await admin.query(
      "select payload -> 'traits' ->> 'reason' as reason from audit_log where payload ->> 'action' = $1 order by created_at",
      [action],
    );
    return rows.at(-1)?.reason;
  };

  t.test('one account', async (t) => {
    const id = await signUp('kate@keys.example');
    await signUp('kato@keys.example');
    await signIn('kate@keys.example');
    const operator = await enterByKeyboard(t, pages);
    const { page, press, tabTo } = operator;
    await operator.go('u', 'Users');
    await operator.hasFocus(/^main$/);
    await press('/');
    await operator.type('kat');
    await page.waitForURL(/\?q=kat$/);
    // The list of before has the newest first, and a key would move in it until the answer comes.
    await page.locator('table.list tbody tr').first().getByRole('link', { name: 'kate@keys.example' }).waitFor();
    await page.getByRole('link', { name: 'kato@keys.example' }).waitFor();
    await press('Enter', 'j', 'j', 'k', 'Enter');
    await page.getByRole('heading', { level: 1, name: 'kate@keys.example' }).waitFor();
    t.match(page.url(), id);

    await tabTo(/^Ban$/);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await press('Escape');
    await awaitNoDialog(page);
    await operator.hasFocus(/^Ban$/);
    await operator.confirm('asked by the police');
    await page.getByText('banned', { exact: true }).waitFor();
    await operator.hasFocus(/^Lift ban$/);
    t.equal(await lastReason('user_modified'), 'asked by the police');
    await operator.confirm('a mistake');
    await page.getByText('active', { exact: true }).waitFor();

    for (let n = 0; n < 3; n++) await signIn('kate@keys.example');
    await operator.go('u', 'Users');
    await page.getByRole('link', { name: 'kate@keys.example' }).waitFor();
    await tabTo(/^kate@keys.example$/);
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'kate@keys.example' }).waitFor();
    await tabTo(/^Sessions/);
    await press('Enter');
    const sessions = page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
    await sessions.nth(2).waitFor();
    await press('j');
    await operator.hasFocus(/^End$/);
    await operator.confirm('stolen phone');
    await sessions.nth(2).waitFor({ state: 'detached' });
    await equalSoon(t, () => sessions.count(), 2);
    await operator.hasFocus(/^End$/);
    await operator.confirm('stolen, too');
    await sessions.nth(1).waitFor({ state: 'detached' });
    await operator.hasFocus(/^End$/);
    await operator.confirm('the last one');
    await page.getByText('Not signed in anywhere').waitFor();
    await operator.hasFocus(/^main$/);
    t.same(operator.pointed, []);
  });

  t.test('many accounts', async (t) => {
    for (let n = 0; n < 3; n++) await signUp(`many${n}@keys.example`);
    const operator = await enterByKeyboard(t, pages);
    const { page, press } = operator;
    await operator.go('u', 'Users');
    await press('/');
    await operator.type('many');
    await page.waitForURL(/\?q=many$/);
    await page.getByRole('link', { name: 'kate@keys.example' }).waitFor({ state: 'detached' });
    await press('Enter', 'j', 'x', 'j', 'x');
    await page.getByText('2 accounts selected').waitFor();
    await press('b');
    await operator.hasFocus(/^Ban$/);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await operator.sendReason('a wave of spam');
    await page.getByText('2 of 2: all done').waitFor();
    await operator.tabTo(/^Close$/);
    await press('Enter');
    await awaitNoDialog(page);
    // The list is read again after the dialog has closed.
    await page
      .getByRole('row', { name: /banned/ })
      .nth(1)
      .waitFor();
    await equalSoon(t, () => page.getByRole('row', { name: /banned/ }).count(), 2);
    await operator.hasFocus(/./);
    t.same(operator.pointed, []);
  });

  t.test('limits, deliveries, keys', async (t) => {
    const headers = { 'x-client-ip': '192.0.2.9' };
    for (let n = 0; n < 31; n++) {
      await console.call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: 'x' }, headers });
    }
    const operator = await enterByKeyboard(t, pages);
    const { page, press, tabTo } = operator;
    await operator.go('l', 'Limits');
    const held = page.getByRole('table', { name: 'Held back' });
    await held.waitFor();
    await tabTo(/^Forgive .*192\.0\.2\.9/);
    await operator.confirm('an office behind one address');
    await page.getByText('Nobody is held back').waitFor();

    await operator.go('w', 'Webhooks');
    await tabTo(/^Add a webhook$/);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    if (!/^URL/.test((await operator.focus()).name)) await tabTo(/^URL/);
    await operator.type(receiver.url);
    await press('Enter');
    await page.getByRole('dialog', { name: 'Secret of the webhook' }).waitFor();
    receiver.secret = (await page.getByRole('dialog').locator('code').first().textContent())!;
    await press('Escape');
    await awaitNoDialog(page);
    await signUp('hooked@keys.example');
    await until(
      async () => (await admin.query("select from webhook_deliveries where state = 'delivered'")).rows.length > 0,
    );
    await admin.query(
      "update webhook_deliveries set state = 'dead', last_status = 500, last_error = 'it answered 500'",
    );
    await page.getByRole('link', { name: receiver.url }).waitFor();
    await press('j', 'Enter');
    await page.getByRole('heading', { level: 1, name: 'Webhook' }).waitFor();
    await page
      .getByRole('cell', { name: /it answered 500/ })
      .first()
      .waitFor();
    const sent = receiver.received.length;
    await tabTo(/^Replay user.created/);
    await press('Enter');
    await until(() => receiver.received.length === sent + 1);

    await operator.go('k', 'Signing keys');
    await page.getByText('AUTH_JWT_SECRET signs').waitFor();
    await tabTo(/^Rotate$/);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(/^It signs/);
    await press('End');
    await operator.sendReason('yearly');
    await awaitNoDialog(page);
    await page.getByRole('row').filter({ hasText: 'new ones are signed' }).waitFor();
    await operator.hasFocus(/^Rotate$/);
    t.same(operator.pointed, []);
  });
}
