/** The console in a browser: a server, an operator who is signed in with a passkey of the browser. */
import type { Page } from 'playwright-core';
import type { OperatorRole } from '../../src/server/http/types.js';
import { openTestConsole, type TestConsole } from './console.js';
import { openConsoleDevices } from './console-device.js';
import { findAxeFaults, readOverflow } from './hosted/inspect.js';
import { openBrowser, type TestBrowser } from './mailbox-page.js';
import { cross } from './rows.js';
import type { Test } from './tap.js';

export interface OpenedPage {
  readonly page: Page;
  /** Reports against the content security policy. */
  readonly faults: readonly string[];
  /** Whether the authenticator agrees by itself, as it does at first. */
  agree(isEnabled: boolean): Promise<void>;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** The device is changed for good, such as by a script for all its pages. */
  readonly isNew?: boolean;
}

export type ConsoleLook = Required<Pick<PageOptions, 'theme' | 'width'>>;

export const consoleLooks: readonly ConsoleLook[] = cross(['light', 'dark'], [1280, 320]).map(([theme, width]) => ({
  theme,
  width,
}));

/** Both themes and both widths. All four looks: the long form of e2e/console-states. */
const twoLooks: readonly ConsoleLook[] = [consoleLooks[0]!, consoleLooks.at(-1)!];

export interface ConsolePages {
  readonly console: TestConsole;
  readonly browser: TestBrowser;
  readonly origin: string;
  /** A page of a device with an authenticator; nobody is signed in. */
  visit(options?: PageOptions): Promise<OpenedPage>;
  /** A device in which a new operator of the role is signed in, as by `enter`; it shows no page yet. */
  signIn(role: OperatorRole, options?: PageOptions): Promise<OpenedPage>;
  /** A page in which a new operator of the role is signed in; the passkey is in the authenticator of the page. */
  enter(role: OperatorRole, options?: PageOptions & { readonly path?: string }): Promise<OpenedPage>;
}

/** @param executablePath of Chromium */
export async function openConsolePages(
  t: Test,
  executablePath: string,
  settings: Record<string, string> = {},
): Promise<ConsolePages> {
  const console = await openTestConsole(t, settings);
  const browser = await openBrowser(t, executablePath);
  const origin = `http://localhost:${console.consolePort}`;
  const open = openConsoleDevices(t, browser);
  let operators = 0;

  /** Through the API: creating a passkey on the page, which test/e2e/console-shell.test.ts does, takes two more pages. */
  async function signIn(role: OperatorRole, options: PageOptions = {}): Promise<OpenedPage> {
    const opened = await open(options);
    const { cookie, authenticator } = await console.signIn(role, `${role}-${++operators}@example.com`);
    await opened.addPasskey(authenticator);
    const [name = '', value = ''] = cookie.split('=', 2);
    await opened.context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Strict' }]);
    return opened;
  }

  async function enter(role: OperatorRole, { path = '/me', ...options }: PageOptions & { path?: string } = {}) {
    const opened = await signIn(role, options);
    await opened.page.goto(`${origin}${path}`);
    // The first heading is that of the console, before it knows who is there.
    await opened.page.locator('#main h1').waitFor();
    return opened;
  }

  return { console, browser, origin, visit: (options = {}) => open(options), signIn, enter };
}

/** Waits until the page that was opened is there, with all that it has asked the server for, or why that is missing. */
export const awaitLoaded = (page: Page): Promise<void> =>
  page.locator('#main:not(:has([aria-busy="true"])):has(.view, form, .alert.error, .empty) h1').first().waitFor();

/**
 * Waits until no dialog is open: what is behind one takes no key.
 * @throws Error with the text of the dialog, such as why a request was refused, and with what has the focus
 */
export async function awaitNoDialog(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  try {
    await dialog.waitFor({ state: 'detached' });
  } catch (cause) {
    const shown = await dialog.textContent();
    const focused = await page.locator(':focus').evaluateAll((elements) => elements.map(({ outerHTML }) => outerHTML));
    throw new Error(`The dialog stays:\n${shown}\nThe focus is on ${focused.join() || 'nothing'}`, { cause });
  }
}

/** What all pages have around them. */
const SHELL = 'header.top';
/** Those of this process in which no fault was found: axe-core is not asked about the same once more. */
const soundShells = new Set<string>();

/** @returns what makes a difference to axe-core: markup but for the name of the operator and which link is current, colours, width */
const readShell = (page: Page): Promise<string> =>
  page.evaluate((selector) => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
    const { document, getComputedStyle, innerWidth } = globalThis as any;
    const shell = document.querySelector(selector);
    if (shell === null) return '';
    const current = shell.querySelectorAll('[aria-current]').length;
    const markup = shell.outerHTML.replace(/ aria-current="[^"]*"/g, '').replace(/[\w.+-]+@example\.com/g, '');
    const { color, backgroundColor } = getComputedStyle(shell);
    const isBehind = document.querySelector('dialog[open]') !== null;
    return JSON.stringify([markup, current, color, backgroundColor, innerWidth, isBehind]);
  }, SHELL);

/**
 * What is wrong with the page as it is shown: accessibility, and whether it scrolls sideways. What still waits for an
 * answer is dimmed, so it is waited for; what it has asked for may be shown before.
 */
export async function findPageFaults(page: Page): Promise<string[]> {
  await page.locator(':is(button[type="submit"], .view)[aria-busy="true"]').first().waitFor({ state: 'detached' });
  const shell = await readShell(page);
  const isKnown = soundShells.has(shell);
  const { faults } = await findAxeFaults(page, isKnown ? SHELL : undefined);
  if (faults.length === 0 && shell !== '') soundShells.add(shell);
  const overflow = await readOverflow(page);
  return overflow > 0 ? [...faults, `it is ${overflow} pixels wider than the window`] : faults;
}

/** The same in several looks, of which the first is how the page is shown before and after. */
export async function findLookFaults(page: Page, looks: readonly ConsoleLook[]): Promise<string[]> {
  const faults: string[] = [];
  for (const look of [...looks.slice(1), looks[0]!]) {
    await showAs(page, look);
    faults.push(...(await findPageFaults(page)).map((fault) => `${look.theme}, ${look.width} pixels: ${fault}`));
  }
  return faults;
}

async function showAs(page: Page, { theme, width }: ConsoleLook): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: 900 });
}

/**
 * Opens pages of the console one after the other, light and dark, wide and narrow; none may have faults or break the policy.
 * It begins at one of them that is shown already.
 */
export async function assertPagesSound(t: Test, { page, faults }: OpenedPage, paths: readonly string[]): Promise<void> {
  for (const [path, look] of cross(paths, twoLooks)) {
    await showAs(page, look);
    await page.goto(new URL(path, page.url()).href);
    await awaitLoaded(page);
    t.same(await findPageFaults(page), [], `${path}, ${look.theme}, ${look.width} pixels`);
  }
  t.same(faults, [], 'policy');
}
