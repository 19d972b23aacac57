import { claimsOf } from '../authenticator-app.js';
import { freePort } from '../free-port.js';
import { PageBrowser } from '../page-browser.js';
import { openSamlFlow, type SamlFlow } from '../saml-flow.js';
import type { Test } from '../tap.js';

export const HOME = 'http://localhost:3000';

export interface CompanyFlow extends SamlFlow {
  /** A browser that goes between the server and the identity provider. */
  browser(): PageBrowser;
  /** Whether the session of an access token still is; the token itself stays valid for reading until it expires. */
  hasSession(token: string): Promise<boolean>;
  /** POST /sso. @returns the address at the identity provider */
  leave(domain: string): Promise<string>;
}

/** A server that identity providers reach at the address by which it knows itself. @param idp where they listen */
export async function openCompanyFlow(
  t: Test,
  idp: string,
  settings: Record<string, string> = {},
): Promise<CompanyFlow> {
  const port = String(await freePort());
  const flow = await openSamlFlow(t, {
    API_PORT: port,
    API_EXTERNAL_URL: `http://127.0.0.1:${port}`,
    SAML_ALLOW_ENCRYPTED_ASSERTIONS: 'true',
    OUTBOUND_PRIVATE_HOSTS: '127.0.0.1',
    // The processors may be busy between the two.
    SAML_MAX_ISSUE_DELAY: '10m',
    ...settings,
  });
  return {
    ...flow,
    browser() {
      const browser = new PageBrowser(flow.url);
      browser.following = [idp];
      return browser;
    },
    async hasSession(token) {
      const { rowCount } = await flow.database.admin.query('select from sessions where id = $1', [
        claimsOf(token)['session_id'],
      ]);
      return rowCount === 1;
    },
    async leave(domain) {
      const answer = await flow.post('/sso', { domain, redirect_to: `${HOME}/in`, skip_http_redirect: true });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.url;
    },
  };
}
