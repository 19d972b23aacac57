import type { View } from './layout.js';
import type { Visit } from './visit.js';

/** Makes a page of a visit, or leads to another one. */
export type PageOf = (visit: Visit) => View | PageOutcome | Promise<View | PageOutcome>;

/** Where a request leads: to another page of the flow, or to one that is shown at once. */
export type PageOutcome =
  | {
      /** Relative to the page, with its query. */
      readonly to: string;
      /** New secret of the browser; absent: it keeps its own. */
      readonly secret?: string;
      readonly view?: never;
      readonly file?: never;
    }
  | { readonly view: View; readonly secret?: string; readonly to?: never; readonly file?: never }
  /** The browser saves it. */
  | {
      readonly file: { readonly name: string; readonly type: string; readonly text: string };
      readonly secret?: never;
      readonly to?: never;
      readonly view?: never;
    };
