/** Open consoles that show what happens as it happens: pages that ask every two seconds. */
import { setTimeout as pause } from 'node:timers/promises';
import { ConsoleBrowser, inviteOperator, signInByLink } from '../../test/support/console-browser.js';
import { sideAt } from './load-window.js';
import { configOf, type ServerOptions } from './servers.js';

/** As the pages of the console do. */
const POLL_MS = 2000;
/** The most that one answer has: each of ours is full, as if a hundred people signed in every second. */
const FULL = 200;
const START_MS = 10_000;
/** Before every entry. */
const SINCE = '2000-01-01T00:00:00Z';

/** The console listens a moment after the API is ready. @throws Error when nothing answers there in time */
async function waitForConsole(browser: ConsoleBrowser): Promise<void> {
  for (const endMs = performance.now() + START_MS; ; await pause(50)) {
    try {
      await browser.get('/');
      return;
    } catch (error) {
      if (performance.now() > endMs) throw new Error(`The console does not answer: ${(error as Error).message}`);
    }
  }
}

/** @param options of a server with a console. @returns one browser a console, each signed in as an operator of its own */
export async function openConsoles(options: ServerOptions, count: number): Promise<readonly ConsoleBrowser[]> {
  const config = configOf(options);
  const browsers: ConsoleBrowser[] = [];
  await waitForConsole(new ConsoleBrowser(config.consolePort!));
  for (let n = 1; n <= count; n++) {
    const { link } = await inviteOperator(config, `operator-${n}`, 'viewer');
    const browser = new ConsoleBrowser(config.consolePort!);
    await signInByLink(browser, link);
    browsers.push(browser);
  }
  return browsers;
}

/**
 * Lets consoles ask in turn, as often as that many would, in every second slice of the time that a work takes.
 * @param sliceMs length of a slice; consoles ask in those of side 1
 * @throws Error when an answer was not 200, or not full
 */
export async function whileFollowed<Result>(
  browsers: readonly ConsoleBrowser[],
  sliceMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController();
  const intervalMs = POLL_MS / browsers.length;
  const wait = () => pause(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  async function follow(): Promise<void> {
    for (let turn = 0; !stopping.signal.aborted; await wait()) {
      if (sideAt(sliceMs) !== 1) continue;
      const { status, body } = await browsers[turn++ % browsers.length]!.get(`/api/activity/tail?since=${SINCE}`);
      if (status !== 200) throw new Error(`A console was answered ${status}`);
      if (body.entries.length < FULL) throw new Error(`Only ${body.entries.length} entries can be followed`);
    }
  }
  const following = follow();
  const result = await work().finally(() => stopping.abort());
  await following;
  return result;
}
