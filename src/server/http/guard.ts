/** Framing rules: what is refused before a request means anything (SEC-05 to SEC-08, SEC-10, SEC-12). */
import { type Refusal, refuse } from '../errors.js';

/** One mebibyte (SEC-08, reference/core.md 1.2). */
export const MAX_BODY_BYTES = 1_048_576;
/** SEC-10. The 16 kB limit on the header block is the engine's, set by the launcher. */
export const MAX_HEADERS = 90;

/** What is a method here. */
export const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']);

export interface Framing {
  /** Chunked requests are answered with Connection: close: trailers behind them would be read as a request. */
  readonly chunked: boolean;
  /** False when neither header announces a body: there is none to wait for (RFC 9112 6.3). */
  readonly hasBody: boolean;
  readonly refusal: Refusal | null;
}

const NO_BODY: Framing = { chunked: false, hasBody: false, refusal: null };
const MEASURED: Framing = { chunked: false, hasBody: true, refusal: null };
const CHUNKED: Framing = { chunked: true, hasBody: true, refusal: null };

const refused = (refusal: Refusal): Framing => ({ chunked: false, hasBody: true, refusal });
const malformed = (reason: string): Framing => refused(refuse('malformedRequest', { reason }));

/** The 413 of a body over the limit, announced or counted. */
export const bodyTooLarge = (): Refusal => refuse('requestTooLarge', { limit: MAX_BODY_BYTES });

/**
 * Decides from method and headers alone whether a request may be read on.
 * @param headers flat list: name, value, name, value; names in lower case
 */
export function checkFraming(method: string, headers: readonly string[]): Framing {
  if (!METHODS.has(method)) return malformed('unknown method');
  if (headers.length > MAX_HEADERS * 2) return refused(refuse('headersTooLarge'));
  let contentLength: string | undefined;
  let transferEncoding: string | undefined;
  let hosts = 0;
  let authorizations = 0;
  for (let i = 0; i < headers.length; i += 2) {
    switch (headers[i]) {
      case 'content-length':
        if (contentLength !== undefined) return malformed('more than one Content-Length');
        contentLength = headers[i + 1]!;
        break;
      case 'transfer-encoding':
        if (transferEncoding !== undefined) return malformed('more than one Transfer-Encoding');
        transferEncoding = headers[i + 1]!;
        break;
      case 'host':
        if (++hosts > 1) return malformed('more than one Host');
        break;
      case 'authorization':
        if (++authorizations > 1) return malformed('more than one Authorization');
        break;
    }
  }
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) return malformed('both Content-Length and Transfer-Encoding');
    if (transferEncoding.toLowerCase() !== 'chunked') return malformed('Transfer-Encoding must be chunked');
    return CHUNKED;
  }
  if (contentLength === undefined) return NO_BODY;
  if (!/^[0-9]{1,9}$/.test(contentLength)) return malformed('invalid Content-Length');
  return Number(contentLength) > MAX_BODY_BYTES ? refused(bodyTooLarge()) : MEASURED;
}
