/** What the edge is told at boot, and what it tells the log. */
import type { ApiRequest, Auth, ClientLimit, Route } from './types.js';

/** One answered request. No query, no header and no body in it (SEC-71). */
export interface AccessEntry {
  readonly requestId: string;
  /** One of those that are served, or `other`. */
  readonly method: string;
  /** Pattern of the route, null when none matched. */
  readonly route: string | null;
  /** What stood in the places of the route's parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Path as it stood on the request line, without the query; empty with the method `other`. */
  readonly path: string;
  /** `grant_type` of a request to /token, when it looks like one. */
  readonly grantType: string | undefined;
  /** 499 when the client went away before there was an answer. */
  readonly status: number;
  readonly durationMs: number;
  /** Whom the request says it comes from: X-Forwarded-For, else the socket (reference/operations.md 6). */
  readonly remoteAddress: string;
  readonly errorCode: string | undefined;
  /** The limit that was reached, on 429. */
  readonly limit?: string | undefined;
  /** What went wrong inside, on 5xx; never sent to the client. */
  readonly cause: unknown;
}

/** A fault that no answer could carry: a handler that failed after its deadline, a header that could not be sent. */
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

/** A request that is about to be served. */
export interface RequestHead {
  readonly method: string;
  /** @param name lower case */
  header(name: string): string | undefined;
}

/** What watches over one request, e.g. a span. */
export interface RequestWatch {
  /** Calls `serve` in a context that all it starts inherits. */
  run(serve: () => void): void;
}

/** Told of every request there is, those of quiet routes included. Must not throw. */
export interface EdgeObserver {
  /** Called when a request has arrived whole; a request that is lost or refused before that is only ended. */
  begin?(head: RequestHead): RequestWatch | undefined;
  end(entry: AccessEntry, watch: RequestWatch | undefined): void;
}

export interface EdgeOptions<Context> {
  /** Handed to every handler. */
  readonly context: Context;
  readonly routes: readonly Route<Context>[];
  /** Address to listen on; empty: all. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * Resolves who calls; throws a Refusal. Asked only for routes that need a caller, with the token of an Authorization
   * header that has the right shape (SEC-52).
   */
  readonly authenticate: (
    auth: Exclude<Auth, 'none'>,
    token: string,
    request: { header(name: string): string | undefined },
    mayLag: boolean,
  ) => Promise<unknown>;
  /** Counts a request of a route with a limit; throws a Refusal. Absent: nothing is counted per client. */
  readonly admit?: (limit: ClientLimit, request: ApiRequest) => Promise<void>;
  /** Checks the captcha of a route that asks for one; throws a Refusal. Absent: captcha is off. */
  readonly challenge?: (request: ApiRequest) => Promise<void>;
  /**
   * Whom a request counts as, for its share of the memory for bodies; asked only of large bodies and of those that arrive
   * in pieces. Absent: the address of its socket.
   */
  readonly clientKey?: (request: Pick<ApiRequest, 'headerLines' | 'socketAddress'>) => string;
  /** Total time a request may take, body included (SEC-09); 0 or less: no limit. */
  readonly maxRequestSeconds: number;
  /** CORS_ALLOWED_HEADERS */
  readonly corsAllowedHeaders: readonly string[];
  /** Header that brings a request's id, lower case (SEC-72); null: every id is made here. */
  readonly requestIdHeader: string | null;
  readonly log: EdgeLog;
  /** Metrics and traces; absent: neither is wanted, and nothing is spent on them. */
  readonly observer?: EdgeObserver | undefined;
  /** Most requests worked on at once; one more is answered 503 with Retry-After. Absent: no limit. */
  readonly maxInFlight?: number;
}
