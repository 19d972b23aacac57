/** Answers made of replies and refusals: status, checked headers, text. */
import { errorBody, negotiateVersion, type Refusal, refuse } from '../errors.js';
import type { Reply } from './types.js';

export interface Answer {
  readonly status: number;
  /** Flat list: name, value, name, value. All checked. */
  readonly headers: readonly string[];
  /**
   * The same and KEEPING, without the first name, as it goes over a kept connection; for lists that many answers share.
   */
  readonly headerBlock?: string;
  /** null: neither a body nor a Content-Length (SEC-17). */
  readonly body: string | Uint8Array | null;
}

/**
 * On every answer whose connection is kept: how long it may lie unused (REL-31). The engine ends it 8 to 12 s after its
 * last answer, its clock having steps of 4 s; a client that knows reuses none that is about to end.
 */
export const KEEPING: readonly (readonly [name: string, value: string])[] = [
  ['Connection', 'keep-alive'],
  ['Keep-Alive', 'timeout=8'],
];

const PLAIN: readonly string[] = ['X-Content-Type-Options', 'nosniff', 'Cache-Control', 'no-store'];
const JSON_TYPE: readonly string[] = ['Content-Type', 'application/json'];

/** What most answers have, by the lists of cors.ts. All of it are constants. */
const headersOfJson = new WeakMap<readonly string[], Pick<Answer, 'headers' | 'headerBlock'>>();

function shareHeaders(cors: readonly string[]): Pick<Answer, 'headers' | 'headerBlock'> {
  const headers = Object.freeze([...cors, ...PLAIN, ...JSON_TYPE]);
  let headerBlock = headers[1]!;
  for (let i = 2; i < headers.length; i += 2) headerBlock += `\r\n${headers[i]}: ${headers[i + 1]}`;
  for (const [name, value] of KEEPING) headerBlock += `\r\n${name}: ${value}`;
  const shared = { headers, headerBlock };
  headersOfJson.set(cors, shared);
  return shared;
}

/**
 * Adds one header to a list; every name and value that is not a constant of this room comes through here (SEC-16).
 * The engine would write CR and LF as they are.
 * @throws Error when a byte outside 0x20–0x7e is in it; the text names the header only
 */
export function addHeader(headers: string[], name: string, value: string): void {
  if (!/^[A-Za-z0-9-]+$/.test(name)) throw new Error('A response header has a name that cannot be sent');
  if (!/^[\x20-\x7e]*$/.test(value)) throw new Error(`Response header ${name} has a value that cannot be sent`);
  headers.push(name, value);
}

/**
 * @param cors headers of cors.ts for this request
 * @throws Error when the reply is no reply, or holds what cannot be sent
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
  const headers = [...cors];
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
  if (ownType && typeof body === 'string') return { status, headers, body };
  if (!ownType) headers.push(...JSON_TYPE);
  return { status, headers, body: json ?? JSON.stringify(body) };
}

/**
 * @param versionHeader value of X-Supabase-Api-Version (reference/core.md 1.4)
 * @param method HEAD gets the headers alone
 */
export function renderRefusal(
  refusal: Refusal,
  versionHeader: string | undefined,
  requestId: string,
  cors: readonly string[],
  method: string,
): Answer {
  const version = negotiateVersion(versionHeader);
  const headers = [...cors, ...PLAIN, ...JSON_TYPE];
  // reference/core.md 1.5: the newer shape of a weak password carries no code header.
  if (version === undefined || refusal.refusal !== 'weakPassword') headers.push('X-Sb-Error-Code', refusal.errorCode);
  if (version !== undefined) headers.push('X-Supabase-Api-Version', version);
  if (refusal.retryAfterSeconds !== undefined) {
    headers.push('Retry-After', String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))));
  }
  try {
    for (const name in refusal.headers) addHeader(headers, name, refusal.headers[name]!);
    const body = method === 'HEAD' ? null : JSON.stringify(errorBody(refusal, version, requestId));
    return { status: refusal.status, headers, body };
  } catch (cause) {
    return renderRefusal(refuse('unexpectedFailure', {}, { cause }), versionHeader, requestId, cors, method);
  }
}

function hasHeader(headers: Readonly<Record<string, string>>, lowerCaseName: string): boolean {
  for (const name in headers) if (name.toLowerCase() === lowerCaseName) return true;
  return false;
}
