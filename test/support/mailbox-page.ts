/** A mailbox on a test server, and a headless browser. */
import { accessSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { createMailbox, type Mailbox, mailboxRoutes } from '../../src/dev/mailbox/index.js';
import type { Route } from '../../src/server/http/types.js';
import { atProcessEnd, type Test } from './tap.js';
import { openTestEdge, type TestContext } from './test-edge.js';

export async function openMailbox(t: Test): Promise<{ mailbox: Mailbox; url: string }> {
  const mailbox = createMailbox();
  // These handlers use nothing of their context.
  const routes = mailboxRoutes(mailbox, 'http://auth.test:8081') as unknown as Route<TestContext>[];
  const edge = await openTestEdge({ routes });
  t.teardown(() => edge.close());
  return { mailbox, url: `http://127.0.0.1:${edge.port}` };
}

/** The shell first: it takes half the processor time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** @returns the path of a Chromium on this machine, or null */
export function findChromium(): string | null {
  const exists = (path: string): boolean => {
    try {
      accessSync(path);
      return true;
    } catch {
      return false;
    }
  };
  return PLACES.find(exists) ?? null;
}

/** For what a page shows at last; on a machine with much other load 30 s, the default, are not enough. */
export const PAGE_PATIENCE_MS = 120_000;

/** A test uses contexts of a browser, each with storage of its own. */
export interface TestBrowser extends Pick<Browser, 'newContext'> {
  /** A context that stays open for later tests of the process. */
  newLastingContext: Browser['newContext'];
}

/**
 * Scripts are interpreted, and not optimised: a page of a test lives for a second, and a compiler that optimises for it takes
 * longer than it saves.
 */
const ARGUMENTS = ['--no-sandbox', '--js-flags=--no-maglev --no-turbofan'];

let launched: Promise<Browser> | undefined;

/** One Chromium for all tests of this process: each start takes a second of processor time. */
async function launchOnce(executablePath: string): Promise<Browser> {
  if (launched !== undefined && (await launched).isConnected()) return launched;
  const { chromium } = await import('playwright-core');
  launched = chromium.launch({ executablePath, args: ARGUMENTS });
  const browser = await launched;
  atProcessEnd(() => browser.close());
  return browser;
}

/** @returns a browser; what the test opens in it is closed when the test ends */
export async function openBrowser(t: Test, executablePath: string): Promise<TestBrowser> {
  const browser = await launchOnce(executablePath);
  return {
    async newContext(options) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(PAGE_PATIENCE_MS);
      t.teardown(() => context.close());
      return context;
    },
    newLastingContext: (options) => browser.newContext(options),
  };
}

/** One of each kind, oldest first. */
export function fill(mailbox: Mailbox, origin: string): void {
  mailbox.addMail({
    to: 'ada@example.com',
    subject: 'Confirm Your Signup',
    html: `<h2>Confirm your signup</h2><p style="color: rgb(1, 2, 3)">Follow this link to confirm your user:</p><p><a href="${origin}/verify?token=0f3a&amp;type=signup">Confirm your mail</a></p><script>parent.document.title = 'broken out'; document.title = 'ran'</script>`,
    headers: { From: 'Example <no-reply@example.com>', 'X-Mail-Type': 'confirmation' },
    text: 'Follow this link to confirm your user',
  });
  mailbox.addSms({ to: '15555550100', text: 'Your code is 482913', code: '482913' });
  mailbox.addMail({
    to: 'grace@example.com',
    subject: 'Confirm Reauthentication <b>&',
    html: '<h2>Confirm reauthentication</h2><p>Enter the code: 739204</p>',
    text: 'Enter the code: 739204',
  });
}
