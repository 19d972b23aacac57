/** What the edge tells of its requests: to the log, and to metrics and traces. */

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
