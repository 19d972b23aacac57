/** Renders replies and errors as answers: status, checked headers, body. */
import { type ApiError, apiError, errorBody, negotiateVersion } from '../errors.js';
import { ANY_ORIGIN } from './cors.js';
import type { Reply } from './types.js';

export interface Answer {
  readonly status: number;
  /** Flat list: name, value, name, value. All are checked. */
  readonly headers: readonly string[];
  /** For shared lists: the same and KEEP_ALIVE_HEADERS as text, without the first name, for a kept connection. */
  readonly headerBlock?: string;
  /** null: neither a body nor a Content-Length (SEC-17). */
  readonly body: string | Uint8Array | null;
}

/**
 * On every answer whose connection is kept: its idle time (REL-31). The engine closes it 8 to 12 s after its last
 * answer, since its timer has steps of 4 s. The header keeps clients from reusing a connection that is about to be
 * closed.
 */
export const KEEP_ALIVE_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Connection', 'keep-alive'],
  ['Keep-Alive', 'timeout=8'],
];

/** Of the acceptor, while no thread serves. */
export const UNSERVED = JSON.stringify({
  code: 503,
  error_code: 'service_unavailable',
  msg: 'The server is shutting down, please retry.',
});

const PLAIN: readonly string[] = ['X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'];
const JSON_TYPE: readonly string[] = ['Content-Type', 'application/json'];

type SharedHeaders = Required<Pick<Answer, 'headers' | 'headerBlock'>>;

/** The headers of most answers, by the lists of cors.ts. All of them are constants. */
const headersOfJson = new WeakMap<readonly string[], SharedHeaders>();

function shareHeaders(cors: readonly string[]): SharedHeaders {
  const headers = Object.freeze([...cors, ...PLAIN, ...JSON_TYPE]);
  let headerBlock = headers[1]!;
  for (let i = 2; i < headers.length; i += 2) headerBlock += `\r\n${headers[i]}: ${headers[i + 1]}`;
  for (const [name, value] of KEEP_ALIVE_HEADERS) headerBlock += `\r\n${name}: ${value}`;
  const shared = { headers, headerBlock };
  headersOfJson.set(cors, shared);
  return shared;
}

/**
 * Adds a header to a list. Every name and value that is not a constant is checked here (SEC-16), since the engine
 * writes CR and LF unchanged.
 * @throws Error when it has a byte outside 0x20–0x7e; the message names only the header
 */
export function addHeader(headers: string[], name: string, value: string): void {
  if (!/^[A-Za-z0-9-]+$/.test(name)) throw new Error('A response header has a name that cannot be sent');
  if (!/^[\x20-\x7e]*$/.test(value)) throw new Error(`Response header ${name} has a value that cannot be sent`);
  headers.push(name, value);
}

/** @returns a flat list; null: there are none. @throws Error when one of them cannot be sent */
export function listHeaders(given: Readonly<Record<string, string>> | null): readonly string[] | null {
  if (given === null) return null;
  const headers: string[] = [];
  for (const name in given) addHeader(headers, name, given[name]!);
  return headers;
}

/**
 * @param cors headers of cors.ts for this request
 * @throws Error when the value is not a Reply, or has a header that cannot be sent
 */
export function renderReply(reply: Reply, cors: readonly string[]): Answer {
  if (!Number.isInteger(reply?.status) || reply.status < 200 || reply.status > 599) {
    throw new Error('The handler returned no reply');
  }
  const { status, body, json, headers: own } = reply;
  if (status === 200 && own === undefined && (body !== undefined || json !== undefined)) {
    const { headers, headerBlock } = headersOfJson.get(cors) ?? shareHeaders(cors);
    return { status, headers, headerBlock, body: json ?? JSON.stringify(body) };
  }
  const headers = [...(reply.isForAnyOrigin === true ? ANY_ORIGIN : own === undefined ? cors : without(own, cors))];
  const ownType = own !== undefined && hasHeader(own, 'content-type');
  if (own === undefined) headers.push(...PLAIN);
  else {
    headers.push('X-Content-Type-Options', 'nosniff');
    if (!hasHeader(own, 'cache-control')) headers.push('Cache-Control', 'no-store');
    for (const name in own) addHeader(headers, name, own[name]!);
  }
  if (status >= 300 && status < 400) headers.push('Referrer-Policy', 'no-referrer');
  if (status === 204 || status === 304) return { status, headers, body: null };
  if (body === undefined && json === undefined) return { status, headers, body: '' };
  if (ownType && (typeof body === 'string' || body instanceof Uint8Array)) return { status, headers, body };
  if (!ownType) headers.push(...JSON_TYPE);
  return { status, headers, body: json ?? JSON.stringify(body) };
}

/** @param versionHeader value of X-Supabase-Api-Version (docs/decisions.md, Error bodies) */
export function renderError(
  error: ApiError,
  versionHeader: string | undefined,
  requestId: string,
  cors: readonly string[],
): Answer {
  const version = negotiateVersion(versionHeader);
  const headers = [...cors, ...PLAIN, ...JSON_TYPE];
  // As in supabase/auth, the newer shape of a weak password has no code header.
  if (version === undefined || error.entry !== 'weakPassword') headers.push('X-Sb-Error-Code', error.errorCode);
  if (version !== undefined) headers.push('X-Supabase-Api-Version', version);
  if (error.retryAfterSeconds !== undefined) {
    headers.push('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterSeconds))));
  }
  try {
    for (const name in error.headers) addHeader(headers, name, error.headers[name]!);
    return { status: error.status, headers, body: JSON.stringify(errorBody(error, version, requestId)) };
  } catch (cause) {
    return renderError(apiError('unexpectedFailure', {}, { cause }), versionHeader, requestId, cors);
  }
}

/** The headers of every answer that the handler has not set itself; those of CORS, it never sets. */
function without(own: Readonly<Record<string, string>>, headers: readonly string[]): readonly string[] {
  if (!hasHeader(own, 'content-security-policy')) return headers;
  const set = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const isKept = (at: number) => headers[at] === 'Vary' || !set.has(headers[at]!.toLowerCase());
  return headers.filter((_, at) => isKept(at - (at % 2)));
}

function hasHeader(headers: Readonly<Record<string, string>>, lowerCaseName: string): boolean {
  for (const name in headers) if (name.toLowerCase() === lowerCaseName) return true;
  return false;
}
