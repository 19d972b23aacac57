/** A request as handlers see it. Rarely needed members are computed on demand. */
import { randomUUID } from 'node:crypto';
import { readBasicPassword, readBearer, readDpopToken } from './bearer.js';
import type { Exchange } from './exchange.js';
import type { ApiRequest, CallerKind, Route } from './types.js';
import { parseForm, readLinkQuery, valuesOf } from './url.js';

/** Limit of what is stored; usual ones have less than 300. */
const MAX_USER_AGENT_LENGTH = 512;

export class EdgeRequest implements ApiRequest {
  readonly #exchange: Exchange;
  readonly method: ApiRequest['method'];
  readonly route: string;
  readonly #readsForm: boolean;
  body: unknown = undefined;
  caller: unknown = undefined;
  #form: ReadonlyMap<string, string> | undefined;
  readonly id: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;

  constructor(
    exchange: Exchange,
    id: string,
    path: string,
    { path: pattern, form, isMailed }: Pick<Route<unknown>, 'path' | 'form' | 'isMailed'>,
    params: Readonly<Record<string, string>>,
    query: ReadonlyMap<string, string>,
  ) {
    this.id = id;
    this.path = path;
    this.params = params;
    this.query = isMailed === true ? readLinkQuery(exchange.rawQuery) : query;
    this.#exchange = exchange;
    this.method = exchange.method as ApiRequest['method'];
    this.route = pattern;
    exchange.request = this;
    this.#readsForm = form !== undefined;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  headerValues(name: string): readonly string[] {
    return this.#exchange.headerValues(name);
  }

  get rawQuery(): string {
    return this.#exchange.rawQuery;
  }

  get socketAddress(): string {
    return this.#exchange.socketAddress;
  }

  get clientIp(): string | null {
    return this.#exchange.clientIp;
  }

  get userAgent(): string | null {
    const text = this.#exchange.header('user-agent');
    if (text === undefined || text.length <= MAX_USER_AGENT_LENGTH) return text ?? null;
    // The cut may split a surrogate pair.
    return text.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed();
  }

  get bearerToken(): string | null {
    return readBearer(this.#exchange.header('authorization'));
  }

  get accessToken(): string | null {
    return this.bearerToken ?? readDpopToken(this.#exchange.header('authorization'));
  }

  /** Where such a caller has its token; only users may have one that is bound to a key, and some provisioners only offer a password. */
  tokenOf(caller: CallerKind): string | null {
    if (caller === 'scim') return this.bearerToken ?? readBasicPassword(this.#exchange.header('authorization'));
    return caller === 'user' ? this.accessToken : this.bearerToken;
  }

  get form(): ReadonlyMap<string, string> {
    this.#form ??= parseForm(this.#formText);
    return this.#form;
  }

  allValues(name: string): readonly string[] {
    return valuesOf(this.#readsForm ? this.#formText : this.#exchange.rawQuery, name);
  }

  get #formText(): string {
    return this.#readsForm && isForm(this.#exchange) ? this.#exchange.body.toString('utf8') : '';
  }
}

/** Whether the body is a form. Not checked for JSON endpoints: `curl -d` sends this content type with everything. */
export function isForm(exchange: Exchange): boolean {
  const type = exchange.header('content-type');
  return type !== undefined && /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
}

/** The request's id: the configured header's value if it is harmless, else a new UUIDv4 (SEC-72). */
export function readRequestId(exchange: Exchange, headerName: string | null): string {
  if (headerName !== null) {
    const given = exchange.header(headerName);
    if (given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given)) return given;
  }
  return randomUUID();
}
