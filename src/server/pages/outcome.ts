import type { ApiError } from '../errors.js';
import type { TextKey } from './contract.js';
import type { View } from './layout.js';
import type { Visit } from './visit.js';

/** Makes a page of a visit. */
export type PageOf = (visit: Visit) => View | Promise<View>;

/** Where a request leads: to another page of the flow, or to one that is shown at once. */
export type PageOutcome =
  | {
      /** Relative to the page, with its query. */
      readonly to: string;
      /** New secret of the browser; absent: it keeps its own. */
      readonly secret?: string;
      readonly view?: never;
    }
  | { readonly view: View; readonly secret?: string; readonly to?: never };

/** The visit with a text above its page. */
export const withNotice = (visit: Visit, notice: TextKey): Visit => ({ ...visit, notice });

/** The visit with an error above its page. */
export const withError = (visit: Visit, error: ApiError): Visit => ({ ...visit, error });
