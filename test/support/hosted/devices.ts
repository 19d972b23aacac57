/** Browser contexts, each with a page, which one test leaves to the next. */
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_PATIENCE_MS, type TestBrowser } from '../mailbox-page.js';
import type { Test } from '../tap.js';
import { removeVirtualAuthenticators } from '../virtual-authenticator.js';

export interface Device {
  readonly context: BrowserContext;
  readonly page: Page;
}

export type OpenDevice = (options?: BrowserContextOptions) => Promise<Device>;

interface KeptDevice extends Device {
  /** What cannot be changed later: other devices are for other tests. */
  readonly key: string;
  readonly origins: Set<string>;
}

/** More than tests need at a time. */
const MOST_IDLE = 6;
/** Of this process; the last one was used last. */
const idle: KeptDevice[] = [];

/** What tests listen to. */
const EVENTS = ['console', 'download', 'framenavigated', 'pageerror', 'request', 'response'] as const;

/**
 * A new process with cold caches costs as much as the page that a test is about. So a device is cleared after the subtest of `t`
 * that used it: other pages, storages, cookies, permissions, authenticators, network, listeners, history. The caches of files and of
 * compiled scripts stay. A context that a test changes for good, such as by a script for all its pages, is one of `browser`.
 */
export function openDevices(t: Test, browser: TestBrowser): OpenDevice {
  const used: KeptDevice[] = [];
  t.afterEach(async () => {
    for (const device of used.splice(0)) {
      // One that a test has closed, or in which nothing goes on, is not worth more.
      await clear(device).then(
        () => void idle.push(device),
        () => device.context.close(),
      );
      if (idle.length > MOST_IDLE) await idle.shift()!.context.close();
    }
  });
  return async ({ viewport, colorScheme, ...options } = {}) => {
    const key = JSON.stringify(options);
    const index = idle.findLastIndex((one) => one.key === key && one.context.browser()?.isConnected() === true);
    const device = index < 0 ? await openDevice(browser, options, key) : idle.splice(index, 1)[0]!;
    used.push(device);
    const { context, page, origins } = device;
    context.setDefaultTimeout(PAGE_PATIENCE_MS);
    await page.emulateMedia({ colorScheme: colorScheme ?? 'light' });
    await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
    page.on('framenavigated', (frame) => {
      if (frame.url().startsWith('http')) origins.add(new URL(frame.url()).origin);
    });
    return device;
  };
}

async function openDevice(browser: TestBrowser, options: BrowserContextOptions, key: string): Promise<KeptDevice> {
  const context = await browser.newLastingContext(options);
  return { context, page: await context.newPage(), key, origins: new Set() };
}

async function clear({ context, page, key, origins }: KeptDevice): Promise<void> {
  for (const event of EVENTS) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.evaluate('try { sessionStorage.clear() } catch {}');
  await rest(page);
  await removeVirtualAuthenticators(page);
  await context.clearCookies();
  await context.clearPermissions();
  const { permissions } = JSON.parse(key) as BrowserContextOptions;
  if (permissions !== undefined) await context.grantPermissions(permissions);
  const devtools = await context.newCDPSession(page);
  const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers';
  for (const origin of origins) await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes });
  origins.clear();
  await devtools.send('Page.resetNavigationHistory');
  await devtools.detach();
}

/**
 * Ends what runs in the page. It stays on its site: about:blank would end the process. No server has the address, and each says so in
 * a line. An answer by `page.route` would be the end of the caches.
 * @throws Error if the server is away
 */
async function rest(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  await page.goto(origin === 'null' ? 'about:blank' : `${origin}/assets/at-rest`);
}
