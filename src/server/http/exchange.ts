/**
 * One request and its answer: the only file that touches the engine's request and response objects (SEC-02).
 * Facts it lives by: the request object dies with the route callback; body chunks are emptied after the data callback;
 * the response is dead after its abort call; an answer given in the callback, or in a microtask of it, lets a second
 * request hidden in the same packet run (SEC-04).
 */
import { STATUS_CODES } from 'node:http';
import type { Refusal } from '../errors.js';
import { readAddress, readClientIp } from './addresses.js';
import type { EngineRequest, EngineResponse } from './engine.js';
import { checkFraming, isClosedByEngine } from './guard.js';
import type { Standing } from './line.js';
import type { RequestWatch } from './options.js';
import { type Answer, KEEPING } from './reply.js';
import { type BodyBudget, type BodySender, RequestBody } from './request-body.js';

/** Who is told when an exchange may be answered, and when it is lost. Calls come from the engine's stack. */
export interface ExchangeOwner {
  ready(exchange: Exchange): void;
  lost(exchange: Exchange): void;
  readonly bodies: BodyBudget;
  /** Most bytes of a body that the route of an exchange takes. */
  bodyLimitOf(exchange: Exchange): number;
  /** Whom an exchange counts as, for the share of memory. */
  clientKeyOf(exchange: Exchange): string;
}

/**
 * How long the rest of a body over the limit is read and thrown away before the 413. Closing at once would reset the
 * connection under a client that is still sending, and it would never see why.
 */
const DISCARD_MS = 30;
const EMPTY = Buffer.alloc(0);
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

const statusLines = new Map<number, string>();
let collected: string[] = [];
const collect = (name: string, value: string): void => {
  collected.push(name, value);
};

export class Exchange implements Standing<Exchange>, BodySender {
  readonly startedAt = performance.now();
  readonly method: string;
  /** Path as it stood on the request line. */
  readonly rawPath: string;
  readonly rawQuery: string;
  /** Whom the request says it comes from (addresses.ts). */
  readonly clientIp: string | null;
  readonly #headers: readonly string[];
  readonly #response: EngineResponse;
  readonly #owner: ExchangeOwner;
  #socketAddress: string | undefined;
  /** Null when there is none, and when it was thrown away. */
  #body: RequestBody | null = null;
  #isReady = false;
  /** Set when the request is refused before anyone looks at its meaning; the connection ends with it. */
  refusal: Refusal | null = null;
  /** True: the connection ends with the answer. */
  mustClose: boolean;
  isBodyComplete = false;
  isAborted = false;
  isAnswered = false;
  /** Of the line of requests in flight. */
  before: Exchange | null = null;
  after: Exchange | null = null;
  isStanding = false;
  /** Filled in by the pipeline as it learns them. */
  id = '';
  route: string | null = null;
  params: Readonly<Record<string, string>> = NO_PARAMS;
  grantType: string | undefined;
  watch: RequestWatch | undefined;
  isQuiet = false;

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
    const framing = checkFraming(this.method, this.rawPath.length + this.rawQuery.length, this.#headers);
    this.mustClose = framing.mustClose;
    if (framing.hasBody) {
      const body = new RequestBody(owner.bodies, this);
      this.#body = body;
      const refusal = framing.refusal ?? body.judge(framing.announcedBytes);
      if (refusal !== null) this.#refuseEarly(refusal);
      response.onData((chunk, isLast) => this.#receive(chunk, isLast));
    } else {
      this.isBodyComplete = true;
      this.#becomeReady();
    }
  }

  /** @param name lower case. @returns the first value */
  header(name: string): string | undefined {
    const headers = this.#headers;
    for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1];
    return undefined;
  }

  /** @param name lower case. @returns the value of each line, in order */
  headerLines(name: string): string[] {
    return this.#headers.filter((_, i) => i % 2 === 1 && this.#headers[i - 1] === name);
  }

