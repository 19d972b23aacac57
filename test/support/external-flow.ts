import type { ProviderName } from '../../src/server/config/settings/external.js';
import { type FakeProviders, openFakeProviders, type Return, type SignInOptions } from './fake-providers/index.js';
import { type MailFlow, openMailFlow } from './mail-flows.js';
import type { Test } from './tap.js';

/** A server with fake providers, and browsers that sign in there. */
export interface ExternalFlow extends MailFlow {
  readonly providers: FakeProviders;
  /** A browser with its own cookies. */
  openBrowser(): Browser;
  /** Signs in with a browser of its own. */
  signIn(name: ProviderName, options?: SignInOptions & { query?: Record<string, string> }): Promise<Landing>;
  /** Links by hand, in a browser of its own. */
  link(name: ProviderName, bearer: string, options?: SignInOptions): Promise<Landing>;
}

export interface Browser {
  /**
   * Starts linking by hand, as a script of the server's own origin does; the browser keeps the cookie.
   * @returns the provider's address
   */
  beginLink(name: string, bearer: string): Promise<string>;
  /** GET /authorize. @returns the redirect target */
  leave(name: string, query?: Record<string, string>): Promise<Departure>;
  /** Calls /callback with a response of the provider. */
  comeBack(answer: Return): Promise<Landing>;
  /** Requests a URL of the server with the browser's cookies. */
  open(path: string, init?: RequestInit): Promise<Response>;
  cookie: string;
}

export interface Departure {
  readonly status: number;
  readonly location: string;
  readonly response: Response;
}

/** The URL at which the browser arrives. */
export interface Landing {
  readonly status: number;
  readonly location: URL;
  readonly query: URLSearchParams;
  readonly fragment: URLSearchParams;
}

export async function openExternalFlow(
  t: Test,
  names: readonly ProviderName[],
  settings: Record<string, string> = {},
): Promise<ExternalFlow> {
  const providers = await openFakeProviders(t);
  const redirectUri = `${settings['API_EXTERNAL_URL'] ?? 'http://localhost:9999'}/callback`;
  const flow = await openMailFlow(t, { ...providers.settings(names, redirectUri), ...settings });
  const openBrowser = (): Browser => makeBrowser(flow.url);
  return {
    ...flow,
    providers,
    openBrowser,
    async link(name, bearer, options) {
      const browser = openBrowser();
      return browser.comeBack(await providers.signIn(await browser.beginLink(name, bearer), options));
    },
    async signIn(name, { query, ...options } = {}) {
      const browser = openBrowser();
      const { location } = await browser.leave(name, query);
      return browser.comeBack(await providers.signIn(location, options));
    },
  };
}

export function makeBrowser(base: string): Browser {
  const open = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...(init.headers as Record<string, string>), ...(browser.cookie && { cookie: browser.cookie }) };
    const response = await fetch(base + path, { redirect: 'manual', ...init, headers });
    const [cookie] = (response.headers.get('set-cookie') ?? '').split(';');
    if (cookie) browser.cookie = cookie;
    return response;
  };
  const browser: Browser = {
    cookie: '',
    open,
    async beginLink(name, bearer) {
      const query = new URLSearchParams({ provider: name, skip_http_redirect: 'true' });
      const init = { headers: { authorization: `Bearer ${bearer}` } };
      return ((await (await open(`/user/identities/authorize?${query}`, init)).json()) as { url: string }).url;
    },
    async leave(name, query = {}) {
      const response = await open(`/authorize?${new URLSearchParams({ provider: name, ...query })}`);
      return { status: response.status, location: response.headers.get('location') ?? '', response };
    },
    async comeBack({ method, url, fields }) {
      const { pathname, search } = new URL(url);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const init = method === 'POST' ? { method, headers: form, body: String(new URLSearchParams(fields)) } : {};
      return readLanding(await open(pathname + search, init));
    },
  };
  return browser;
}

export function readLanding(response: Response): Landing {
  const location = new URL(response.headers.get('location') ?? 'about:blank');
  return {
    status: response.status,
    location,
    query: location.searchParams,
    fragment: new URLSearchParams(location.hash.slice(1)),
  };
}

/** Claims of an access token, unverified. */
export function claimsOf(accessToken: string | null): Record<string, unknown> & { sub: string } {
  return JSON.parse(Buffer.from(accessToken?.split('.')[1] ?? '', 'base64url').toString());
}
