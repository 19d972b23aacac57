/** A page of the console in one of its states, and how an operator comes to see it. */
import type { OperatorRole } from '../../../src/server/http/types.js';
import type { OpenedPage, PageOptions } from '../console-page.js';
import type { StatePages } from './state-pages.js';

export interface ConsoleState {
  /** As in src/web/console/pages/index.ts; /sign-in and /link are what comes before. */
  readonly page: string;
  readonly state: string;
  /** Shows the state. Accounts and events of `people` are there already. */
  readonly reach: (pages: StatePages, options: PageOptions) => Promise<OpenedPage>;
  /** Selector of something that the page shows in this state, and not in every other. */
  readonly shows: string;
}

/** @returns the name of a state in tests and pictures, such as users.too-broad */
export const nameOfConsoleState = ({ page, state }: ConsoleState): string =>
  `${page.slice(1).replaceAll('/', '-').replace(/[{}]/g, '')}.${state}`;

/** What every page of the console has to show, whatever it is about. */
export interface KnownPage {
  readonly pattern: string;
  readonly role: OperatorRole;
}
