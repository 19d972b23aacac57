/** The order of checks between a complete request and its answer, from top to bottom. */
import { type ApiError, apiError, asApiError } from '../errors.js';
import { describeLateFault, describeRefusal, describeRequest, readGrantType } from './access-entry.js';
import type { Exchange, ExchangeOwner } from './exchange.js';
import { DEFAULT_BODY_BYTES } from './guard.js';
import { LinkedList } from './linked-list.js';
import type { EdgeOptions, EdgeRules, RequestStep } from './options.js';
import { errorFormOfPath, errorPageOf, headOf, preflightHeaders, renderErrorJson, renderErrorPage } from './pages.js';
import { tellProvisioned } from './provisioning.js';
import { type Answer, listHeaders, renderReply } from './reply.js';
import { EdgeRequest, readRequestId } from './request.js';
import { BodyBudget } from './request-body.js';
import { asksForCaptcha, assertRoom, methodNotAllowed, readBody, startOf, timeoutOf } from './route-rules.js';
import { createRouter, type Router } from './router.js';
import { RuleSet } from './rule-set.js';
import type { Reply } from './types.js';
import { decodePath, readQuery } from './url.js';

/** Interval at which deadlines are checked, with one timer for all requests; a 503 may be this much late. */
const SWEEP_MS = 250;

export class Pipeline<Context> implements ExchangeOwner {
  readonly #options: EdgeOptions<Context>;
  readonly #router: Router<Context>;
  /** For requests that begin now. */
  #current: RuleSet<Context>;
  readonly #inFlight = new LinkedList<Exchange>();
  readonly #sweeper: NodeJS.Timeout;
  #ready: Exchange[] = [];
  /** Requests in progress, without those whose body is incomplete: slow senders do not count. */
  #serving = 0;
  readonly #maxServing: number;
  readonly bodies = new BodyBudget();
  #whenIdle: (() => void) | null = null;
  /** Every further answer closes its connection. */
  isDraining = false;

