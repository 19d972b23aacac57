/** Keys that come as fast as the page changes: the focus moves in the task that changes it, and nothing typed is lost. */
import type { Page } from 'playwright-core';
import { openConsolePages } from '../support/console-page.js';
import { findChromium } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('where the scripts of the console put the focus; the console by keys: console-shell');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

/**
 * Does something and waits for a change of the document.
 * @param selector of what the change adds or removes
 * @returns what had the focus when the task with the change was over, before anything was drawn
 */
async function focusAfter(page: Page, selector: string, act: () => Promise<unknown>): Promise<string> {
  const focused = await page.evaluateHandle((selector) => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
    const { document, MutationObserver, queueMicrotask, setTimeout } = globalThis as any;
    const isThere = () => document.querySelector(selector) !== null;
    const before = isThere();
    const named = (element: { id: string; textContent: string }) => element.id || element.textContent;
    const seen = new Promise<string>((resolve) => {
      setTimeout(() => resolve(`${selector} has not changed`), 10_000);
      const observer = new MutationObserver(() => {
        if (isThere() === before) return;
        observer.disconnect();
        queueMicrotask(() => resolve(document.activeElement === document.body ? '' : named(document.activeElement)));
      });
      observer.observe(document.body, { childList: true, attributes: true, subtree: true });
    });
    // A promise alone would be awaited here, before anything is done.
    return { seen };
  }, selector);
  await act();
  return focused.evaluate(({ seen }) => seen);
}

async function run(executablePath: string): Promise<void> {
  const { console, origin, enter } = await openConsolePages(t, executablePath);

  t.test('a dialog gives the focus back when it goes', async (t) => {
    const { page } = await enter('owner', { path: '/operators' });
    const add = page.getByRole('button', { name: 'Add an operator' });
    for (let times = 1; times <= 3; times++) {
      await add.press('Enter');
      await page.getByRole('dialog').waitFor();
      const focused = await focusAfter(page, 'dialog', () => page.keyboard.press('Escape'));
      t.equal(focused, 'Add an operator', `time ${times}`);
    }
  });

  t.test('the dialog after a dialog has the focus, and what opened the first has it afterwards', async (t) => {
    const { page } = await enter('owner', { path: '/operators' });
    await page.getByRole('button', { name: 'Add an operator' }).press('Enter');
    await page.getByLabel('Name').fill('next@focus.example');
    const next = page.getByRole('dialog', { name: 'A link for next@focus.example' });
    await page.keyboard.press('Enter');
    await next.waitFor();
    await equalSoon(t, () => next.locator(':focus').count(), 1);
    t.equal(await focusAfter(page, 'dialog', () => page.keyboard.press('Escape')), 'Add an operator');
  });

  t.test('without what had the focus: the row in its place has it, or the page', async (t) => {
    for (const name of ['a', 'b']) await console.invite(`${name}@rows.example`, 'viewer');
    const { page } = await enter('owner', { path: '/operators' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    t.equal(await focusAfter(page, 'dialog', () => page.keyboard.press('Escape')), 'main', 'nothing had it');
    const remove = async (name: string) => {
      await page.getByRole('row', { name }).getByRole('button', { name: 'Remove' }).press('Enter');
      await page.getByLabel(/^Type/).fill(name);
      return focusAfter(page, 'dialog', () => page.getByLabel(/^Type/).press('Enter'));
    };
    t.equal(await remove('a@rows.example'), 'Role');
    await equalSoon(t, () => page.getByRole('row', { name: 'b@rows.example' }).locator(':focus').count(), 1);
  });

  t.test('the page after a page has the focus before its parts are there', async (t) => {
    const { page } = await enter('admin', { path: '/users' });
    const activity = page.getByRole('link', { name: 'Activity', exact: true });
    const focused = await focusAfter(page, 'nav a[aria-current="page"][href="/activity"]', () =>
      activity.press('Enter'),
    );
    t.equal(focused, 'main');
  });

  t.test('what is typed while the list is searched stays', async (t) => {
    const { page } = await enter('viewer', { path: '/users' });
    const search = page.getByLabel('Search');
    await search.pressSequentially('ada ');
    await page.waitForURL(`${origin}/users?q=ada`);
    await search.pressSequentially('lovelace');
    await equalSoon(t, () => search.inputValue(), 'ada lovelace');
    await page.waitForURL(`${origin}/users?q=ada+lovelace`);
    await page.goBack();
    await page.waitForURL(`${origin}/users`);
    await equalSoon(t, () => search.inputValue(), '', 'Back empties it');
  });
}
