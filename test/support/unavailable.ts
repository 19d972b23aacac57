import type { Answer } from './server.js';
import type { Test } from './tap.js';

/** SQL, places in code, addresses, names of errors and of modules: nothing of it is a client's business (SEC-73). */
const INNER_MATTERS =
  /\b(select|insert|update|delete)\b|\bat .+:\d+|\.(js|ts|cjs|sql)\b|\/(home|root|tmp|usr|work|node_modules)|\d+\.\d+\.\d+\.\d+|localhost|\b(pg|postgres|piscina|argon2)\b|Error:/i;
const SYSTEM_ERROR = /\bE[A-Z]{5,}\b/;

const MEMBERS = ['code', 'error_code', 'msg', 'error_id'];
/** Of endpoints that OAuth clients call (RFC 6749 5.2), which say temporarily_unavailable. */
const OAUTH_MEMBERS = [...MEMBERS, 'error', 'error_description'];

/** Asserts that the response is the documented 503: Retry-After, the known members of the body, no internals. */
export function assertUnavailable(t: Test, { status, headers, body }: Answer, name = 'refused'): void {
  const retryAfterSeconds = Number(headers.get('retry-after'));
  const known = body?.error === 'temporarily_unavailable' ? OAUTH_MEMBERS : MEMBERS;
  // Provisioning has errors of its own (RFC 7644 3.12).
  const isScim = headers.get('content-type') === 'application/scim+json';
  const code = isScim ? headers.get('x-sb-error-code') : body?.error_code;
  const problems = [
    status === 503 ? '' : `status ${status}`,
    Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1 ? '' : `Retry-After ${headers.get('retry-after')}`,
    isScim ? (body?.status === '503' ? '' : 'body') : body?.code === 503 && typeof body?.msg === 'string' ? '' : 'body',
    ['service_unavailable', 'request_timeout'].includes(code) ? '' : `error_code ${code}`,
    isScim || Object.keys(body ?? {}).every((key) => known.includes(key)) ? '' : 'members',
    revealsNothing(body) ? '' : 'reveals internals',
  ].filter((problem) => problem !== '');
  t.same(problems, [], `${name}: ${JSON.stringify(body)}`);
}

/** SEC-73 */
export function revealsNothing(body: unknown): boolean {
  const { error_id: _id, ...rest } = (body ?? {}) as Record<string, unknown>;
  const text = JSON.stringify(rest);
  return !INNER_MATTERS.test(text) && !SYSTEM_ERROR.test(text);
}
