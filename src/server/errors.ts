/**
 * The catalogue of API errors and their two body shapes. Statuses, codes and messages follow supabase/auth
 * (docs/decisions.md, Error bodies); entries that differ say so.
 */
import { ExpectedError } from '../expected-error.js';
import { adminEntries } from './errors/admin-errors.js';
import { callerEntries } from './errors/caller-errors.js';
import { codeEntries } from './errors/code-errors.js';
import { consoleEntries } from './errors/console-errors.js';
import { factorEntries } from './errors/factor-errors.js';
import type { FormFault } from './errors/form-faults.js';
import { hookEntries } from './errors/hook-errors.js';
import { oauthEntries, oauthErrorNames } from './errors/oauth-errors.js';
import { organizationEntries } from './errors/organization-errors.js';
import { pageEntries } from './errors/page-errors.js';
import { passkeyEntries } from './errors/passkey-errors.js';
import { providerEntries } from './errors/provider-errors.js';
import { requestEntries } from './errors/request-errors.js';
import { scimEntries } from './errors/scim-errors.js';
import { serverEntries } from './errors/server-errors.js';
import { signInEntries } from './errors/sign-in-errors.js';
import { signUpEntries } from './errors/sign-up-errors.js';
import { ssoEntries } from './errors/sso-errors.js';
import { userEntries } from './errors/user-errors.js';
import { walletEntries } from './errors/wallet-errors.js';

export type { FormFault } from './errors/form-faults.js';
export { scimTypes } from './errors/scim-errors.js';

export type ErrorCode = (typeof catalogue)[ErrorName][1];
export type ErrorName = keyof typeof catalogue;

/** All errors, by name: those of an area are in its file. */
export const catalogue = {
  ...requestEntries,
  ...callerEntries,
  ...signUpEntries,
  ...factorEntries,
  ...codeEntries,
  ...signInEntries,
  ...ssoEntries,
  ...scimEntries,
  ...organizationEntries,
  ...passkeyEntries,
  ...pageEntries,
  ...userEntries,
  ...hookEntries,
  ...providerEntries,
  ...walletEntries,
  ...oauthEntries,
  ...adminEntries,
  ...consoleEntries,
  ...serverEntries,
} as const;

/** An error for the client. Thrown by rules and guards, rendered by http/. */
export class ApiError extends ExpectedError {
  readonly status: number;
  readonly errorCode: ErrorCode;
  /** Seconds until a retry may work; becomes the Retry-After header (RFC 9110 10.2.3). */
  readonly retryAfterSeconds: number | undefined;
  /** Name of the limit that was reached, for the log. */
  readonly limit: string | undefined;
  /** Extra members of the body, e.g. `weak_password`. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  /** Extra response headers, e.g. Allow on a 405. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Only for the records of the console, never sent. */
  readonly about: ErrorFacts | undefined;
  readonly entry: ErrorName;

  constructor(entry: ErrorName, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.entry = entry;
    this.name = 'ApiError';
    [this.status, this.errorCode] = catalogue[entry];
    this.status = options.status ?? this.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.limit = options.limit;
    this.extra = options.extra;
    this.headers = options.headers;
    this.about = options.about;
  }

  /** The same error with something replaced. */
  with(changes: ApiErrorOptions): ApiError {
    const { entry, message, status, retryAfterSeconds, limit, extra, headers, about, cause } = this;
    const known = { status, retryAfterSeconds, limit, extra, headers, about, cause };
    const options = Object.entries({ ...known, ...changes }).filter(([, value]) => value !== undefined);
    return new ApiError(entry, message, Object.fromEntries(options));
  }
}

/** What the server knows of a refusal and does not tell its client. */
export interface ErrorFacts {
  /** Id of the account. */
  readonly userId?: string | null | undefined;
  /**
   * Why, where one error has several reasons: a key of src/server/console/explanations/reasons.ts, or `application:` and the place in
   * the schema of the application. No secrets.
   */
  readonly reason?: string | undefined;
  /** What is wrong with a field, where the pages have words for it. */
  readonly fault?: FormFault | undefined;
}

export interface ApiErrorOptions {
  /** In place of the entry's status, for an error whose status a hook chose. */
  status?: number;
  retryAfterSeconds?: number;
  limit?: string;
  extra?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  about?: ErrorFacts | undefined;
  /** Internal cause; logged, never sent. */
  cause?: unknown;
}

/**
 * Creates an error of the catalogue.
 * @param name the catalogue entry
 * @param values of the entry's `<placeholders>`
 */