  /**
   * The other end of the connection; '' when it is gone before anybody has asked. Behind a proxy hardly anybody does, and
   * the engine takes a system call and a buffer for it, 1.5 % of a refresh.
   */
  get socketAddress(): string {
    this.#socketAddress ??= this.isOver ? '' : readAddress(new Uint8Array(this.#response.getRemoteAddress()));
    return this.#socketAddress;
  }

  /** The whole body; empty when it was thrown away. */
  get body(): Buffer {
    return this.#body?.bytes ?? EMPTY;
  }

  get bodyLimit(): number {
    return this.#owner.bodyLimitOf(this);
  }

  get clientKey(): string {
    return this.#owner.clientKeyOf(this);
  }

  /** True when nobody waits for an answer any more. */
  get isOver(): boolean {
    return this.isAnswered || this.isAborted;
  }

  /**
   * Writes the answer in one go. Must run in a macrotask of its own, never on the engine's stack.
   * @returns false when there is no one to answer any more
   */
  answer(answer: Answer): boolean {
    if (this.isOver) return false;
    this.isAnswered = true;
    if (!this.isBodyComplete) this.mustClose = true;
    this.#dropBody();
    this.#response.cork(() => this.#write(answer));
    // See #write: the engine can end a bodiless answer, or close, but not both without inventing a length.
    if (answer.body === null && this.mustClose) this.#response.close();
    return true;
  }

  #write({ status, headers, headerBlock, body }: Answer): void {
    const response = this.#response;
    if (status !== 200) response.writeStatus(statusLine(status));
    if (body === null && this.mustClose) {
      response.writeHeader('Connection', 'close');
      const last = headers.length - 2;
      for (let i = 0; i < last; i += 2) response.writeHeader(headers[i]!, headers[i + 1]!);
      // The second CRLF ends the head: endWithoutBody(undefined, true) would send a Content-Length of 2^63.
      response.writeHeader(headers[last]!, `${headers[last + 1]}\r\n`);
      return;
    }
    // The engine writes a value as it is, line breaks too, and six calls cost 0.8 µs more than one.
    if (headerBlock !== undefined && !this.mustClose) response.writeHeader(headers[0]!, headerBlock);
    else {
      for (let i = 0; i < headers.length; i += 2) response.writeHeader(headers[i]!, headers[i + 1]!);
      if (!this.mustClose) for (const [name, value] of KEEPING) response.writeHeader(name, value);
      // In all other cases end() says it.
      else if (isClosedByEngine(this.header('connection'))) response.writeHeader('Connection', 'close');
    }
    if (body === null) response.endWithoutBody();
    else response.end(body, this.mustClose);
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.isAnswered) return;
    const refusal = this.#body?.take(chunk, isLast) ?? null;
    if (refusal !== null) this.#refuseEarly(refusal);
    if (!isLast) return;
    this.isBodyComplete = true;
    this.#becomeReady();
  }

  /** What is refused for its framing must end at once; what is only too much may see the answer first. */
  #refuseEarly(refusal: Refusal): void {
    this.refusal = refusal;
    this.mustClose = true;
    this.#dropBody();
    if (refusal.status === 400) this.#becomeReady();
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

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Status'}`;
    statusLines.set(status, line);
  }
  return line;
}

const UNSERVED = JSON.stringify({
  code: 503,
  error_code: 'service_unavailable',
  msg: 'The server is shutting down, please retry.',
});

/** Answers what reached the acceptor because no edge was there to take it. */
export function refuseUnserved(response: EngineResponse, request: EngineRequest): void {
  const isSilent = isClosedByEngine(request.getHeader('connection'));
  let isAborted = false;
  response.onAborted(() => {
    isAborted = true;
  });
  setImmediate(() => {
    if (isAborted) return;
    response.cork(() => {
      response.writeStatus(statusLine(503)).writeHeader('Retry-After', '1');
      if (isSilent) response.writeHeader('Connection', 'close');
      response.writeHeader('Content-Type', 'application/json').end(UNSERVED, true);
    });
  });
}
