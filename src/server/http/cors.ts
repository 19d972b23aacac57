/** Cross-origin headers, without credentials, which a wildcard origin must not allow (SEC-22). */

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']);

const REQUEST_HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'dpop',
  'x-client-ip',
  'x-client-info',
  'x-jwt-aud',
  'x-use-cookie',
  'x-supabase-api-version',
];

/** On every answer: flat list of names and values. */
export const VARY_ORIGIN: readonly string[] = ['Vary', 'Origin'];

/** On answers that do not depend on the request: also without an Origin, since caches reuse them. */
export const ANY_ORIGIN: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'X-Total-Count, Link, X-Supabase-Api-Version',
];

const CROSS_ORIGIN: readonly string[] = [...VARY_ORIGIN, ...ANY_ORIGIN];

/** Headers of an answer other than a preflight's. */
export function corsHeaders(method: string, origin: string | undefined): readonly string[] {
  return origin !== undefined && METHODS.has(method) ? CROSS_ORIGIN : VARY_ORIGIN;
}

export type Preflight = (
  origin: string | undefined,
  requestedMethod: string,
  requestedHeaders: string | undefined,
) => readonly string[];

/**
 * @param extraHeaders names of CORS_ALLOWED_HEADERS, added to the fixed list
 * @returns the headers of a preflight's 204; only Vary when the request asks for something that is not allowed
 */
export function createPreflight(extraHeaders: readonly string[]): Preflight {
  const allowed = new Set([...REQUEST_HEADERS, ...extraHeaders.map((name) => name.trim().toLowerCase())]);
  const vary = ['Vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'];
  return (origin, requestedMethod, requestedHeaders = '') => {
    if (origin === undefined || !METHODS.has(requestedMethod) || !/^[\x20-\x7e]*$/.test(requestedHeaders)) return vary;
    const names = requestedHeaders.split(',').map((name) => name.trim().toLowerCase());
    if (!names.every((name) => name === '' || allowed.has(name))) return vary;
    const headers = [...vary, 'Access-Control-Allow-Origin', '*', 'Access-Control-Allow-Methods', requestedMethod];
    if (requestedHeaders !== '') headers.push('Access-Control-Allow-Headers', requestedHeaders);
    return headers;
  };
}
