/**
 * One request and its answer: the only file that uses the engine's request and response objects (SEC-02). The request
 * object is valid only inside the route callback, and a body chunk only inside the data callback. The response must not
 * be used after its abort callback. An answer sent in the route callback, or in one of its microtasks, lets a second
 * request hidden in the same packet run (SEC-04).
 */
import type { ApiError } from '../errors.js';
import type { RequestWatch } from '../telemetry/edge.js';
import { type ErrorForm, errorFormOf } from './challenge.js';
import { formatCachedAddress, readClientIp, SB_FORWARDED_FOR } from './client-address.js';
import type { EngineRequest, EngineResponse } from './engine.js';
import { checkFraming, isClosedByEngine } from './guard.js';
import type { ListNode } from './linked-list.js';
import type { RequestRefusal } from './options.js';
import { type Answer, KEEP_ALIVE_HEADERS, UNSERVED } from './reply.js';
import { type BodyBudget, type BodySender, RequestBody } from './request-body.js';
import { statusLine } from './status-line.js';
import type { ProvisioningAnswer, Reply, Route } from './types.js';

/** Receives exchanges that may be answered or are lost. The calls come from the engine's stack. */
export interface ExchangeOwner {
  ready(exchange: Exchange): void;
  lost(exchange: Exchange): void;
  readonly bodies: BodyBudget;
  /** Limit of the body of the exchange's endpoint, in bytes. */
  bodyLimitOf(exchange: Exchange): number;
  /** Client that the exchange's memory counts for. */
  clientKeyOf(exchange: Exchange): string;
  /** Whether Sb-Forwarded-For states the client's address. */
  readonly readsSbForwardedFor: boolean;
}

/**
 * Time in which the rest of a body over the limit is read and discarded before the 413. Closing at once would reset the
 * connection of a client that is still sending, and the client would never see the answer.
 */
const DISCARD_MS = 30;
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});
const AT_MESSAGE = Object.freeze({ step: 'message', caller: undefined } as const);

let collected: string[] = [];
const collect = (name: string, value: string): void => {
  collected.push(name, value);
};

export class Exchange implements ListNode<Exchange>, BodySender {
  readonly startedAt = performance.now();
  readonly method: string;
  /** Path of the request line, not decoded. */
  readonly rawPath: string;
  readonly rawQuery: string;
  /** See readClientIp(). */
  readonly clientIp: string | null;
  readonly #headers: readonly string[];
  readonly #response: EngineResponse;
  readonly #owner: ExchangeOwner;
  #socketAddress: string | undefined;
  /** Null when there is none or it was dropped. */
  #body: RequestBody | null = null;
  #isReady = false;
  /** Why the request is rejected before it is routed; the connection ends with the answer. */
  rejection: ApiError | null = null;
  /** True: the connection ends with the answer. */
  mustClose: boolean;
  isBodyComplete = false;
  isAborted = false;
  isAnswered = false;
  /** Links of the list of requests in flight. */
  previous: Exchange | null = null;
  next: Exchange | null = null;
  isListed = false;
  /** Set by the pipeline. */
  id = '';
  route: string | null = null;
  params: Readonly<Record<string, string>> = NO_PARAMS;
  grantType: string | undefined;
  watch: RequestWatch | undefined;
  request: ProvisioningAnswer['request'] | null = null;
  isQuiet = false;
  /** Renders an API error as a page; null: as JSON. */
  errorPage: ((error: ApiError) => Promise<Reply>) | null = null;
  /** Of the answer, beside those that it has itself: flat list of names and values. */
  addedHeaders: readonly string[] | null = null;
  /** How its route tells errors. */
  errorForm: ErrorForm = 'plain';
  /** Where a refusal was decided; requests that were never served fail at their message. */
  refusedAt: Pick<RequestRefusal, 'step' | 'caller'> = AT_MESSAGE;

