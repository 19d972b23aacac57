/** What the HTTP room hands to routes and takes back. No engine type appears here. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A bound on what a route needs from its caller; the table of routes is the only place that says so (SEC-59). */
export type Auth = 'none' | 'user' | 'admin';

/** Requests counted per client, keyed by RATE_LIMIT_HEADER (decisions.md 17); reference/core.md 9.1 has the rates. */
export type ClientLimit =
  | 'signup'
  | 'anonymous'
  | 'recover'
  | 'resend'
  | 'magiclink'
  | 'otp'
  | 'user'
  | 'token'
  | 'verify'
  | 'authorize';

export interface ApiRequest<Body = unknown, Caller = unknown> {
  /** UUIDv4, or what the configured header brought (SEC-72). */
  readonly id: string;
  readonly method: Method;
  /** Percent-decoded path, no query. */
  readonly path: string;
  /** The pattern that matched, e.g. `/admin/users/{user_id}`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  /** First value of each query parameter, decoded once. Absent and empty are told apart. */
  readonly query: ReadonlyMap<string, string>;
  /** @param name lower case */
  header(name: string): string | undefined;
  /** Every line of a header that came more than once, in order. @param name lower case */
  headerLines(name: string): readonly string[];
  /** What the route's body schema let through. */
  readonly body: Body;
  /**
   * Fields of a body sent as application/x-www-form-urlencoded (a provider's form_post), under the rules of `query`, on a
   * route that reads forms. Empty for any other content type. Reading it may throw a Refusal.
   */
  readonly form: ReadonlyMap<string, string>;
  /** First address of X-Forwarded-For that parses, else the socket's (reference/core.md 1.12). Never used for limits. */
  readonly clientIp: string | null;
  readonly socketAddress: string;
  /** Cut to what is worth storing. */
  readonly userAgent: string | null;
  /** Token of the Authorization header; null when there is none, or not in the right shape (SEC-52). */
  readonly bearerToken: string | null;
  /** What the authenticator made of the bearer token; undefined where the route asks for none. */
  readonly caller: Caller;
}

export interface Reply {
  readonly status: number;
  /** Serialised as JSON when present. A string under a Content-Type header of the reply's own is sent as it is. */
  readonly body?: unknown;
  /** In place of `body`: JSON text that was made before. As UTF-8 it need not be encoded for each answer. */
  readonly json?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON Schema (draft 2020-12 subset ajv understands) of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/** One row of the table of routes. `Context` is whatever boot hands to the handlers (the App). */
export interface Route<Context> {
  readonly method: Method;
  readonly path: string;
  readonly auth: Auth;
  /** True where what is known of the caller may be as old as a replica is; only for reads. */
  readonly callerMayLag?: true;
  /**
   * Counted per client before a captcha is asked for and before anything is done (SEC-90): with a name before the body is
   * looked at, with a function once the body says which.
   */
  readonly limit?: ClientLimit | ((request: ApiRequest) => ClientLimit);
  /** Asks for a captcha, where it is switched on: always, or when the request says so. Needs a body. */
  readonly captcha?: true | ((request: ApiRequest) => boolean);
  /** Schema of the JSON body. Absent: the body is ignored. */
  readonly body?: ObjectSchema;
  /** Most bytes of the body, of the 1 MiB there may be at all; absent: 64 kB. */
  readonly maxBodyBytes?: number;
  /** True where fields sent as application/x-www-form-urlencoded are read; nowhere else. */
  readonly form?: true;
  /** True where an empty body counts as `{}` (DELETE /admin/users/{user_id}). */
  readonly bodyOptional?: boolean;
  /** Which entry of the catalogue a bad body is refused with (reference/core.md 1.2: /magiclink words it its own way). */
  readonly badBody?: 'badJson' | 'badVerificationParams';
  /** True for routes that also answer with a trailing slash (reference/core.md 1.1). */
  readonly trailingSlash?: boolean;
  /** True where the access log stays silent (/health). */
  readonly quiet?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each route narrows its own body and caller; the table holds them all.
  readonly handler: (context: Context, request: ApiRequest<any, any>) => Promise<Reply> | Reply;
}

export const json = (body: unknown, status = 200, headers?: Readonly<Record<string, string>>): Reply =>
  headers === undefined ? { status, body } : { status, body, headers };

export const redirect = (status: number, location: string, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { Location: location, ...headers },
});

export const noContent = (): Reply => ({ status: 204 });
