/** Hosted pages and those of the console: the server's time for each, and what a slow browser sees of it. */
import { Agent, get } from 'node:http';
import { freePort } from '../../test/support/free-port.js';
import { findChromium } from '../../test/support/mailbox-page.js';
import { PageBrowser } from '../../test/support/page-browser.js';
import { median, quantile } from '../../test/support/statistics.js';
import type { Run } from './command.js';
import { openConsoles } from './console-tails.js';
import { populate } from './database.js';
import { type PageAddress, type PageVisit, visitOften } from './page-visits.js';
import { startServer } from './servers.js';

export interface PagesOptions {
  /** Answers of each page. */
  readonly answers: number;
  /** Visits of each page by the browser. */
  readonly visits: number;
}

export interface PageFigures extends Partial<PageVisit> {
  /** Path; those of the console have their own port. */
  readonly page: string;
  readonly isConsole: boolean;
  /** Time of the server for the document; absent for the console, whose document is the same for all pages. */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Of the document alone, uncompressed. */
  readonly bytes?: number;
}

export interface SeenPages {
  readonly pages: readonly PageFigures[];
  /** Version of the browser; absent without one. */
  readonly browser?: string;
}

const WARM_UP_ANSWERS = 500;
const PASSWORD = 'correct horse battery';

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };
/** The first with a chart, a long list, and one of everything. */
const CONSOLE_PAGES: readonly string[] = ['/overview', '/users', '/activity', '/configuration'];

export async function measurePages({ root, database, progress }: Run, options: PagesOptions): Promise<SeenPages> {
  const databaseUrl = await database.create('pages');
  const settings = {
    PAGES_ENABLED: 'true',
    RATE_LIMIT_AUTHORIZE: '1000000',
    CONSOLE_PORT: String(await freePort()),
  };
  const serverOptions = { root, databaseUrl, cwd: database.directory, settings };
  const server = await startServer(serverOptions);
  await populate(databaseUrl);
  const addresses = await openPages(server.url);
  const pages: PageFigures[] = [];
  for (const address of addresses) {
    progress(`${address.page}: the server`);
    pages.push({ page: address.page, isConsole: false, ...(await timeAnswers(address, options.answers)) });
  }
  const executablePath = findChromium();
  if (executablePath === null) return { pages };
  const [console] = await openConsoles(serverOptions, 1);
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const see = (address: PageAddress, window: typeof PHONE) => {
    progress(`${address.page}: the browser`);
    return visitOften(browser, address, window, options.visits);
  };
  try {
    for (const [index, address] of addresses.entries()) {
      pages[index] = { ...pages[index]!, ...(await see(address, PHONE)) };
    }
    for (const path of CONSOLE_PAGES) {
      const address = {
        page: `console ${path}`,
        url: `${console!.origin}${path}`,
        cookie: console!.cookie,
        shows: '#main .view',
      };
      pages.push({ page: address.page, isConsole: true, ...(await see(address, DESK)) });
    }
    return { pages, browser: browser.version() };
  } finally {
    await browser.close();
  }
}

/** Pages of one flow, and the list of accounts of a browser that has signed in. */
async function openPages(origin: string): Promise<PageAddress[]> {
  const email = 'ada@example.com';
  await fetch(`${origin}/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const begin = '/authorize?provider=custom:hosted';
  const browser = await new PageBrowser(origin).open(begin);
  const addressOf = (page: string, url = browser.url.replace('sign-in', page)): PageAddress => ({
    page: `/ui/${page}`,
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
async function timeAnswers({ url, cookie }: PageAddress, answers: number) {
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