  /** @throws Error when two endpoints have the same method and path, or a body schema is invalid */
  constructor(options: EdgeOptions<Context>) {
    this.#options = options;
    this.#maxServing = options.maxInFlight ?? Number.POSITIVE_INFINITY;
    this.#router = createRouter(options.routes);
    this.#current = new RuleSet(options);
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  get inFlight(): number {
    return this.#inFlight.length;
  }

  /** Resolves when the last request under the former rules has ended. */
  swap(rules: EdgeRules<Context>): Promise<void> {
    const former = this.#current;
    this.#current = new RuleSet(rules);
    return former.retire();
  }

  /** Accepts a request whose head has arrived. */
  open(exchange: Exchange): void {
    this.#inFlight.append(exchange);
  }

  /** By the path before decoding: a percent-encoded spelling gets the default limit. */
  bodyLimitOf({ method, rawPath }: Exchange): number {
    return this.#router.match(rawPath)?.methods.get(method)?.route.maxBodyBytes ?? DEFAULT_BODY_BYTES;
  }

  get readsSbForwardedFor(): boolean {
    return this.#current.rules.readsSbForwardedFor === true;
  }

  clientKeyOf(exchange: Exchange): string {
    return this.#current.rules.clientKey?.(exchange) ?? exchange.socketAddress;
  }

  /** One macrotask serves all exchanges of one iteration of the event loop (SEC-04). */
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

  /** The client is gone. A running handler continues and is counted until it ends. */
  lost(exchange: Exchange): void {
    if (exchange.id !== '') return;
    exchange.id = readRequestId(exchange, this.#current.rules.requestIdHeader);
    this.#release(exchange, 499);
  }

  /** Resolves when no request is in flight, or after the timeout. */
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
      else this.#reject(exchange, apiError('shuttingDown', {}, { retryAfterSeconds: 1 }));
    }
    clearInterval(this.#sweeper);
  }

  async #serve(exchange: Exchange): Promise<void> {
    const ruleSet = this.#current;
    const { rules } = ruleSet;
    exchange.id = readRequestId(exchange, rules.requestIdHeader);
    this.#serving++;
    ruleSet.begin();
    let step: RequestStep = 'message';
    let request: EdgeRequest | undefined;
    try {
      if (exchange.rejection !== null) throw exchange.rejection;
      const wanted = exchange.method === 'OPTIONS' ? exchange.header('access-control-request-method') : undefined;
      if (wanted) {
        const match = this.#router.match(exchange.rawPath);
        const own = this.#options.ownHeaders ?? preflightHeaders(exchange, match, ruleSet.preflight, wanted);
        return this.#finish(exchange, renderReply({ status: 204 }, own));
      }
      step = 'endpoint';
      // A path that equals a route needs no decoding and no check.
      const known = this.#router.fixed(exchange.rawPath);
      const path = known === undefined ? decodePath(exchange.rawPath) : exchange.rawPath;
      const query = readQuery(exchange.rawQuery);
      const match = known ?? this.#router.match(path);
      if (match === null) throw apiError('notFound', { method: exchange.method, path: path.slice(0, 200) });
      const endpoint = match.methods.get(exchange.method);
      if (endpoint === undefined) throw methodNotAllowed(exchange.method, match.allow);
      const { route } = endpoint;
      exchange.follow(route, match.params, listHeaders(rules.answerHeaders?.(exchange, route) ?? null));
      if (route.path === '/token') exchange.grantType = readGrantType(query);
      assertRoom(exchange, this.#serving, this.#maxServing);
      step = 'switch';
      const starting = startOf(exchange, this.#options);
      if (starting) await starting;
      if (exchange.isOver) return this.#settle(exchange);
      route.assertOn?.(rules.context);
      request = new EdgeRequest(exchange, exchange.id, path, route, match.params, query);
      exchange.errorPage = errorPageOf(route, rules.context, request);
      rules.assertRequest?.(request);
      step = 'caller';
      if (route.caller !== 'none') {
        const token = rules.readCredential?.(request) ?? request.tokenOf(route.caller);
        if (token === null) throw apiError('noAuthorization');
        request.caller = await rules.authenticate(route.caller, token, request, route);
        if (exchange.isOver) return this.#settle(exchange);
        if (route.assertCaller !== undefined) {
          await route.assertCaller(rules.context, request);
          if (exchange.isOver) return this.#settle(exchange);
        }
      }
      const limit = route.grantLimits?.get(exchange.grantType ?? '') ?? route.limit;
      step = 'limit';
      if (typeof limit === 'string' && rules.checkLimit !== undefined) {
        await rules.checkLimit(limit, request);
        if (exchange.isOver) return this.#settle(exchange);
      }
      step = 'body';
      if (endpoint.readBody !== null) request.body = readBody(exchange, endpoint, request);
      if (typeof limit === 'function' && rules.checkLimit !== undefined) {
        step = 'limit';
        await rules.checkLimit(limit(request), request);
        if (exchange.isOver) return this.#settle(exchange);
      }
      step = 'captcha';
      // Verification calls another service, which a client over its limit must not cause (SEC-90).
      if (rules.checkCaptcha !== undefined && asksForCaptcha(route, request)) {
        await rules.checkCaptcha(request);
        if (exchange.isOver) return this.#settle(exchange);
      }
      step = 'rules';
      const result = route.handler(rules.context, request);
      const reply: Reply = result instanceof Promise ? await result : result;
      if (exchange.isOver) return this.#settle(exchange);
      if (reply.refusal !== undefined) exchange.refusedAt = { step, caller: request.caller };
      this.#finish(exchange, renderReply(reply, headOf(exchange, this.#options.ownHeaders)), undefined, reply.refusal);
    } catch (error) {
      exchange.refusedAt = { step, caller: request?.caller };
      const failure = asApiError(error);
      const page = await renderErrorPage(exchange, failure);
      if (page !== null && !exchange.isOver) return this.#finish(exchange, page, failure);
      if (!exchange.isOver) return this.#reject(exchange, failure);
      if (failure.status >= 500) this.#options.log.error(describeLateFault(exchange, failure));
      this.#settle(exchange);
    } finally {
      this.#serving--;
      ruleSet.end();
    }
  }

  #reject(exchange: Exchange, error: ApiError): void {
    if (exchange.id === '') exchange.id = readRequestId(exchange, this.#current.rules.requestIdHeader);
    if (exchange.route === null) exchange.errorForm = errorFormOfPath(exchange, this.#router.match(exchange.rawPath));
    this.#finish(exchange, renderErrorJson(exchange, error, this.#options.ownHeaders), error);
  }

  /** @param refusal that the answer tells, perhaps as a redirect */
  #finish(exchange: Exchange, answer: Answer, error?: ApiError, refusal = error): void {
    if (this.isDraining) exchange.mustClose = true;
    if (exchange.answer(answer)) this.#release(exchange, answer.status, error, refusal);
    else this.#settle(exchange);
    tellProvisioned(exchange, answer, error, this.#options.onProvisioned);
  }

  /** The handler ended after its client was gone or its deadline. */
  #settle(exchange: Exchange): void {
    if (exchange.isListed) this.#release(exchange, 499);
  }

  #release(exchange: Exchange, status: number, error?: ApiError, refusal?: ApiError): void {
    this.#inFlight.remove(exchange);
    if (this.#inFlight.length === 0) this.#whenIdle?.();
    const isSilent = exchange.isQuiet && status < 500;
    const { log, observer, onRefusal } = this.#options;
    if (refusal !== undefined) onRefusal?.(describeRefusal(exchange, status, refusal));
    if (isSilent && observer === undefined) return;
    try {
      const entry = describeRequest(exchange, status, error);
      observer?.end(entry, exchange.watch);
      if (!isSilent) log.request(entry);
    } catch {
      // A failing log must neither prevent an answer nor end the process as an unhandled rejection (REL-21).
    }
  }

  /** The list is in order of arrival, so the first request before its deadline ends the loop. */
  #sweep(): void {
    const limitMs = this.#current.rules.maxRequestSeconds * 1000;
    if (limitMs <= 0) return;
    const oldest = performance.now() - limitMs;
    for (const exchange of this.#inFlight) {
      if (exchange.startedAt > oldest) break;
      if (exchange.isAborted) this.#release(exchange, 499);
      else this.#reject(exchange, timeoutOf(exchange));
    }
  }
}
