/** Cross-origin headers (reference/core.md 1.10), without credentials: a wildcard origin must not have them (SEC-22). */

const METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);

const REQUEST_HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'x-client-ip',
  'x-client-info',
  'x-jwt-aud',
  'x-use-cookie',
  'x-supabase-api-version',
];

/** On every answer; flat list of names and values. */
export const VARY_ORIGIN: readonly string[] = ['Vary', 'Origin'];

const CROSS_ORIGIN: readonly string[] = [
  ...VARY_ORIGIN,
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'X-Total-Count, Link, X-Supabase-Api-Version',
];

/** Headers of an actual answer. */
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
 * @returns the headers of the 204 that answers a preflight; only Vary when something not allowed was asked for
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
