/** Options of the edge, and its reports to the log. */
import type { ApiError } from '../errors.js';
import type { AccessEntry, EdgeLog, EdgeObserver, RequestHead } from '../telemetry/edge.js';
import type { ApiRequest, CallerKind, CallerRules, ClientLimit, ProvisioningAnswer, Route } from './types.js';

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
  /** Receives every answer to the holder of a token of provisioning. Must return at once and not throw. */
  readonly onProvisioned?: ((answer: ProvisioningAnswer) => void) | undefined;
  /**
   * What a request waits for before anything else of it is looked at, except on quiet routes; null: nothing more. It throws what the
   * request is refused with.
   */
  readonly whenStarted?: () => Promise<void> | null;
  /** Time for the last answers before sockets are closed, which would drop bytes that the kernel has not accepted. Default 100. */
  readonly lingerMs?: number | undefined;
  /** Most requests worked on at once; one more is answered 503 with Retry-After. Absent: no limit. */
  readonly maxInFlight?: number;
}
