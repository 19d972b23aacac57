/** Framing rules: what is refused before a request means anything (SEC-05 to SEC-08, SEC-10, SEC-12). */
import { type Refusal, refuse } from '../errors.js';

/** The most a route may take (SEC-08). */
export const MAX_BODY_BYTES = 1_048_576;
/** What a route takes that says nothing else (SEC-89): tokens, codes, addresses and a password stay below 16 kB. */
export const DEFAULT_BODY_BYTES = 65_536;
/** SEC-10. The engine takes 98. */
export const MAX_HEADERS = 90;
/**
 * Request line and headers (SEC-10). The engine takes twice as much, as the launcher says, so that what is only somewhat
 * too long is refused in JSON; beyond that, it refuses in its own words (docs/proxies.md).
 */
const MAX_HEAD_BYTES = 16_384;

/** What is a method here. */
export const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']);

export interface Framing {
  /** False when neither header announces a body: there is none to wait for (RFC 9112 6.3). */
  readonly hasBody: boolean;
  /** What Content-Length says; 0 for chunks. */
  readonly announcedBytes: number;
  /** The connection ends with the answer. */
  readonly mustClose: boolean;
  readonly refusal: Refusal | null;
}

const refused = (refusal: Refusal): Framing => ({
  hasBody: true,
  announcedBytes: 0,
  mustClose: true,
  refusal,
});
const malformed = (reason: string): Framing => refused(refuse('malformedRequest', { reason }));

/** What asks for an end of the connection, in any line of Connection and any place of its list (RFC 9112 9.6). */
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/**
 * True where the engine ends the connection by itself: it looks at the length of the first line of Connection alone, and
 * leaves it to us to say so (REL-31). It counts bytes, and how many of them a text beyond ASCII had cannot be told.
 */
export function isClosedByEngine(firstConnection: string | undefined): boolean {
  if (firstConnection === undefined || firstConnection === 'keep-alive') return false;
  return firstConnection.length === 5 || /[^\x00-\x7f]/.test(firstConnection);
}

/** The 413 of a body over a limit, announced or counted. */
export const bodyTooLarge = (limit: number): Refusal => refuse('requestTooLarge', { limit });

/**
 * Decides from the head of a request alone whether it may be read on.
 * @param targetLength of path and query
 * @param headers flat list: name, value, name, value; names in lower case
 */
export function checkFraming(method: string, targetLength: number, headers: readonly string[]): Framing {
  if (!METHODS.has(method)) return malformed('unknown method');
  if (headers.length > MAX_HEADERS * 2) return refused(refuse('headersTooLarge'));
  let contentLength: string | undefined;
  let transferEncoding: string | undefined;
  let firstConnection: string | undefined;
  let mustClose = false;
  let hosts = 0;
  let authorizations = 0;
  // Two spaces, HTTP/1.1 and a line end on the request line, a colon, a space and a line end on each other one.
  let bytes = method.length + targetLength + 12 + headers.length * 2;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    const value = headers[i + 1]!;
    bytes += name.length + value.length;
    switch (name) {
      case 'content-length':
        if (contentLength !== undefined) return malformed('more than one Content-Length');
        contentLength = value;
        break;
      case 'transfer-encoding':
        if (transferEncoding !== undefined) return malformed('more than one Transfer-Encoding');
        transferEncoding = value;
        break;
      case 'connection':
        firstConnection ??= value;
        mustClose ||= value !== 'keep-alive' && CLOSE.test(value);
        break;
      case 'host':
        if (++hosts > 1) return malformed('more than one Host');
        break;
      case 'authorization':
        if (++authorizations > 1) return malformed('more than one Authorization');
        break;
    }
  }
  if (bytes > MAX_HEAD_BYTES) return refused(refuse('headersTooLarge'));
  mustClose ||= isClosedByEngine(firstConnection);
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) return malformed('both Content-Length and Transfer-Encoding');
    if (transferEncoding.toLowerCase() !== 'chunked') return malformed('Transfer-Encoding must be chunked');
    // A trailer behind the chunks would be read as a request.
    return { hasBody: true, announcedBytes: 0, mustClose: true, refusal: null };
  }
  if (contentLength === undefined) return { hasBody: false, announcedBytes: 0, mustClose, refusal: null };
  if (!/^[0-9]{1,9}$/.test(contentLength)) return malformed('invalid Content-Length');
  const announcedBytes = Number(contentLength);
  return announcedBytes > MAX_BODY_BYTES
    ? refused(bodyTooLarge(MAX_BODY_BYTES))
    : { hasBody: true, announcedBytes, mustClose, refusal: null };
}
