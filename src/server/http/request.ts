/** A request as handlers see it. What not every handler asks for is worked out when asked. */
import { randomUUID } from 'node:crypto';
import { readBearer } from './bearer.js';
import type { Exchange } from './exchange.js';
import type { ApiRequest, Method, Route } from './types.js';
import { parseForm } from './url.js';

/** Of what is stored; real ones stay below 300. */
const MAX_USER_AGENT_LENGTH = 512;

export class EdgeRequest implements ApiRequest {
  readonly #exchange: Exchange;
  readonly method: Method;
  readonly route: string;
  readonly #readsForm: boolean;
  body: unknown = undefined;
  caller: unknown = undefined;
  #form: ReadonlyMap<string, string> | undefined;

  constructor(
    exchange: Exchange,
    readonly id: string,
    readonly path: string,
    { path: pattern, form }: Pick<Route<unknown>, 'path' | 'form'>,
    readonly params: Readonly<Record<string, string>>,
    readonly query: ReadonlyMap<string, string>,
  ) {
    this.#exchange = exchange;
    this.method = exchange.method as Method;
    this.route = pattern;
    this.#readsForm = form === true;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  headerLines(name: string): readonly string[] {
    return this.#exchange.headerLines(name);
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
    // The cut may go through a pair of surrogates.
    return text.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed();
  }

  get bearerToken(): string | null {
    return readBearer(this.#exchange.header('authorization'));
  }

  get form(): ReadonlyMap<string, string> {
    this.#form ??= parseForm(this.#readsForm && isForm(this.#exchange) ? this.#exchange.body.toString('utf8') : '');
    return this.#form;
  }
}

/** True when the body says it is a form. Routes that want JSON do not ask: `curl -d` says so of everything it sends. */
function isForm(exchange: Exchange): boolean {
  const type = exchange.header('content-type');
  return type !== undefined && /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
}

/** The request's id: the configured header's value when it is harmless, else a fresh UUIDv4 (SEC-72). */
export function readRequestId(exchange: Exchange, headerName: string | null): string {
  if (headerName !== null) {
    const given = exchange.header(headerName);
    if (given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given)) return given;
  }
  return randomUUID();
}
