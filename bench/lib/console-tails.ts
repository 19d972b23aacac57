/** Open consoles that show what happens as it happens: pages that ask every two seconds. */
import { setTimeout as pause } from 'node:timers/promises';
import { ConsoleBrowser, inviteOperator, signInByLink } from '../../test/support/console-browser.js';
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
 * @returns lets consoles ask in turn, as often as that many would, until the signal; throws when an answer was not 200, or
 * not full
 */
export function makeFollowing(browsers: readonly ConsoleBrowser[]): (signal: AbortSignal) => Promise<void> {
  const intervalMs = POLL_MS / browsers.length;
  let turn = 0;
  return async (signal) => {
    for (; !signal.aborted; await pause(intervalMs, undefined, { signal }).catch(() => undefined)) {
      const { status, body } = await browsers[turn++ % browsers.length]!.get(`/api/activity/tail?since=${SINCE}`);
      if (status !== 200) throw new Error(`A console was answered ${status}`);
      if (body.entries.length < FULL) throw new Error(`Only ${body.entries.length} entries can be followed`);
    }
  };
}
