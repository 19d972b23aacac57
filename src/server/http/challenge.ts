/**
 * How a route tells its errors: for clients of OAuth (RFC 6749 5.2), and with the challenges of protected resources (RFC 6750 3,
 * RFC 9449 7.1), by which clients know whether to refresh their token.
 */
import { PROOF_ALGORITHMS } from '../../jws/proof-algorithms.js';
import { type ApiError, asOauthError, type ErrorName } from '../errors.js';
import type { Route } from './types.js';

export type ErrorForm = 'plain' | 'oauth' | 'resource' | 'scim';

export function errorFormOf({
  oauthErrors,
  resourceErrors,
  scimErrors,
}: Pick<Route<unknown>, 'oauthErrors' | 'resourceErrors' | 'scimErrors'>): ErrorForm {
  if (scimErrors === true) return 'scim';
  if (oauthErrors === true) return 'oauth';
  return resourceErrors === true ? 'resource' : 'plain';
}

/** The error in the form of its route. */
export function shapeError(
  exchange: { readonly errorForm: ErrorForm; header(name: string): string | undefined },
  error: ApiError,
): ApiError {
  if (exchange.errorForm === 'plain' || exchange.errorForm === 'scim') return error;
  return exchange.errorForm === 'oauth'
    ? asOauthError(error)
    : asResourceError(error, exchange.header('authorization'));
}

/** The token is no longer worth anything, whatever the reason: a client that refreshes it learns more. */
export const tokenFaults: ReadonlySet<ErrorName> = new Set<ErrorName>([
  'badJwt',
  'missingSubject',
  'subjectNotUuid',
  'sessionIdNotUuid',
  'subjectNotFound',
  'sessionNotFound',
  'userBanned',
]);

const ALGORITHMS = `algs="${PROOF_ALGORITHMS.join(' ')}"`;

/**
 * The headers of a challenge; scripts of other origins may read them.
 * @param error value of `error`; null: the request had no token, and offers of both schemes are made (RFC 6750 3.1)
 */
export function challengeHeaders(
  scheme: 'Bearer' | 'DPoP',
  error: string | null,
  description = '',
): Readonly<Record<string, string>> {
  // RFC 6750 3: the characters that a description may have.
  const text = description.replaceAll('"', "'").replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, '?');
  const reason = `error="${error}", error_description="${text}"`;
  const both = `Bearer realm="oauth", DPoP ${ALGORITHMS}`;
  const value = scheme === 'DPoP' ? `DPoP ${ALGORITHMS}, ${reason}` : `Bearer ${reason}`;
  return {
    'WWW-Authenticate': error === null ? both : value,
    'Access-Control-Expose-Headers': 'WWW-Authenticate',
  };
}

/**
 * The same error as a protected resource tells it: 401 for a token that is worth nothing, 403 for one that may not do this.
 * Errors that do not concern the token stay as they are, and so do those that have a challenge already.
 * @param authorization value of the header, whose scheme is answered
 */
function asResourceError(error: ApiError, authorization: string | undefined): ApiError {
  const isInvalid = tokenFaults.has(error.entry);
  const concernsToken = isInvalid || error.status === 401 || error.status === 403;
  if (!concernsToken || error.headers?.['WWW-Authenticate'] !== undefined) return error;
  const scheme = /^dpop /i.test(authorization ?? '') ? 'DPoP' : 'Bearer';
  const name = isInvalid ? 'invalid_token' : error.status === 403 ? 'insufficient_scope' : null;
  return error.with({
    ...(isInvalid && { status: 401 }),
    headers: { ...error.headers, ...challengeHeaders(scheme, name, error.message) },
    ...(name !== null && { extra: { error: name, error_description: error.message, ...error.extra } }),
  });
}
