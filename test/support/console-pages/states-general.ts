/** States that every page of the console has: there, loading, without an answer, refused, away, not for this role. */
import type { Page } from 'playwright-core';
import type { OperatorRole } from '../../../src/server/http/types.js';
import type { OpenedPage, PageOptions } from '../console-page.js';
import type { ConsoleState, KnownPage } from './console-state.js';
import { answerUnavailable, emptyLists, keepWaiting, refuseConnections } from './faulty-api.js';
import { knownPages } from './known-pages.js';
import type { StatePages } from './state-pages.js';

const ROLES: readonly OperatorRole[] = ['viewer', 'support', 'admin', 'owner'];

/** Pages that ask the server for nothing before the operator does. */
const ASK_NOTHING: readonly string[] = ['/redirects'];

/** Pages that always have something to show: operators, seven hooks, one refusal, one company, one organization, built-in roles, a form. */
const NEVER_EMPTY: readonly string[] = [
  '/me',
  '/operators',
  '/hooks',
  '/requests/{request_id}',
  '/redirects',
  '/companies/{sso_provider_id}',
  '/orgs/{organization_id}',
  '/org-roles',
];

/** An address of a page, with an example for its parameter; a trace has states of its own (states-traces.ts). */
const addressOf = ({ examples }: StatePages, pattern: string): string =>
  pattern.replace(/\{(\w+)\}/, (_, name: string) => examples[name] ?? 'none');

async function enter(
  pages: StatePages,
  pattern: string,
  role: OperatorRole,
  options: PageOptions,
  prepare: (page: Page) => Promise<void> = async () => undefined,
): Promise<OpenedPage> {
  const opened = await pages.signIn(role, options);
  await prepare(opened.page);
  await opened.page.goto(`${pages.origin}${addressOf(pages, pattern)}`);
  return opened;
}

const THERE = 'main:not(:has(.skeleton, .alert.error)):has(.view, form) h1';

/** The network is lost while the page is shown. */
const awayState = (pattern: string): ConsoleState => ({
  page: pattern,
  state: 'away',
  shows: 'main .connection .alert',
  async reach(pages, options) {
    const opened = await enter(pages, pattern, 'owner', options);
    await opened.page.locator(THERE).first().waitFor();
    await opened.page.context().setOffline(true);
    return opened;
  },
});

function statesOf({ pattern, role }: KnownPage): readonly ConsoleState[] {
  const state = (name: string, shows: string, prepare?: (page: Page) => Promise<void>): ConsoleState => ({
    page: pattern,
    state: name,
    shows,
    reach: (pages, options) => enter(pages, pattern, 'owner', options, prepare),
  });
  const below = ROLES[ROLES.indexOf(role) - 1];
  const isTrace = pattern.includes('{trace_id}');
  return [
    ...(isTrace ? [] : [state('there', THERE)]),
    ...(ASK_NOTHING.includes(pattern) || isTrace ? [] : [awayState(pattern)]),
    ...(ASK_NOTHING.includes(pattern)
      ? []
      : [
          // The part of the script that is loading has no heading, and before the operator is known there is another one.
          state('loading', '#main:has(.heading) .skeleton', keepWaiting),
          state('no-answer', 'main .alert button', refuseConnections),
          state('unavailable', 'main .alert button', answerUnavailable),
        ]),
    ...(NEVER_EMPTY.includes(pattern) || isTrace ? [] : [state('empty', 'main .empty .title', emptyLists)]),
    ...(below === undefined
      ? []
      : [
          {
            page: pattern,
            state: 'forbidden',
            shows: 'main .empty .title',
            reach: (pages: StatePages, options: PageOptions) => enter(pages, pattern, below, options),
          },
        ]),
  ];
}

export const generalStates: readonly ConsoleState[] = knownPages.flatMap(statesOf);
