/** The order of checks between a complete request and its answer; this file is meant to be read from top to bottom. */
import { asRefusal, type Refusal, refuse } from '../errors.js';
import { describeRequest, readGrantType } from './access-entry.js';
import { corsHeaders, createPreflight, type Preflight } from './cors.js';
import type { Exchange, ExchangeOwner } from './exchange.js';
import { DEFAULT_BODY_BYTES } from './guard.js';
import { parseJsonObject } from './json.js';
import { Line } from './line.js';
import type { EdgeOptions } from './options.js';
import { type Answer, renderRefusal, renderReply } from './reply.js';
import { EdgeRequest, readRequestId } from './request.js';
import { BodyBudget } from './request-body.js';
import { createRouter, type Endpoint, type Router } from './router.js';
import type { ApiRequest, Reply, Route } from './types.js';
import { decodePath, readQuery } from './url.js';

/** Deadlines are looked at this often: one timer for all requests, so an answer may come this much late. */
const SWEEP_MS = 250;

export class Pipeline<Context> implements ExchangeOwner {
  readonly #options: EdgeOptions<Context>;
  readonly #router: Router<Context>;
  readonly #preflight: Preflight;
  readonly #inFlight = new Line<Exchange>();
  readonly #sweeper: NodeJS.Timeout;
  #ready: Exchange[] = [];
  /** Requests being worked on: a sender that is slow with its body takes no place from others. */
  #serving = 0;
  readonly #maxServing: number;
  readonly bodies = new BodyBudget();
  #whenIdle: (() => void) | null = null;
  /** From now on every answer closes its connection. */
  isDraining = false;

  /** @throws Error when two routes claim one method and path, or a body schema is wrong */
  constructor(options: EdgeOptions<Context>) {
    this.#options = options;
    this.#maxServing = options.maxInFlight ?? Number.POSITIVE_INFINITY;
    this.#router = createRouter(options.routes);
    this.#preflight = createPreflight(options.corsAllowedHeaders);
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  get inFlight(): number {
    return this.#inFlight.length;
  }

  /** Takes in a request whose head has arrived. */
  open(exchange: Exchange): void {
    this.#inFlight.join(exchange);
  }

  /** By the path as it came: a spelling with percent signs takes what all routes take. */
  bodyLimitOf({ method, rawPath }: Exchange): number {
    return this.#router.match(rawPath)?.methods.get(method)?.route.maxBodyBytes ?? DEFAULT_BODY_BYTES;
  }

  clientKeyOf(exchange: Exchange): string {
    return this.#options.clientKey?.(exchange) ?? exchange.socketAddress;
  }

  /** One macrotask serves all that became ready in one turn of the loop (SEC-04). */
  ready(exchange: Exchange): void {
    if (this.#ready.push(exchange) > 1) return;
    setImmediate(() => {
      const batch = this.#ready;
      this.#ready = [];
      for (const one of batch) if (!one.isOver) this.#start(one);
    });
  }

  #start(exchange: Exchange): void {
    exchange.watch = this.#options.observer?.begin?.(exchange);
    if (exchange.watch === undefined) void this.#serve(exchange);
    else exchange.watch.run(() => void this.#serve(exchange));
  }

  /** The client is gone. A handler that runs goes on and is counted until it ends. */
  lost(exchange: Exchange): void {
    if (exchange.id !== '') return;
    exchange.id = readRequestId(exchange, this.#options.requestIdHeader);
    this.#release(exchange, 499);
  }

  /** @returns when no request is in flight, or the time is over */
  async drain(timeoutSeconds: number): Promise<void> {
    this.isDraining = true;
    if (this.#inFlight.length > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
        timer = setTimeout(resolve, timeoutSeconds * 1000);
      });
      clearTimeout(timer);
    }
    for (const exchange of [...this.#inFlight]) {
      if (exchange.isAborted) this.#release(exchange, 499);
      else this.#refuse(exchange, refuse('shuttingDown', {}, { retryAfterSeconds: 1 }));
    }
    clearInterval(this.#sweeper);
  }

  async #serve(exchange: Exchange): Promise<void> {
    exchange.id = readRequestId(exchange, this.#options.requestIdHeader);
    this.#serving++;
    try {
      if (exchange.refusal !== null) throw exchange.refusal;
      const wanted = exchange.method === 'OPTIONS' ? exchange.header('access-control-request-method') : undefined;
      if (wanted !== undefined && wanted !== '') {
        this.#answerPreflight(exchange, wanted);
        return;
      }
      // A path that is a route as it stands has nothing to decode and nothing to refuse.
      const known = this.#router.fixed(exchange.rawPath);
      const path = known === undefined ? decodePath(exchange.rawPath) : exchange.rawPath;
      const query = readQuery(exchange.rawQuery);
      const match = known ?? this.#router.match(path);
      if (match === null) throw refuse('notFound', { method: exchange.method, path: path.slice(0, 200) });
      const endpoint = match.methods.get(exchange.method);
      if (endpoint === undefined) throw methodNotAllowed(exchange.method, match.allow);
      const { route } = endpoint;
      exchange.route = route.path;
      exchange.params = match.params;
      if (route.path === '/token') exchange.grantType = readGrantType(query);
      exchange.isQuiet = route.quiet === true;
      // Health answers in a storm, too (REL-06).
      if (this.#serving > this.#maxServing && !exchange.isQuiet) {
        throw refuse('overloaded', {}, { retryAfterSeconds: 1 });
      }
      const request = new EdgeRequest(exchange, exchange.id, path, route, match.params, query);
      if (route.auth !== 'none') {
        const token = request.bearerToken;
        if (token === null) throw refuse('noAuthorization');
        request.caller = await this.#options.authenticate(route.auth, token, request, route.callerMayLag === true);
        if (exchange.isOver) return this.#settle(exchange);
      }
      const { limit } = route;
      if (typeof limit === 'string' && this.#options.admit !== undefined) {
        await this.#options.admit(limit, request);
        if (exchange.isOver) return this.#settle(exchange);
      }
      if (endpoint.readBody !== null) request.body = readBody(exchange, endpoint);
      if (typeof limit === 'function' && this.#options.admit !== undefined) {
        await this.#options.admit(limit(request), request);
        if (exchange.isOver) return this.#settle(exchange);
      }
      // A challenge is a call to somebody else, so a client that is over its limit must not cause one (SEC-90).
      if (this.#options.challenge !== undefined && asksForCaptcha(route, request)) {
        await this.#options.challenge(request);
        if (exchange.isOver) return this.#settle(exchange);
      }
      const result = route.handler(this.#options.context, request);
      const reply: Reply = result instanceof Promise ? await result : result;
      if (exchange.isOver) return this.#settle(exchange);
      this.#finish(exchange, renderReply(reply, corsHeaders(exchange.method, exchange.header('origin'))));
    } catch (error) {
      const refusal = asRefusal(error);
      if (!exchange.isOver) return this.#refuse(exchange, refusal);
      if (refusal.status >= 500) this.#reportLate(exchange, refusal);
      this.#settle(exchange);
    } finally {
      this.#serving--;
    }
  }

  #answerPreflight(exchange: Exchange, wanted: string): void {
    const headers = this.#preflight(
      exchange.header('origin'),
      wanted,
      exchange.header('access-control-request-headers'),
    );
    this.#finish(exchange, renderReply({ status: 204 }, headers));
  }

  #refuse(exchange: Exchange, refusal: Refusal): void {
    if (exchange.id === '') exchange.id = readRequestId(exchange, this.#options.requestIdHeader);
    const cors = corsHeaders(exchange.method, exchange.header('origin'));
    const version = exchange.header('x-supabase-api-version');
    this.#finish(exchange, renderRefusal(refusal, version, exchange.id, cors, exchange.method), refusal);
  }

  #finish(exchange: Exchange, answer: Answer, refusal?: Refusal): void {
    if (this.isDraining) exchange.mustClose = true;
    if (exchange.answer(answer)) this.#release(exchange, answer.status, refusal);
    else this.#settle(exchange);
  }

  /** The handler ended after its client was gone or its time was over. */
  #settle(exchange: Exchange): void {
    if (exchange.isStanding) this.#release(exchange, 499);
  }

