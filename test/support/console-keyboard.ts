/** An operator with a keyboard alone: every key is pressed as a person presses it, and nothing else happens. */
import type { Page } from 'playwright-core';
import { awaitNoDialog, type ConsolePages } from './console-page.js';
import type { Test } from './tap.js';
import { until } from './until.js';

/** More than any page of the tests has places for the focus. */
const MOST_TABS = 70;

interface Focus {
  /** As a screen reader says it. */
  readonly name: string;
  readonly tag: string;
  readonly isOutlined: boolean;
  readonly isInWindow: boolean;
}

export class KeyboardOperator {
  readonly page: Page;
  readonly #t: Test;
  readonly #pointed: string[] = [];

  private constructor(t: Test, page: Page) {
    this.#t = t;
    this.page = page;
  }

  /** @param page that shows nothing yet */
  static async open(t: Test, page: Page): Promise<KeyboardOperator> {
    const operator = new KeyboardOperator(t, page);
    await page.exposeFunction('reportPointer', (type: string) => void operator.#pointed.push(type));
    await page.addInitScript(() => {
      for (const type of ['pointerdown', 'pointermove', 'mousedown', 'mousemove', 'touchstart', 'wheel']) {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        const api = globalThis as any;
        api.addEventListener(type, () => void api.reportPointer(type), true);
      }
    });
    return operator;
  }

  /** Events of a mouse, a pen or a finger so far. */
  get pointed(): readonly string[] {
    return this.#pointed;
  }

  press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await this.page.keyboard.press(key);
  };

  /** Pastes, as far as a page can tell. */
  paste = (text: string): Promise<void> => this.page.keyboard.insertText(text);
  type = (text: string): Promise<void> => this.page.keyboard.type(text);

  /** `g` and a letter lead to a page. */
  async go(letter: string, heading: string): Promise<void> {
    await this.press('g', letter);
    await this.page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }

  focus = (): Promise<Focus> =>
    this.page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
      const { document, getComputedStyle, innerWidth, innerHeight } = globalThis as any;
      const element = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
      return {
        name: element === document.body ? '' : label.replace(/\s+/g, ' ').trim(),
        tag: element.id === 'main' ? 'main' : element.tagName.toLowerCase(),
        isOutlined: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
        isInWindow: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
      };
    });

  /** Waits until what is called so has the focus: the parts of a page come with the answers of the server. */
  async hasFocus(wanted: RegExp): Promise<void> {
    await until(async () => {
      const { tag, name } = await this.focus();
      return wanted.test(tag === 'main' ? 'main' : name);
    });
  }

  /** Presses Tab until what is called so has the focus; all that has it on the way shows that. */
  tabTo = async (wanted: RegExp): Promise<void> => {
    const passed: string[] = [];
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      await this.press('Tab');
      const { name, tag, isOutlined, isInWindow } = await this.focus();
      passed.push(name);
      if (tag !== 'body' && !isOutlined) this.#t.fail(`${name} does not show that it has the focus`);
      if (tag !== 'body' && !isInWindow) this.#t.fail(`${name} has the focus out of sight`);
      if (wanted.test(name)) return;
    }
    throw new Error(`Tab does not come to ${wanted}: ${passed.join(', ')}`);
  };

  /** Opens a dialog from where the focus is, fills in its reason, sends it, and waits until it is gone. */
  async confirm(reason: string): Promise<void> {
    await this.press('Enter');
    await this.page.getByRole('dialog').waitFor();
    await this.sendReason(reason);
    await awaitNoDialog(this.page);
  }

  /** In a dialog that is open. */
  async sendReason(reason: string): Promise<void> {
    if (!/^Reason/.test((await this.focus()).name)) await this.tabTo(/^Reason/);
    await this.type(reason);
    await this.press('Enter');
  }
}

/** A new owner opens the link and makes a passkey, by keyboard, too. */
export async function enterByKeyboard(t: Test, pages: ConsolePages): Promise<KeyboardOperator> {
  const { page } = await pages.visit({ isNew: true });
  const operator = await KeyboardOperator.open(t, page);
  const { link } = await pages.console.invite(`keys-${Date.now()}@example.com`, 'owner');
  await page.goto(`${pages.origin}/link#${link}`);
  await page.getByRole('button', { name: 'Create a passkey' }).waitFor();
  await operator.tabTo(/^Create a passkey$/);
  await operator.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return operator;
}
