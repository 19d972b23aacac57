/** Framing rules, checked before a request is routed (SEC-05 to SEC-08, SEC-10, SEC-12). */
import { type ApiError, apiError } from '../errors.js';

/** Highest limit that an endpoint may set (SEC-08). */
export const MAX_BODY_BYTES = 1_048_576;
/** Default limit of an endpoint (SEC-89): tokens, codes, addresses and a password stay below 16 kB. */
export const DEFAULT_BODY_BYTES = 65_536;
/** SEC-10. The engine accepts 98. */
export const MAX_HEADERS = 90;
/**
 * Request line and headers (SEC-10). The launcher sets the engine's limit to twice this, so that a head slightly over
 * the limit gets a JSON error; beyond that the engine answers itself (docs/proxies.md).
 */
const MAX_HEAD_BYTES = 16_384;

/** The known methods. */
export const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']);

export interface Framing {
  /** False when neither header announces a body (RFC 9112 6.3). */
  readonly hasBody: boolean;
  /** Value of Content-Length; 0 for chunks. */
  readonly announcedBytes: number;
  /** The connection ends with the answer. */
  readonly mustClose: boolean;
  readonly rejection: ApiError | null;
}

const reject = (rejection: ApiError): Framing => ({
  hasBody: true,
  announcedBytes: 0,
  mustClose: true,
  rejection,
});
const malformed = (reason: string): Framing => reject(apiError('malformedRequest', { reason }));

/** The close option in any Connection header and any position of its list (RFC 9112 9.6). */
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/**
 * Whether the engine closes the connection itself. It only checks the length of the first Connection header, in bytes,
 * and does not announce it (REL-31). The number of bytes of a value that is not ASCII cannot be known.
 */
export function isClosedByEngine(firstConnection: string | undefined): boolean {
  if (firstConnection === undefined || firstConnection === 'keep-alive') return false;
  return firstConnection.length === 5 || /[^\x00-\x7f]/.test(firstConnection);
}

/** The 413 of a body over the limit. */
export const bodyTooLarge = (limit: number): ApiError => apiError('requestTooLarge', { limit });

/**
 * Checks the head of a request.
 * @param targetLength of path and query
 * @param headers flat list: name, value, name, value; names in lower case
 */
export function checkFraming(method: string, targetLength: number, headers: readonly string[]): Framing {
  if (!METHODS.has(method)) return malformed('unknown method');
  if (headers.length > MAX_HEADERS * 2) return reject(apiError('headersTooLarge'));
  let contentLength: string | undefined;
  let transferEncoding: string | undefined;
  let firstConnection: string | undefined;
  let mustClose = false;
  let hosts = 0;
  let authorizations = 0;
  // The request line has two spaces, HTTP/1.1 and a line end besides, every other line a colon, a space and a line end.
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
  if (bytes > MAX_HEAD_BYTES) return reject(apiError('headersTooLarge'));
  mustClose ||= isClosedByEngine(firstConnection);
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) return malformed('both Content-Length and Transfer-Encoding');
    if (transferEncoding.toLowerCase() !== 'chunked') return malformed('Transfer-Encoding must be chunked');
    // The engine would read a trailer after the chunks as a request.
    return { hasBody: true, announcedBytes: 0, mustClose: true, rejection: null };
  }
  if (contentLength === undefined) return { hasBody: false, announcedBytes: 0, mustClose, rejection: null };
  if (!/^[0-9]{1,9}$/.test(contentLength)) return malformed('invalid Content-Length');
  const announcedBytes = Number(contentLength);
  return announcedBytes > MAX_BODY_BYTES
    ? reject(bodyTooLarge(MAX_BODY_BYTES))
    : { hasBody: true, announcedBytes, mustClose, rejection: null };
}
