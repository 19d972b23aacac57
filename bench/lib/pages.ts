/** Hosted pages: the server's time for each, and what a slow browser sees of it. */
import { Agent, get } from 'node:http';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { findChromium } from '../../test/support/mailbox-page.js';
import { PageBrowser } from '../../test/support/page-browser.js';
import { median, quantile } from '../../test/support/statistics.js';
import type { Run } from './command.js';
import { populate } from './database.js';
import { startServer } from './servers.js';

export interface PagesOptions {
  /** Answers of each page. */
  readonly answers: number;
  /** Visits of each page by the browser. */
  readonly visits: number;
}

export interface PageFigures {
  readonly page: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the document alone, uncompressed. */
  readonly bytes: number;
  /** Largest Contentful Paint: when what matters has been drawn. Undefined without a browser. */
  readonly paintMs?: number;
  /** Cumulative Layout Shift. */
  readonly layoutShift?: number;
  /** With style sheets and script, as transferred. */
  readonly transferredBytes?: number;
}

export interface HostedPages {
  readonly pages: readonly PageFigures[];
  /** Version of the browser; absent without one. */
  readonly browser?: string;
}

/** 1.6 Mbit/s down, 750 kbit/s up, 150 ms: a phone on a slow network. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const SLOWER_PROCESSOR = 4;
const WARM_UP_ANSWERS = 500;
const PASSWORD = 'correct horse battery';

interface Address {
  readonly page: string;
  readonly url: string;
  readonly cookie: string;
}

export async function measurePages({ root, database, progress }: Run, options: PagesOptions): Promise<HostedPages> {
  const databaseUrl = await database.create('pages');
  const settings = { PAGES_ENABLED: 'true', RATE_LIMIT_AUTHORIZE: '1000000' };
  const server = await startServer({ root, databaseUrl, cwd: database.directory, settings });
  await populate(databaseUrl);
  const addresses = await openPages(server.url);
  const pages: PageFigures[] = [];
  for (const address of addresses) {
    progress(`${address.page}: the server`);
    pages.push({ page: address.page, ...(await timeAnswers(address, options.answers)) });
  }
  const executablePath = findChromium();
  if (executablePath === null) return { pages };
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    for (const [index, address] of addresses.entries()) {
      progress(`${address.page}: the browser`);
      pages[index] = { ...pages[index]!, ...(await visitOften(browser, address, options.visits)) };
    }
    return { pages, browser: browser.version() };
  } finally {
    await browser.close();
  }
}

/** Pages of one flow, and the list of accounts of a browser that has signed in. */
async function openPages(origin: string): Promise<Address[]> {
  const email = 'ada@example.com';
  await fetch(`${origin}/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const begin = '/authorize?provider=custom:hosted';
  const browser = await new PageBrowser(origin).open(begin);
  const addressOf = (page: string, url = browser.url.replace('sign-in', page)): Address => ({
    page,
    url,
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  });
  const pages = [addressOf('sign-in'), addressOf('sign-up'), addressOf('recover'), addressOf('signed-out')];
  await browser.send(browser.form('/ui/sign-in'), { address: email, password: PASSWORD, action: 'password' });
  await browser.open(begin);
  if (!browser.html.includes(email)) throw new Error(`The list of accounts was expected: ${browser.html}`);
  return [...pages, addressOf('accounts', browser.url)];
}

/** One after the other, so that nothing waits for anything else. @throws for an answer other than 200 */
async function timeAnswers({ url, cookie }: Address, answers: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  let bytes = 0;
  for (let count = -WARM_UP_ANSWERS; count < answers; count++) {
    const start = performance.now();
    bytes = await read(url, cookie, agent);
    if (count >= 0) times.push(performance.now() - start);
  }
  agent.destroy();
  return { p50Ms: median(times), p99Ms: quantile(times, 0.99), bytes };
}

const read = (url: string, cookie: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { cookie } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${url}: ${response.statusCode}`)),
      );
    });
    request.on('error', reject);
  });

async function visitOften(browser: Browser, address: Address, visits: number) {
  const seen = [];
  for (let visit = 0; visit < visits; visit++) seen.push(await visitOnce(browser, address));
  return {
    paintMs: median(seen.map(({ paintMs }) => paintMs)),
    layoutShift: Math.max(...seen.map(({ layoutShift }) => layoutShift)),
    transferredBytes: median(seen.map(({ transferredBytes }) => transferredBytes)),
  };
}

/** With an empty cache. */
async function visitOnce(browser: Browser, { url, cookie }: Address) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, isMobile: true });
  try {
    const cookies = cookie.split('; ').map((pair) => ({ name: pair.split('=')[0]!, value: pair.split('=')[1]!, url }));
    await context.addCookies(cookies);
    const page = await context.newPage();
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

const readPaint = (page: Page): Promise<{ readonly paintMs: number; readonly layoutShift: number }> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        const api = globalThis as any;
        const read = (type: string, take: (entries: { startTime: number; value: number }[]) => void) =>
          new api.PerformanceObserver((list: { getEntries(): { startTime: number; value: number }[] }) =>
            take(list.getEntries()),
          ).observe({ type, buffered: true });
        let [paintMs, layoutShift] = [0, 0];
        read('largest-contentful-paint', (entries) => {
          paintMs = entries.at(-1)!.startTime;
        });
        read('layout-shift', (entries) => {
          layoutShift += entries.reduce((sum, { value }) => sum + value, 0);
        });
        setTimeout(() => resolve({ paintMs, layoutShift }), 500);
      }),
  );