  constructor(response: EngineResponse, request: EngineRequest, owner: ExchangeOwner) {
    response.onAborted(() => this.#abort());
    this.#response = response;
    this.#owner = owner;
    this.method = request.getCaseSensitiveMethod();
    this.rawPath = request.getUrl();
    this.rawQuery = request.getQuery() ?? '';
    collected = [];
    request.forEach(collect);
    this.#headers = collected;
    this.clientIp = readClientIp(this.header('x-forwarded-for'), () => this.socketAddress);
    if (owner.readsSbForwardedFor) this.clientIp = readClientIp(this.header(SB_FORWARDED_FOR), () => this.clientIp);
    const framing = checkFraming(this.method, this.rawPath.length + this.rawQuery.length, this.#headers);
    this.mustClose = framing.mustClose;
    if (framing.hasBody) {
      const body = new RequestBody(owner.bodies, this);
      this.#body = body;
      const rejection = framing.rejection ?? body.check(framing.announcedBytes);
      if (rejection !== null) this.#rejectEarly(rejection);
      response.onData((chunk, isLast) => this.#receive(chunk, isLast));
    } else {
      this.isBodyComplete = true;
      this.#becomeReady();
    }
  }

  /** Takes over what its route says, and the rules of the configuration for it. */
  follow(
    route: Pick<Route<unknown>, 'path' | 'quiet' | 'oauthErrors' | 'resourceErrors' | 'scimErrors'>,
    params: Readonly<Record<string, string>>,
    addedHeaders: readonly string[] | null,
  ): void {
    this.route = route.path;
    this.params = params;
    this.addedHeaders = addedHeaders;
    this.isQuiet = route.quiet === true;
    this.errorForm = errorFormOf(route);
  }

  /** @param name lower case. @returns the first value */
  header(name: string): string | undefined {
    const headers = this.#headers;
    for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1];
    return undefined;
  }

  /** @param name lower case. @returns all values, in order */
  headerValues(name: string): string[] {
    return this.#headers.filter((_, i) => i % 2 === 1 && this.#headers[i - 1] === name);
  }

  /**
   * The peer's address; '' when the connection ended before the first call. It is read on demand, since behind a proxy
   * it is rarely needed and takes a system call.
   */
  get socketAddress(): string {
    this.#socketAddress ??= this.isOver ? '' : formatCachedAddress(new Uint8Array(this.#response.getRemoteAddress()));
    return this.#socketAddress;
  }

  /** The whole body; empty when it was dropped. */
  get body(): Buffer {
    return this.#body?.bytes ?? Buffer.alloc(0);
  }

  get bodyLimit(): number {
    return this.#owner.bodyLimitOf(this);
  }

  get clientKey(): string {
    return this.#owner.clientKeyOf(this);
  }

  /** The client does not wait for an answer any more. */
  get isOver(): boolean {
    return this.isAnswered || this.isAborted;
  }

  /**
   * Writes the answer. Must run in a macrotask of its own, never on the engine's stack.
   * @returns false when the client does not wait any more
   */
  answer(answer: Answer): boolean {
    if (this.isOver) return false;
    this.isAnswered = true;
    if (!this.isBodyComplete) this.mustClose = true;
    this.#dropBody();
    this.#response.cork(() => this.#write(answer));
    // See #write: the engine can end an answer without a body, or close, but not both.
    if (this.mustClose && (answer.body === null || this.method === 'HEAD')) this.#response.close();
    return true;
  }

  #write({ status, headers, headerBlock, body }: Answer): void {
    const response = this.#response;
    if (status !== 200) response.writeStatus(statusLine(status));
    const isBodiless = body === null || this.method === 'HEAD';
    // RFC 9110 9.3.2: HEAD is answered as GET, with the length of what that would send. After endWithoutBody(length) the
    // engine would wait for a body.
    if (isBodiless && body !== null) response.writeHeader('Content-Length', String(Buffer.byteLength(body)));
    if (isBodiless && this.mustClose) {
      response.writeHeader('Connection', 'close');
      const last = headers.length - 2;
      for (let i = 0; i < last; i += 2) response.writeHeader(headers[i]!, headers[i + 1]!);
      // The second CRLF ends the head: endWithoutBody(undefined, true) would send a Content-Length of 2^63.
      response.writeHeader(headers[last]!, `${headers[last + 1]}\r\n`);
      return;
    }
    // The engine writes values unchecked, so one call can write several headers; six calls take 0.8 µs more.
    if (headerBlock !== undefined && !this.mustClose) response.writeHeader(headers[0]!, headerBlock);
    else {
      for (let i = 0; i < headers.length; i += 2) response.writeHeader(headers[i]!, headers[i + 1]!);
      if (!this.mustClose) for (const [name, value] of KEEP_ALIVE_HEADERS) response.writeHeader(name, value);
      // Otherwise end() writes the header.
      else if (isClosedByEngine(this.header('connection'))) response.writeHeader('Connection', 'close');
    }
    if (isBodiless) response.endWithoutBody();
    else response.end(body, this.mustClose);
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.isAnswered) return;
    const rejection = this.#body?.take(chunk, isLast) ?? null;
    if (rejection !== null) this.#rejectEarly(rejection);
    if (!isLast) return;
    this.isBodyComplete = true;
    this.#becomeReady();
  }

  /** Framing errors end at once; for a body that is only too large the client may read the answer first. */
  #rejectEarly(rejection: ApiError): void {
    this.rejection = rejection;
    this.mustClose = true;
    this.#dropBody();
    if (rejection.status === 400) this.#becomeReady();
    else setTimeout(() => this.#becomeReady(), DISCARD_MS);
  }

  #dropBody(): void {
    this.#body?.drop();
    this.#body = null;
  }

  #becomeReady(): void {
    if (this.#isReady || this.isAborted) return;
    this.#isReady = true;
    this.#owner.ready(this);
  }

  #abort(): void {
    if (this.isAnswered) return;
    this.isAborted = true;
    this.#dropBody();
    this.#owner.lost(this);
  }
}

/** Answers requests that reach the acceptor while it has no child edge. */
export function rejectUnserved(response: EngineResponse, request: EngineRequest): void {
  const isSilent = isClosedByEngine(request.getHeader('connection'));
  const isHead = request.getCaseSensitiveMethod() === 'HEAD';
  let isAborted = false;
  response.onAborted(() => {
    isAborted = true;
  });
  setImmediate(() => {
    if (isAborted) return;
    response.cork(() => {
      response.writeStatus(statusLine(503)).writeHeader('Retry-After', '1');
      if (isSilent || isHead) response.writeHeader('Connection', 'close');
      if (isHead) response.writeHeader('Content-Type', 'application/json\r\n');
      else response.writeHeader('Content-Type', 'application/json').end(UNSERVED, true);
    });
    if (isHead) response.close();
  });
}
