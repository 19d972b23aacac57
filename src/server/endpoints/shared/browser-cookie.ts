import { isBrowserSecret, makeBrowserSecret } from '../../external/flow-state.js';
import type { ApiRequest } from '../../http/types.js';
import type { App } from '../../runtime/app.js';

/** Longer than a sign-in at a provider may take. */
const MAX_AGE_SECONDS = 900;

/**
 * The cookie that binds a sign-in at a provider to the browser that started it (SEC-60); one per browser. With https
 * its name binds it to the host (RFC 6265bis 4.1.3.2), and SameSite=None sends it with Apple's cross-site POST; plain
 * http, for development, supports neither.
 */
const isSecure = (app: Pick<App, 'config'>): boolean => app.config.apiExternalUrl.startsWith('https://');

const cookieName = (app: Pick<App, 'config'>): string =>
  isSecure(app) ? '__Host-latchkey-browser' : 'latchkey-browser';

/** @returns the secret in the cookie; null without a well-formed one */
export function readBrowserSecret(app: Pick<App, 'config'>, request: ApiRequest): string | null {
  const prefix = `${cookieName(app)}=`;
  const values = (request.header('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  return values.find(isBrowserSecret) ?? null;
}

/**
 * @param given in place of the one that the browser has
 * @returns the browser's secret, new if it has none, and the header that sets the cookie
 */
export function keepBrowserSecret(
  app: Pick<App, 'config'>,
  request: ApiRequest,
  given?: string,
): { readonly secret: string; readonly headers: Readonly<Record<string, string>> } {
  const secret = given ?? readBrowserSecret(app, request) ?? makeBrowserSecret();
  const site = isSecure(app) ? 'SameSite=None; Secure' : 'SameSite=Lax';
  const cookie = `${cookieName(app)}=${secret}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; ${site}`;
  return { secret, headers: { 'Set-Cookie': cookie } };
}
