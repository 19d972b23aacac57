/** A person with a keyboard alone: no pointer, no touch. */

import type { Page } from 'playwright-core';
import type { Test } from '../tap.js';
import type { OpenDevice } from './devices.js';
import { keepInside, Visitor } from './visitor.js';
import type { World } from './worlds.js';

/** More than any page has places for the focus. */
const MAX_TABS = 30;

export interface Focus {
  /** Such as input.address, button.password, a. */
  readonly name: string;
  readonly isOutlined: boolean;
  readonly isInWindow: boolean;
}

/** What has the focus, and whether a person sees that. */
export const readFocus = (page: Page): Promise<Focus> =>
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
export async function tabTo(t: Test, page: Page, wanted: string): Promise<string[]> {
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

export type KeyboardVisitor = Visitor & { enter(): Promise<void>; type(text: string): Promise<void> };

export async function openKeyboardVisitor(openDevice: OpenDevice, world: World): Promise<KeyboardVisitor> {
  const { context, page } = await openDevice({ locale: 'en', viewport: { width: 1280, height: 1200 } });
  await keepInside(context);
  const visitor = new Visitor(page, world);
  return Object.assign(visitor, {
    /** Types into what has the focus. A page is loaded before its first rendering, which gives the focus to a field. */
    async type(text: string) {
      await page.locator(':focus').waitFor();
      await page.keyboard.type(text);
    },
    /** Presses what leads to another page. */
    async enter() {
      const arrived = page.waitForEvent('framenavigated', { predicate: (frame) => frame === page.mainFrame() });
      await page.keyboard.press('Enter');
      await arrived;
      await page.waitForLoadState();
    },
  });
}
