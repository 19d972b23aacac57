/** What a browser on a slow machine and a slow network sees of a page. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { median } from '../../test/support/statistics.js';

/** 1.6 Mbit/s down, 750 kbit/s up, 150 ms: a phone on a slow network. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const SLOWER_PROCESSOR = 4;

export interface PageAddress {
  /** In tables. */
  readonly page: string;
  readonly url: string;
  /** `name=value; name=value` */
  readonly cookie: string;
  /** Selector of what a script shows last; absent: the document has everything. */
  readonly shows?: string;
}

export interface PageVisit {
  /** Largest Contentful Paint: when what matters has been drawn. */
  readonly paintMs: number;
  /** When it has been drawn, what a script shows is there, and no long task runs any more. */
  readonly interactiveMs: number;
  /** Total Blocking Time: of tasks after the first paint, what is longer than 50 ms. */
  readonly blockedMs: number;
  /** Cumulative Layout Shift. */
  readonly layoutShift: number;
  /** With style sheets and script, as transferred. */
  readonly transferredBytes: number;
}

interface Window {
  readonly width: number;
  readonly height: number;
}

/** @returns medians; of shifts the worst */
export async function visitOften(
  browser: Browser,
  address: PageAddress,
  window: Window,
  visits: number,
): Promise<PageVisit> {
  const seen: PageVisit[] = [];
  for (let visit = 0; visit < visits; visit++) seen.push(await visitOnce(browser, address, window));
  return {
    paintMs: median(seen.map(({ paintMs }) => paintMs)),
    interactiveMs: median(seen.map(({ interactiveMs }) => interactiveMs)),
    blockedMs: median(seen.map(({ blockedMs }) => blockedMs)),
    layoutShift: Math.max(...seen.map(({ layoutShift }) => layoutShift)),
    transferredBytes: median(seen.map(({ transferredBytes }) => transferredBytes)),
  };
}

/** With an empty cache. */
async function visitOnce(browser: Browser, { url, cookie, shows }: PageAddress, window: Window): Promise<PageVisit> {
  const context = await browser.newContext({ viewport: window, isMobile: window.width < window.height });
  try {
    const cookies = cookie.split('; ').map((pair) => ({ name: pair.split('=')[0]!, value: pair.split('=')[1]!, url }));
    await context.addCookies(cookies);
    const page = await context.newPage();
    if (shows !== undefined) await page.addInitScript(noteWhenShown, shows);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', NETWORK);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_PROCESSOR });
    const transferred = countBytes(devtools);
    await page.goto(url, { waitUntil: 'networkidle' });
    return { ...(await readPaint(page)), transferredBytes: transferred() };
  } finally {
    await context.close();
  }
}

function countBytes(devtools: CDPSession): () => number {
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return () => bytes;
}

/** Runs in the browser before the page does. */
function noteWhenShown(selector: string): void {
  // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
  const api = globalThis as any;
  const look = (): void => {
    if (api.document.querySelector(selector) === null) api.requestAnimationFrame(look);
    else api.shownMs = performance.now();
  };
  look();
}

type Painted = Omit<PageVisit, 'transferredBytes'>;

const readPaint = (page: Page): Promise<Painted> =>
  page.evaluate(
    () =>
      new Promise<Painted>((resolve) => {
        interface Entry {
          readonly name: string;
          readonly startTime: number;
          readonly duration: number;
          readonly value: number;
        }
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        const api = globalThis as any;
        const seen: Record<string, Entry[]> = {};
        for (const type of ['paint', 'largest-contentful-paint', 'layout-shift', 'longtask']) {
          seen[type] = [];
          new api.PerformanceObserver((list: { getEntries(): Entry[] }) =>
            seen[type]!.push(...list.getEntries()),
          ).observe({ type, buffered: true });
        }
        const LONG_MS = 50;
        setTimeout(() => {
          const paintMs = seen['largest-contentful-paint']!.at(-1)!.startTime;
          const firstMs = seen['paint']!.find(({ name }) => name === 'first-contentful-paint')!.startTime;
          const tasks = seen['longtask']!.filter(({ startTime }) => startTime >= firstMs);
          resolve({
            paintMs,
            interactiveMs: Math.max(
              paintMs,
              api.shownMs ?? 0,
              ...tasks.map(({ startTime, duration }) => startTime + duration),
            ),
            blockedMs: tasks.reduce((sum, { duration }) => sum + duration - LONG_MS, 0),
            layoutShift: seen['layout-shift']!.reduce((sum, { value }) => sum + value, 0),
          });
        }, 500);
      }),
  );
