/** A request of a browser for a page, with what every page needs. */
import type { BrowserAccount, PageFlow } from '../../db/pages.js';
import type { ApiError } from '../errors.js';
import type { ApiRequest } from '../http/types.js';
import type { App, Client } from '../runtime/app.js';
import type { Language, Pages, Words } from './contract.js';

export interface Visit {
  readonly app: App;
  readonly pages: Pages;
  readonly client: Client;
  /** Audience of new accounts. */
  readonly audience: string;
  readonly query: ReadonlyMap<string, string>;
  /** As it was sent; empty with a GET. */
  readonly form: ReadonlyMap<string, string>;
  readonly language: Language;
  readonly words: Words;
  /** From the page to /ui/, since links are relative: `../` for each folder between them. */
  readonly up: string;
  readonly flow: PageFlow;
  /** The flow was begun by this request: there was none, or it has expired. */
  readonly isNewFlow: boolean;
  readonly accounts: readonly BrowserAccount[];
  readonly secretHash: string;
  /** Value of the hidden field of forms. */
  readonly formToken: string;
  /** What went wrong with the form that was sent before; null: nothing. */
  readonly error: ApiError | null;
  /** As it was typed before, else as the flow knows it. */
  readonly address: string;
  /** Of the request. */
  readonly requestId: string;
  readonly request: ApiRequest;
}
