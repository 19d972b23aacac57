/** The hosted pages with a keyboard alone: no pointer, no touch. What has the focus can always be seen. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { keepInside, Visitor } from '../support/hosted/visitor.js';
import { APPLICATION, openWorlds } from '../support/hosted/worlds.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { addClient, authorize } from '../support/oauth-client.js';
import { freshEmail, password } from '../support/server.js';

/** More than any page has places for the focus. */
const MAX_TABS = 30;

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium'));
else await run(chromium);

interface Focus {
  /** Such as input.address, button.password, a. */
  readonly name: string;
  readonly isOutlined: boolean;
  readonly isInWindow: boolean;
}

/** What has the focus, and whether a person sees that. */
const readFocus = (page: Page): Promise<Focus> =>
  page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
    const { document, getComputedStyle, innerWidth, innerHeight } = globalThis as any;
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const word = element.className === 'skip' ? 'skip' : element.name || element.value || '';
    const value = element.tagName === 'BUTTON' ? element.value : word;
    return {
      name: `${element.tagName.toLowerCase()}${value && `.${value}`}`,
      isOutlined: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
      isInWindow: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
    };
  });

/** Presses Tab until something has the focus. @returns what had it on the way, that included */
async function tabTo(t: Test, page: Page, wanted: string): Promise<string[]> {
  const passed: string[] = [];
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    await page.keyboard.press('Tab');
    const { name, isOutlined, isInWindow } = await readFocus(page);
    passed.push(name);
    if (name === 'body') continue;
    t.ok(isOutlined, `${name} shows that it has the focus`);
    t.ok(isInWindow, `${name} can be seen`);
    if (name === wanted) return passed;
  }
  throw new Error(`Tab does not come to ${wanted}: ${passed.join(', ')}`);
}

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const world = await openWorlds(t)('full');

  async function visit(t: Test): Promise<Visitor & { enter(): Promise<void>; type(text: string): Promise<void> }> {
    const context = await browser.newContext({ locale: 'en', viewport: { width: 1280, height: 1200 } });
    t.teardown(() => context.close());
    await keepInside(context);
    const visitor = new Visitor(await context.newPage(), world);
    const { keyboard } = visitor.page;
    return Object.assign(visitor, {
      type: (text: string) => keyboard.type(text),
      async enter() {
        const arrived = visitor.page.waitForEvent('framenavigated');
        await keyboard.press('Enter');
        await arrived;
        await visitor.page.waitForLoadState();
      },
    });
  }

  t.test('sign-in: the first field has the focus, Enter sends the form', async (t) => {
    const address = await world.addPerson('ada');
    const visitor = await visit(t);
    await visitor.begin();
    t.equal((await readFocus(visitor.page)).name, 'input.address');
    await visitor.type(address);
    t.same(await tabTo(t, visitor.page, 'input.password'), ['input.password'], 'nothing is between the fields');
    await visitor.type(password);
    await visitor.enter();
    t.equal(new URL(visitor.page.url()).pathname, '/ui/continue');
  });

  t.test('sign-in: every control is reached in its order, and Space shows the password', async (t) => {
    const visitor = await visit(t);
    await visitor.begin();
    const order = await tabTo(t, visitor.page, 'button.code');
    t.equal(order.indexOf('button.password') < order.indexOf('button.code'), true);
    await visitor.page.locator('input[type="checkbox"]').focus();
    await visitor.page.keyboard.press('Space');
    t.equal(await visitor.page.locator('input[name="password"]').getAttribute('type'), 'text');
  });

  t.test('sign-up: the field for programs is not on the way', async (t) => {
    const visitor = await visit(t);
    await visitor.begin('sign-up');
    await visitor.type(freshEmail());
    await tabTo(t, visitor.page, 'input.password');
    await visitor.type(password);
    const order = await tabTo(t, visitor.page, 'button');
    t.notOk(order.includes('input.website'));
    await visitor.enter();
    t.equal(new URL(visitor.page.url()).pathname, '/ui/code');
    t.equal((await readFocus(visitor.page)).name, 'input.code', 'the code can be typed at once');
  });

  t.test('consent: the first Tab skips to the content; both answers can be chosen', async (t) => {
    // Requests for another host would leave this machine.
    const redirect_uri = `${APPLICATION}/back`;
    const client = await addClient(world, { client_name: 'Notes', redirect_uris: [redirect_uri] });
    const { location } = await authorize(world, { clientId: client.id, parameters: { redirect_uri } });
    const address = await world.addPerson('ada');
    const visitor = await visit(t);
    await visitor.open(location.pathname + location.search);
    await visitor.type(address);
    await tabTo(t, visitor.page, 'input.password');
    await visitor.type(password);
    await visitor.enter();
    t.equal(new URL(visitor.page.url()).pathname, '/ui/consent');
    t.same(await tabTo(t, visitor.page, 'a.skip'), ['a.skip']);
    await visitor.page.keyboard.press('Enter');
    const order = await tabTo(t, visitor.page, 'button.deny');
    t.ok(order.includes('button.approve'));
    await visitor.page.keyboard.press('Shift+Tab');
    t.equal((await readFocus(visitor.page)).name, 'button.approve');
    await visitor.enter();
    await visitor.page.locator('meta[http-equiv="refresh"]').waitFor({ state: 'attached' });
  });
}
