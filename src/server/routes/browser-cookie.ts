import { isBrowserSecret, makeBrowserSecret } from '../accounts/flow-state.js';
import type { App } from '../app.js';
import type { ApiRequest } from '../http/types.js';

/** As long as a sign-in at a provider may take, and then some. */
const MAX_AGE_SECONDS = 900;

/**
 * The cookie that ties a sign-in at a provider to the browser that began it (SEC-60). One secret for all of a browser's
 * tabs. Behind https it is bound to this host alone by its name (RFC 6265bis 4.1.3.2), and goes with apple's cross-site
 * POST; plain http, which is for development, can have neither.
 */
const isSecure = (app: Pick<App, 'config'>): boolean => app.config.apiExternalUrl.startsWith('https://');

const nameOf = (app: Pick<App, 'config'>): string => (isSecure(app) ? '__Host-latchkey-browser' : 'latchkey-browser');

/** @returns the browser's secret, if it sent one of ours */
export function readBrowserSecret(app: Pick<App, 'config'>, request: ApiRequest): string | null {
  const prefix = `${nameOf(app)}=`;
  const values = (request.header('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  return values.find(isBrowserSecret) ?? null;
}

/** @returns the secret the browser has or gets, and the header that keeps it */
export function keepBrowserSecret(
  app: Pick<App, 'config'>,
  request: ApiRequest,
): { readonly secret: string; readonly headers: Readonly<Record<string, string>> } {
  const secret = readBrowserSecret(app, request) ?? makeBrowserSecret();
  const site = isSecure(app) ? 'SameSite=None; Secure' : 'SameSite=Lax';
  const cookie = `${nameOf(app)}=${secret}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; ${site}`;
  return { secret, headers: { 'Set-Cookie': cookie } };
}
