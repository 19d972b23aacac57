import type { Page } from 'playwright-core';
import { fill, findChromium, openBrowser, openMailbox } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { equalSoon, matchSoon } from '../support/soon.js';
import { onlyInFull, type Test, t } from '../support/tap.js';

onlyInFull('a page of latchkey dev in a browser; its requests: http/dev-mailbox');

/** As in src/dev/mailbox/script.ts. */
const POLL_MS = 2000;

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);

  /** Runs in the page, whose globals have no types here. */
  const colourOf = (element: unknown): string => {
    const styles: { color: string } = Reflect.apply(Reflect.get(globalThis, 'getComputedStyle'), globalThis, [element]);
    return styles.color;
  };

  /** Opens a new page. Errors of the browser fail the test, except those of the mail's script. */
  async function visit(t: Test) {
    const { mailbox, url } = await openMailbox(t);
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    t.teardown(() => context.close());
    const page = await context.newPage();
    await page.clock.install();
    const errors: string[] = [];
    page.on('pageerror', (error) => void errors.push(error.message));
    const blocked: string[] = [];
    page.on('console', (line) => {
      if (line.type() !== 'error') return;
      (line.text().startsWith('Blocked script execution') ? blocked : errors).push(line.text());
    });
    await page.goto(`${url}/dev/mailbox`);
    return { mailbox, url, page, errors, blocked };
  }
  /** The page asks for news, as it does by itself from time to time. */
  const ask = (page: Page) => page.clock.fastForward(POLL_MS);
  const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
  const title = (page: Page) => page.textContent('#pane h2');

  t.test('an empty mailbox has instructions, and shows a message without a reload', async (t) => {
    const { mailbox, url, page, errors } = await visit(t);
    t.equal(await title(page), 'No messages yet');
    await matchSoon(t, () => page.textContent('.paste'), `curl -s ${url}/otp`);
    await page.evaluate('window.stays = true');
    mailbox.addSms({ to: '15555550100', text: 'Your code is 482913', code: '482913' });
    await ask(page);
    await page.waitForSelector('.code');
    await equalSoon(t, () => page.textContent('.digits'), '482913');
    await equalSoon(t, () => page.textContent('.item .to'), '+15555550100');
    t.equal(await page.evaluate('window.stays'), true);
    await page.click('.code');
    await page.waitForSelector('.code.is-copied');
    t.equal(await clipboard(page), '482913');
    t.same(errors, []);
  });

  t.test('an opened message stays open when others arrive, and when the mailbox is emptied elsewhere', async (t) => {
    const { mailbox, url, page, errors } = await visit(t);
    mailbox.addMail({ to: 'ada@example.com', subject: 'First', html: '<p>one</p>', text: 'one' });
    await ask(page);
    await page.click('.item');
    await page.waitForURL('**/mailbox?open=1');
    await page.click('#tab-Text');
    mailbox.addMail({ to: 'grace@example.com', subject: 'Second', text: 'two' });
    await ask(page);
    await page.waitForSelector('.item >> nth=1');
    t.equal(await title(page), 'First');
    await equalSoon(t, () => page.isVisible('#panel-Text'), true, 'and its tab');
    await equalSoon(t, () => page.textContent('.is-new .subject'), 'Second');
    await equalSoon(t, () => page.getAttribute('.item >> nth=1', 'aria-current'), 'true');
    await fetch(`${url}/dev/mailbox`, { method: 'DELETE' });
    await ask(page);
    await page.waitForSelector('.none');
    t.equal(await title(page), 'First');
    t.same(errors, []);
  });

  t.test('a mail is rendered without its scripts; its links open outside', async (t) => {
    const { mailbox, url, page, errors, blocked } = await visit(t);
    fill(mailbox, url);
    await ask(page);
    await page.click('.item >> nth=2');
    const mail = page.frameLocator('iframe');
    await equalSoon(t, () => mail.locator('h2').textContent(), 'Confirm your signup');
    const colour = await mail.locator('p >> nth=0').evaluate(colourOf);
    t.equal(colour, 'rgb(1, 2, 3)', 'its own styles apply');
    t.equal(await page.title(), 'Latchkey mailbox');
    t.ok(blocked.length > 0, 'its script was blocked');
    const target = `${url}/verify?token=0f3a&type=signup`;
    for (const click of [
      () => page.click('.links a'),
      () => mail.locator('a').click(),
      () => page.keyboard.press('o'),
    ]) {
      const [opened] = await Promise.all([page.context().waitForEvent('page'), click()]);
      await opened.waitForLoadState();
      t.equal(opened.url(), target);
      await opened.close();
      await page.bringToFront();
      await page.focus('#pane');
    }
    t.same(errors, []);
  });

  t.test('keyboard only, and a narrow screen', async (t) => {
    const { mailbox, url, page, errors } = await visit(t);
    fill(mailbox, url);
    await ask(page);
    await page.waitForSelector('.item');
    t.equal(await title(page), 'Confirm Reauthentication <b>&');
    await page.keyboard.press('j');
    await page.waitForURL('**/mailbox?open=2');
    await page.waitForSelector('h2:text("Text message")');
    await page.keyboard.press('c');
    await page.waitForSelector('.is-copied');
    t.equal(await clipboard(page), '482913');
    await page.keyboard.press('j');
    await page.waitForSelector('h2:text("Confirm Your Signup")');
    await page.focus('#tab-Mail');
    await page.keyboard.press('ArrowRight');
    await equalSoon(t, () => page.isVisible('#panel-Text'), true);
    await page.goBack();
    await page.waitForSelector('h2:text("Text message")');

    await page.setViewportSize({ width: 390, height: 700 });
    await equalSoon(t, () => page.isVisible('.item'), false, 'only the message is visible');
    await page.click('.back');
    await page.waitForSelector('.item');
    await equalSoon(t, () => page.isVisible('article'), false);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    t.ok(Number(overflow) <= 0, 'nothing overflows');
    await page.click('#empty');
    await page.waitForSelector('.welcome');
    t.same(mailbox.list(), []);
    t.same(errors, []);
  });
}
