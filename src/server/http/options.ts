/** Options of the edge, and its reports to the log. */
import type { ApiError } from '../errors.js';
import type { ApiRequest, CallerKind, CallerRules, ClientLimit, Route } from './types.js';

/** An answered request, without query, headers and body (SEC-71). */
export interface AccessEntry {
  readonly requestId: string;
  /** A known method, or `other`. */
  readonly method: string;
  /** Pattern of the route, null when none matched. */
  readonly route: string | null;
  /** Values of the path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Path of the request line, not decoded, without query; empty for the method `other`. */
  readonly path: string;
  /** `grant_type` of a request to /token, if it looks like one. */
  readonly grantType: string | undefined;
  /** 499 when the client closed the connection before the answer. */
  readonly status: number;
  readonly durationMs: number;
  /** From X-Forwarded-For, else the socket. */
  readonly remoteAddress: string;
  readonly errorCode: string | undefined;
  /** The limit that was reached, on 429. */
  readonly limit?: string | undefined;
  /** Internal cause of a 5xx; never sent to the client. */
  readonly cause: unknown;
}

/** A fault without an answer: a handler that failed after its deadline, a header that could not be sent. */
export interface FaultEntry {
  readonly requestId: string;
  readonly route: string | null;
  readonly message: string;
  readonly cause: unknown;
}

export interface EdgeLog {
  /** Once per request, except on quiet routes that answered below 500. */
  request(entry: AccessEntry): void;
  error(entry: FaultEntry): void;
}

/** A request before it is served. */
export interface RequestHead {
  readonly method: string;
  /** @param name lower case */
  header(name: string): string | undefined;
}

/** Observes one request, e.g. a span. */
export interface RequestWatch {
  /** Calls `serve` in an asynchronous context. */
  run(serve: () => void): void;
}

/** Receives every request, also of quiet endpoints. Must not throw. */
export interface EdgeObserver {
  /** Called when a request is complete. Requests that are lost or rejected before only get `end`. */
  begin?(head: RequestHead): RequestWatch | undefined;
  end(entry: AccessEntry, watch: RequestWatch | undefined): void;
}

/** The checks of the pipeline, in their order; `limit` comes before or after `body`, as its route says. */
export type RequestStep = 'message' | 'endpoint' | 'switch' | 'caller' | 'limit' | 'body' | 'captcha' | 'rules';

/** A request that was refused, or answered with the error in another form. */
export interface RequestRefusal
  extends Pick<AccessEntry, 'requestId' | 'method' | 'route' | 'grantType' | 'remoteAddress'> {
  /** Of the answer, which may be a redirect. */
  readonly status: number;
  readonly error: ApiError;
  /** The check that failed. */
  readonly step: RequestStep;
  /** Undefined where no caller was asked for, or none was found. */
  readonly caller: unknown;
}

/** What follows from the configuration. A reload swaps it; a request keeps the rules it began with. */
export interface EdgeRules<Context> {
  /** Passed to every handler. */
  readonly context: Context;
  /**
   * Resolves the caller; throws an ApiError. Called only for endpoints that need a caller, with the token of a
   * well-formed Authorization header (SEC-52).
   */
  readonly authenticate: (
    auth: Exclude<CallerKind, 'none'>,
    token: string,
    request: Pick<ApiRequest, 'method' | 'path' | 'header' | 'headerValues'>,
    admits: CallerRules,
  ) => Promise<unknown>;
  /** Where the credential of a caller is; throws an ApiError when there is none. Absent: the Authorization header. */
  readonly readCredential?: (request: ApiRequest) => string;
  /** Rules for every request of this edge, before anything else about it; throws an ApiError. */
  readonly assertRequest?: (request: ApiRequest) => void;
  /** Counts a request of an endpoint with a limit; throws an ApiError. Absent: no limits per client. */
  readonly checkLimit?: (limit: ClientLimit, request: ApiRequest) => Promise<void>;
  /** Further headers of the answer, whatever it is. Absent: there are none. */
  readonly answerHeaders?: (request: RequestHead, route: Route<Context>) => Readonly<Record<string, string>> | null;
  /** Verifies the captcha of an endpoint that needs one; throws an ApiError. Absent: captcha is off. */
  readonly checkCaptcha?: (request: ApiRequest) => Promise<void>;
  /**
   * Key of the client whose share of the memory a body uses; called only for large bodies and those in several pieces.
   * Absent: the socket's address.
   */
  readonly clientKey?: (request: Pick<ApiRequest, 'headerValues' | 'socketAddress'>) => string;
  /** Sb-Forwarded-For states the client's address. Default false. */
  readonly readsSbForwardedFor?: boolean;
  /** Limit of a request including its body (SEC-09); 0 or less: none. */
  readonly maxRequestSeconds: number;
  /** CORS_ALLOWED_HEADERS */
  readonly corsAllowedHeaders: readonly string[];
  /** Header with the request's id, lower case (SEC-72); null: ids are always generated. */
  readonly requestIdHeader: string | null;
}

/** The rules of the start, and what stays until the edge closes. */
export interface EdgeOptions<Context> extends EdgeRules<Context> {
  readonly routes: readonly Route<Context>[];
  /**
   * Headers of every answer, in place of those that allow other origins to read it: flat list of names and values. A
   * preflight gets the same, and so is refused.
   */
  readonly ownHeaders?: readonly string[];
  /** Address to listen on; empty: all. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The settings of host and port, for the error of one that cannot be opened. Default: those of the API. */
  readonly addressSettings?: string;
  readonly log: EdgeLog;
  /** Metrics and traces; absent: neither is wanted, and nothing is spent on them. */
  readonly observer?: EdgeObserver | undefined;
  /** Receives every refusal once its answer is sent. Must return at once and not throw; absent: nobody wants them. */
  readonly onRefusal?: ((refusal: RequestRefusal) => void) | undefined;
  /** Most requests worked on at once; one more is answered 503 with Retry-After. Absent: no limit. */
  readonly maxInFlight?: number;
}
