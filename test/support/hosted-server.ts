/** An authorization server with its hosted pages, under the address that it says it has: for the clients of others. */

import type { TestInternet } from '../../src/server/outbound/public-address.js';
import { freePort } from './free-port.js';
import { oauthSettings } from './oauth-client.js';
import { PageBrowser } from './page-browser.js';
import { openTestServer, password, type TestServer } from './server.js';
import type { Test } from './tap.js';

export interface HostedServer extends TestServer {
  /** The issuer, where the server really is. */
  readonly issuer: string;
  openBrowser(): PageBrowser;
}

/** @param internet what metadata documents of clients are read from */
export async function openHostedServer(
  t: Test,
  settings: Record<string, string> = {},
  internet?: TestInternet,
): Promise<HostedServer> {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const server = await openTestServer(
    t,
    oauthSettings({
      API_PORT: String(port),
      API_EXTERNAL_URL: issuer,
      OAUTH_SERVER_AUTHORIZATION_PATH: '',
      PAGES_ENABLED: 'true',
      OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
      ...settings,
    }),
    (databaseUrl) => databaseUrl,
    internet,
  );
  return { ...server, issuer, openBrowser: () => new PageBrowser(issuer) };
}

/** On the page on which a flow begins. */
export async function signUpOnPages(browser: PageBrowser, address: string): Promise<PageBrowser> {
  await browser.open(`/ui/sign-up${new URL(browser.url).search}`);
  return browser.send(browser.form('/ui/sign-up'), { address, password });
}

export const signInOnPages = (browser: PageBrowser, address: string): Promise<PageBrowser> =>
  browser.send(browser.form('/ui/sign-in'), { address, password, action: 'password' });

/** Decides on the consent page. @returns where the browser goes on: to the client */
export async function decideOnPages(browser: PageBrowser, action: 'approve' | 'deny' = 'approve'): Promise<URL> {
  await browser.send(browser.form('/ui/consent'), { action });
  return new URL(browser.onward);
}
