/** Which requests the console answers: those of its own pages, under its own host. */
import type { Config } from '../config/settings.js';
import { apiError } from '../errors.js';
import type { ApiRequest } from '../http/types.js';
import { consoleHostOf, consoleOriginOf, isConsoleTrusted } from './console-address.js';

/** Other origins cannot send it without a preflight, which the console refuses. */
export const CONSOLE_HEADER = 'x-latchkey-console';

/**
 * On every answer. Without headers that let other origins read it, and without any source but the console itself.
 */
export const CONSOLE_HEADERS: readonly string[] = Object.entries({
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
}).flat();

/**
 * Checks host and origin. A page of another site, of another port of this host, or of a name that leads to this machine
 * (DNS rebinding) can neither read nor change anything.
 * @throws ApiError consoleHostUnknown, consoleFromElsewhere
 */
export function assertFromConsole(config: Pick<Config, 'consolePort' | 'consoleUrl'>, request: ApiRequest): void {
  if (request.header('host') !== consoleHostOf(config)) throw apiError('consoleHostUnknown');
  const site = request.header('sec-fetch-site');
  if (request.method === 'GET' || request.method === 'HEAD') {
    // A link that leads to the console opens its page, which then asks for what it shows.
    const isPage = !request.path.startsWith('/api/');
    if (isPage || site === undefined || site === 'same-origin' || site === 'none') return;
    throw apiError('consoleFromElsewhere');
  }
  const isOwn =
    request.header('origin') === consoleOriginOf(config) &&
    request.header(CONSOLE_HEADER) === '1' &&
    /^application\/json\s*(?:;|$)/i.test(request.header('content-type') ?? '') &&
    (site === 'same-origin' || (site === undefined && !isConsoleTrusted(config)));
  if (!isOwn) throw apiError('consoleFromElsewhere');
}
