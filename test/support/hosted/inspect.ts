/** What can be measured of a page in a browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CDPSession, Page, Response } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.0 to 2.2, A and AA. */
const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Of all that axe-core finds, which takes milliseconds on its way. */
interface AxeResults {
  readonly violations: readonly { id: string; nodes: readonly { target: unknown; failureSummary?: string }[] }[];
  readonly passes: number;
}

export interface AxeReport {
  /** What is wrong with the page as it is shown now, one line for each place. */
  readonly faults: string[];
  /** How many rules it has passed. */
  readonly passes: number;
}

/**
 * Asks axe-core, which comes into the document with the first question; the policy of the page does not apply to it.
 * @param except selector of a part that is not asked about
 */
export async function findAxeFaults(page: Page, except?: string): Promise<AxeReport> {
  const results = (await runAxe(page, except)) ?? (await addAxe(page).then(() => runAxe(page, except)));
  const { violations, passes } = results!;
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${String(target)}: ${failureSummary?.replace(/\s+/g, ' ')}`),
  );
  return { faults, passes };
}

/** Of each page that has been asked about. They stay: the end of a session takes the virtual authenticators of the page, too. */
const sessions = new WeakMap<Page, CDPSession>();

/** By the protocol of the browser, whose cache of compiled scripts knows it from the document before. */
async function addAxe(page: Page): Promise<void> {
  const devtools = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, devtools);
  await devtools.send('Runtime.evaluate', { expression: axeSource, silent: true, returnByValue: true });
}

/**
 * axe-core pauses before each of its rules, so that a person at the page can go on; a browser makes 4 ms of each pause, and
 * draws meanwhile. No person is at this page, so a timer without a delay runs at once.
 * @returns null if axe-core is not in the document yet
 */
const runAxe = (page: Page, except?: string): Promise<AxeResults | null> =>
  page.evaluate(
    async ({ levels, except }) => {
      // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
      const api = globalThis as any;
      if (api.axe === undefined) return null;
      const { setTimeout, document } = api;
      api.setTimeout = (work: () => void, delayMs = 0, ...given: unknown[]) =>
        delayMs > 0 ? setTimeout(work, delayMs, ...given) : void Promise.resolve().then(work);
      try {
        const { violations, passes } = await api.axe.run(except === undefined ? document : { exclude: [[except]] }, {
          runOnly: levels,
          resultTypes: ['violations'],
          rules: { 'target-size': { enabled: true } },
        });
        return { violations, passes: passes.length };
      } finally {
        api.setTimeout = setTimeout;
      }
    },
    { levels: LEVELS, except },
  );

/** @returns the sum of unexpected movements (CLS) since the page was opened */
export const readLayoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        const api = globalThis as any;
        new api.PerformanceObserver((list: { getEntries(): { value: number }[] }) => {
          for (const { value } of list.getEntries()) sum += value;
        }).observe({ type: 'layout-shift', buffered: true });
        api.requestAnimationFrame(() => setTimeout(() => resolve(sum), 0));
      }),
  );

/** @returns by how many pixels the page is wider than the window */
export const readOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
    const { document, innerWidth } = globalThis as any;
    return document.documentElement.scrollWidth - innerWidth;
  });

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly autocomplete: string;
}

/** @returns the fields of the page that a person or a password manager fills in */
export const readFields = (page: Page): Promise<Field[]> =>
  page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
    const inputs: any[] = [...(globalThis as any).document.querySelectorAll('input, textarea')];
    return inputs
      .filter(({ name, type }) => name !== '' && type !== 'hidden' && type !== 'checkbox')
      .map(({ name, type, autocomplete }) => ({ name, type, autocomplete }));
  });

/** Bytes that a file took on its way, compressed. @returns null for one that came from the cache */
export async function readWeight(response: Response): Promise<number | null> {
  if (response.status() >= 300 && response.status() < 400) return null;
  const { responseBodySize, responseHeadersSize } = await response.request().sizes();
  return responseBodySize + responseHeadersSize;
}
