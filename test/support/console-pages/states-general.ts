/** States that every page of the console has: there, loading, without an answer, refused, not for this role. */
import type { Page } from 'playwright-core';
import type { OperatorRole } from '../../../src/server/http/types.js';
import type { ConsolePages, OpenedPage, PageOptions } from '../console-page.js';
import type { ConsoleState, KnownPage } from './console-state.js';
import { answerUnavailable, keepWaiting, refuseConnections } from './faulty-api.js';
import { knownPages } from './known-pages.js';

const ROLES: readonly OperatorRole[] = ['viewer', 'support', 'admin', 'owner'];

/** Pages that ask the server for nothing before the operator does. */
const ASK_NOTHING: readonly string[] = ['/redirects'];

/** An address of a page; of one with a parameter, that of an account. */
async function addressOf({ console }: ConsolePages, pattern: string): Promise<string> {
  if (!pattern.includes('{')) return pattern;
  const { rows } = await console.database.admin.query(`select id from users where email = 'ada@example.com'`);
  return pattern.replace(/\{\w+\}/, rows[0].id);
}

async function enter(
  pages: ConsolePages,
  pattern: string,
  role: OperatorRole,
  options: PageOptions,
  prepare: (page: Page) => Promise<void> = async () => undefined,
): Promise<OpenedPage> {
  const opened = await pages.enter(role, options);
  await prepare(opened.page);
  await opened.page.goto(`${pages.origin}${await addressOf(pages, pattern)}`);
  return opened;
}

function statesOf({ pattern, role }: KnownPage): readonly ConsoleState[] {
  const state = (name: string, shows: string, prepare?: (page: Page) => Promise<void>): ConsoleState => ({
    page: pattern,
    state: name,
    shows,
    reach: (pages, options) => enter(pages, pattern, 'owner', options, prepare),
  });
  const below = ROLES[ROLES.indexOf(role) - 1];
  return [
    state('there', 'main:not(:has(.skeleton)) h1'),
    ...(ASK_NOTHING.includes(pattern)
      ? []
      : [
          state('loading', 'main .skeleton', keepWaiting),
          state('no-answer', 'main .alert button', refuseConnections),
          state('unavailable', 'main .alert button', answerUnavailable),
        ]),
    ...(below === undefined
      ? []
      : [
          {
            page: pattern,
            state: 'forbidden',
            shows: 'main .empty .title',
            reach: (pages: ConsolePages, options: PageOptions) => enter(pages, pattern, below, options),
          },
        ]),
  ];
}

export const generalStates: readonly ConsoleState[] = knownPages.flatMap(statesOf);
