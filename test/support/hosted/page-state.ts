/** A hosted page in one of its states, and how a browser comes to see it. */
import type { Visitor } from './visitor.js';
import type { WorldName } from './worlds.js';

export interface PageState {
  /** Path at which the state is seen, such as /ui/sign-in; with the names of its parameters. */
  readonly page: `/ui/${string}`;
  /** In kebab-case; with the page it is the name of its picture. */
  readonly state: string;
  readonly world: WorldName;
  /** Uses the pages as a person does, until the browser shows the state. It does not depend on language or scripts. */
  readonly reach: (visitor: Visitor) => Promise<unknown>;
  /** Selector of something that the page shows in this state, and not in every other. */
  readonly shows: string;
  /** HTTP status; default 200. */
  readonly status?: number;
  /** What the page is for needs scripts, such as a security key. */
  readonly needsScripts?: true;
}

/** @returns the name of a state in tests and pictures, such as sign-in.five-accounts */
export const nameOfState = ({ page, state }: PageState): string =>
  `${page.replace('/ui/', '').replaceAll('/', '-').replace(/[{}]/g, '')}.${state}`;

/** Whether a path is one of the page. */
export const isPathOf = ({ page }: PageState, path: string): boolean =>
  new RegExp(`^${page.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
