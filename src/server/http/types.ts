/** What the HTTP module passes to handlers and takes back from them. No type of the engine appears here. */
import type { ApiError } from '../errors.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call an endpoint; its definition is the only place that says so (SEC-59). */
export type CallerKind = 'none' | 'user' | 'admin' | 'scim' | 'operator';

/** Roles of operators of the console, each with the rights of those before it. */
export const operatorRoles = ['viewer', 'support', 'admin', 'owner'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** Limits per client (docs/decisions.md, Rate-limit keys). */
export type ClientLimit =
  | 'signup'
  | 'anonymous'
  | 'recover'
  | 'resend'
  | 'magiclink'
  | 'otp'
  | 'user'
  | 'token'
  | 'web3'
  | 'verify'
  | 'authorize'
  | 'factor_challenge'
  | 'factor_verify'
  | 'passkey'
  | 'oauth_authorize'
  | 'oauth_token'
  | 'oauth_introspect'
  | 'oauth_register'
  | 'oauth_device'
  | 'sso'
  | 'saml_assertion'
  | 'organizations';

/** @typeParam Query names of the query parameters, @typeParam Params names of the path parameters */
export interface ApiRequest<
  Body = unknown,
  Caller = unknown,
  Query extends string = string,
  Params extends string = string,
> {
  /** UUIDv4, or the value of the configured header (SEC-72). */
  readonly id: string;
  /** HEAD where the client wants the head of what GET answers. */
  readonly method: Method | 'HEAD';
  /** Percent-decoded path, no query. */
  readonly path: string;
  /** The pattern that matched, e.g. `/admin/users/{user_id}`. */
  readonly route: string;
  readonly params: Readonly<Record<Params, string>>;
  /** The query as it was sent, for signatures over its spelling. Everything else reads `query`. */
  readonly rawQuery: string;
  /** First value of each query parameter, decoded once. Absent is undefined, not the empty string. */
  readonly query: ReadonlyMap<Query, string>;
  /** @param name lower case */
  header(name: string): string | undefined;
  /** All values of a header, in order. @param name lower case */
  headerValues(name: string): readonly string[];
  /** The validated body. */
  readonly body: Body;
  /**
   * Fields of a body sent as application/x-www-form-urlencoded (a provider's form_post), under the rules of `query`, on
   * a route that reads forms. Empty for any other content type. Reading it may throw an ApiError.
   */
  readonly form: ReadonlyMap<string, string>;
  /**
   * All values of a name in order: of the form on a route that reads forms, else of the query. Reading it may throw an
   * ApiError.
   */
  allValues(name: string): readonly string[];
  /** First valid address of X-Forwarded-For, else the socket's. Never used for limits. */
  readonly clientIp: string | null;
  readonly socketAddress: string;
  /** At most 512 characters. */
  readonly userAgent: string | null;
  /** Token of the Authorization header; null when it is missing or malformed (SEC-52). */
  readonly bearerToken: string | null;
  /** The same, or that of the scheme DPoP, which is worth nothing without a proof (sessions/caller.ts). */
  readonly accessToken: string | null;
  /** The authenticated caller; undefined for endpoints without one. */
  readonly caller: Caller;
}

/** An answer to the holder of a token of provisioning, who may not have waited for it. */
export interface ProvisioningAnswer {
  /** With the body, where it could be read. */
  readonly request: Pick<ApiRequest, 'id' | 'method' | 'route' | 'params' | 'query' | 'body' | 'caller'>;
  readonly status: number;
  /** The header. */
  readonly location: string | undefined;
  /** What it says of an error. */
  readonly refusal: { readonly scimType?: string; readonly detail: string } | null;
}

export interface Reply {
  readonly status: number;
  /** Serialised as JSON. A string, or bytes, with a Content-Type among the headers is sent unchanged. */
  readonly body?: unknown;
  /** In place of `body`: JSON text that exists already. Bytes are UTF-8. */
  readonly json?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is the same for every origin, so that shared caches keep one copy of it: without Vary. */
  readonly isForAnyOrigin?: true;
  /** The API error that the answer tells in a form of its own: a redirect with error parameters. */
  readonly refusal?: ApiError;
}

/** A JSON Schema (draft 2020-12, as far as ajv implements it) of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/** Which callers an endpoint admits beside the usual ones. */
export interface CallerRules {
  /** True where the caller's account may be read from a replica; only for reads. */
  readonly callerMayLag?: true;
  /** True where a session that can only set a new password may call. */
  readonly callerMayBeLimited?: true;
  /** True where the token of an OAuth client may call. */
  readonly callerMayBeClient?: true;
  /** True where an operator of the console may call who acts for the user. */
  readonly callerMayBeImpersonated?: true;
  /** True where a session may call that has to verify a second factor first (AUTH_MFA_REQUIRED). */
  readonly callerMayBePending?: true;
  /** True where it does not matter that the user has left the organization that the token names. */
  readonly callerMayHaveLeft?: true;
  /** Endpoints of operators: the least role that may call. */
  readonly role?: OperatorRole;
  /** True where an operator must have shown a passkey or a code within the last minutes. */
  readonly needsStepUp?: true;
}

/** What the HTTP module needs of an endpoint. `Context` is what boot passes to the handlers (the App). */
export interface Route<Context> extends CallerRules {
  readonly method: Method;
  readonly path: string;
  readonly caller: CallerKind;
  /** Comes before every other check: throws an API error where the endpoint is switched off. */
  readonly assertOn?: (context: Context) => void;
  /**
   * Endpoints of users: whether they ask a user with a second factor for it. `asked`: for some or all that they do
   * (sessions/assurance.ts); `not asked`: they change nothing about who can get into the account.
   */
  readonly secondFactor?: 'asked' | 'not asked';
  /** Rules about the caller that come before the body is read: throws an API error. */
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint narrows its own request.
  readonly assertCaller?: (context: Context, request: ApiRequest<any, any, any, any>) => Promise<void>;

  // Limits, in the order in which they are checked.
  /** Most bytes of the body, of the 1 MiB allowed at all. Default 64 kB. */
  readonly maxBodyBytes?: number;
  /**
   * Requests per client, counted before the captcha is verified (SEC-90): a name is counted before the body is read, a
   * function once the body is there.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint narrows its own request.
  readonly limit?: ClientLimit | ((request: ApiRequest<any, any, any, any>) => ClientLimit);
  /** Of /token: grant_type → limit that counts its requests in place of `limit`. */
  readonly grantLimits?: ReadonlyMap<string, ClientLimit>;
  /** Verifies a captcha, where captchas are on: always, or when the function returns true. Needs a body. */
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint narrows its own request.
  readonly captcha?: true | ((request: ApiRequest<any, any, any, any>) => boolean);

  /** True where a sign-in takes the token of a trusted device in `gotrue_meta_security`. Needs a body. */
  readonly takesTrustedDevice?: true;

  /** Schema of the JSON body, with `form` of the form's fields; unknown ones are dropped. Absent: the body is ignored. */
  readonly body?: ObjectSchema;
  /** True where an empty body counts as `{}`. */
  readonly bodyOptional?: boolean;
  /** Whether a request needs no body, whatever it holds: it counts as `{}`. */
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint narrows its own request.
  readonly ignoresBody?: (request: ApiRequest<any, any, any, any>) => boolean;
  /** True where errors have the members of RFC 6749 5.2, too. */
  readonly oauthErrors?: true;
  /** True for a protected resource of OAuth: what concerns the token is refused with a challenge (challenge.ts). */
  readonly resourceErrors?: true;
  /** True for provisioning: errors are those of RFC 7644 3.12, and scripts of other origins may read no answer. */
  readonly scimErrors?: true;
  /** The handler gets the whole object, whatever its members: `body` only describes it. Most values that it may have. */
  readonly wholeBody?: number;
  /** The API error for a body that is not valid. Default badJson. */
  readonly badBody?: 'badJson' | 'badVerificationParams';
  /** Where application/x-www-form-urlencoded is read; nowhere else. `or json`: the content type decides. */
  readonly form?: true | 'or json';
  /**
   * Of an endpoint for people in a browser: answers an API error as a page. Scripts of other origins get no permission
   * to read its answers (without CORS headers). Not called for the error of `assertOn`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint narrows its own request.
  readonly errorPage?: (context: Context, request: ApiRequest<any, any, any, any>, error: ApiError) => Promise<Reply>;
  /** True where mails link to: a query whose `&` became `&amp;` is read as it was meant. */
  readonly isMailed?: true;
  /** True for endpoints that also answer with a trailing slash. */
  readonly trailingSlash?: boolean;
  /**
   * True where GET changes something, as a link that works once: HEAD is refused there, since scanners of mails and
   * previews ask with it (RFC 9110 9.2.1). Every other GET answers HEAD.
   */
  readonly changesOnGet?: true;
  /** True where requests are not written to the access log. */
  readonly quiet?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint narrows its own request.
  readonly handler: (context: Context, request: ApiRequest<any, any, any, any>) => Promise<Reply> | Reply;
}

export const json = (body: unknown, status = 200, headers?: Readonly<Record<string, string>>): Reply =>
  headers === undefined ? { status, body } : { status, body, headers };

export const redirect = (status: number, location: string, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { Location: location, ...headers },
});

export const noContent = (): Reply => ({ status: 204 });