export function apiError(
  name: ErrorName,
  values: Readonly<Record<string, string | number>> = {},
  options?: ApiErrorOptions,
): ApiError {
  const message = catalogue[name][2].replace(/<([a-z]+)>/g, (whole, key: string) => String(values[key] ?? whole));
  return new ApiError(name, message, options);
}

/**
 * Creates an error whose body also has the members of RFC 6749 5.2.
 * @param error value of `error`; supabase/auth also uses `invalid request` with a space
 */
export function oauthApiError(
  name: ErrorName,
  values: Readonly<Record<string, string | number>>,
  error: 'invalid_request' | 'invalid request' | 'invalid nonce' | 'invalid_client' | 'invalid_grant',
  cause?: unknown,
): ApiError {
  const { message } = apiError(name, values);
  return new ApiError(name, message, { extra: { error, error_description: message }, cause });
}

/** The `error` of RFC 6749 5.2 where an entry has none of its own. */
const oauthErrorOfStatus: Readonly<Partial<Record<number, string>>> = {
  401: 'invalid_client',
  403: 'access_denied',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
  504: 'temporarily_unavailable',
};

/** The same error with the members of RFC 6749 5.2, for the endpoints that OAuth clients call. */
export function asOauthError(error: ApiError): ApiError {
  if (error.extra?.['error'] !== undefined) return error;
  const byStatus = oauthErrorOfStatus[error.status] ?? (error.status >= 500 ? 'server_error' : 'invalid_request');
  const name = oauthErrorNames[error.entry] ?? byStatus;
  return error.with({ extra: { error: name, error_description: error.message, ...error.extra } });
}

/** Converts anything thrown to an ApiError. Lower layers identify their errors by `code`, never by status. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'DATABASE_UNAVAILABLE')
    return apiError('databaseUnavailable', {}, { retryAfterSeconds: 1, cause: error });
  if (code === 'POOL_EXHAUSTED' || code === 'CRYPTO_POOL_FULL') {
    const seconds = (error as { retryAfterSeconds?: number }).retryAfterSeconds ?? 1;
    return apiError('overloaded', {}, { retryAfterSeconds: seconds, cause: error });
  }
  if (code === 'APPLICATION_REFUSED') return asRefusal(error as Refusal, error);
  return apiError('unexpectedFailure', {}, { cause: error });
}

/** Before the place in a recorded reason. */
export const APPLICATION_REASON = 'application: ';

/** What db/application-error.ts throws. */
interface Refusal {
  readonly change: 'insert' | 'update' | 'delete';
  readonly place: string;
  readonly raised: { readonly status: number; readonly message: string } | null;
}

const refusedChange = {
  insert: 'applicationSaving',
  update: 'applicationUpdating',
  delete: 'applicationDeleting',
} as const satisfies Record<Refusal['change'], ErrorName>;

/** What the application raised on purpose is for the client, and nothing else. */
function asRefusal({ change, place, raised }: Refusal, cause: unknown): ApiError {
  const known = { cause, about: { reason: `${APPLICATION_REASON}${place}` } };
  return raised === null
    ? apiError(refusedChange[change], {}, known)
    : apiError('applicationRaised', { message: raised.message }, { ...known, status: raised.status });
}

/** First API version with string codes (docs/decisions.md, Error bodies). Later dates get the same shape. */
export const STRING_CODE_VERSION = '2024-01-01';

/**
 * The error shape of a request.
 * @param header value of X-Supabase-Api-Version, a date YYYY-MM-DD; anything else means the first shape
 */
export function negotiateVersion(header: string | undefined): typeof STRING_CODE_VERSION | undefined {
  if (header === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(header) || Number.isNaN(Date.parse(header))) return undefined;
  return header >= STRING_CODE_VERSION ? STRING_CODE_VERSION : undefined;
}

/**
 * The error body in the given shape.
 * @param requestId sent as `error_id` on 5xx of the first shape, so that an operator can find the log line
 */
export function errorBody(
  error: ApiError,
  version: typeof STRING_CODE_VERSION | undefined,
  requestId: string | undefined,
): Record<string, unknown> {
  if (version !== undefined) return { code: error.errorCode, message: error.message, ...error.extra };
  const body: Record<string, unknown> = {
    code: error.status,
    error_code: error.errorCode,
    msg: error.message,
    ...error.extra,
  };
  if (error.status >= 500 && requestId) body['error_id'] = requestId;
  return body;
}