  #release(exchange: Exchange, status: number, refusal?: Refusal): void {
    this.#inFlight.leave(exchange);
    if (this.#inFlight.length === 0) this.#whenIdle?.();
    const isSilent = exchange.isQuiet && status < 500;
    const { log, observer } = this.#options;
    if (isSilent && observer === undefined) return;
    try {
      const entry = describeRequest(exchange, status, refusal);
      observer?.end(entry, exchange.watch);
      if (!isSilent) log.request(entry);
    } catch {
      // A log that cannot be written must not cost an answer, nor end the process as an unhandled rejection (REL-21).
    }
  }

  #reportLate(exchange: Exchange, refusal: Refusal): void {
    this.#options.log.error({
      requestId: exchange.id,
      route: exchange.route,
      message: 'A handler failed after its request was over',
      cause: refusal.cause ?? refusal,
    });
  }

  /** They stand in the order of arrival, so the first request within its time ends the look. */
  #sweep(): void {
    const limitMs = this.#options.maxRequestSeconds * 1000;
    if (limitMs <= 0) return;
    const oldest = performance.now() - limitMs;
    for (const exchange of this.#inFlight) {
      if (exchange.startedAt > oldest) break;
      if (exchange.isAborted) this.#release(exchange, 499);
      else this.#refuse(exchange, exchange.isBodyComplete ? timedOut() : refuse('bodyTimeout'));
    }
  }
}

const timedOut = (): Refusal => refuse('requestTimeout', {}, { retryAfterSeconds: 1 });

function readBody<Context>(exchange: Exchange, { route, readBody: read }: Endpoint<Context>): Record<string, unknown> {
  const bytes = exchange.body;
  if (bytes.length === 0 && route.bodyOptional === true) return read!({}, route.badBody);
  return read!(parseJsonObject(bytes, route.badBody), route.badBody);
}

const asksForCaptcha = <Context>({ captcha }: Route<Context>, request: ApiRequest): boolean =>
  typeof captcha === 'function' ? captcha(request) : captcha === true;

function methodNotAllowed(method: string, allowed: string): Refusal {
  return refuse('methodNotAllowed', { method, allowed }, { headers: { Allow: allowed } });
}
