import { isBrowserSecret } from '../../external/flow-state.js';
import type { ApiRequest } from '../../http/types.js';
import type { App } from '../../runtime/app.js';

type Settings = Pick<App, 'config'>;

/** Path of the external URL; empty without one. */
const prefixOf = ({ config }: Settings): string => new URL(config.apiExternalUrl).pathname.replace(/\/$/, '');

const isSecure = ({ config }: Settings): boolean => config.apiExternalUrl.startsWith('https://');

/** The prefixes bind a cookie to https, `__Host-` also to the host, which allows no path (RFC 6265bis 4.1.3). */
function nameOf(app: Settings): string {
  if (!isSecure(app)) return 'latchkey-pages';
  return prefixOf(app) === '' ? '__Host-latchkey-pages' : '__Secure-latchkey-pages';
}

/** @returns the secret of the browser on the pages; null without a well-formed one */
export function readPageSecret(app: Settings, request: ApiRequest): string | null {
  const prefix = `${nameOf(app)}=`;
  for (const pair of (request.header('cookie') ?? '').split(';')) {
    const text = pair.trim();
    if (text.startsWith(prefix) && isBrowserSecret(text.slice(prefix.length))) return text.slice(prefix.length);
  }
  return null;
}

/** The header that sets the cookie. Providers return by GET, for which SameSite=Lax sends it. */
export function keepPageSecret(app: Settings, secret: string): Readonly<Record<string, string>> {
  const path = prefixOf(app) === '' ? '/' : `${prefixOf(app)}/ui`;
  const site = isSecure(app) ? 'SameSite=Lax; Secure' : 'SameSite=Lax';
  const age = app.config.pagesSessionSeconds;
  return { 'Set-Cookie': `${nameOf(app)}=${secret}; Path=${path}; Max-Age=${age}; HttpOnly; ${site}` };
}
