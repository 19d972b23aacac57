/** A server with hosted pages under a domain, since WebAuthn knows no addresses, and a browser. */
import { freePort } from './free-port.js';
import { openBrowser, type TestBrowser } from './mailbox-page.js';
import { passkeySettings } from './passkeys.js';
import { openTestServer } from './server.js';
import type { Test } from './tap.js';

type Server = Awaited<ReturnType<typeof openTestServer>>;

/** @param executablePath of Chromium */
export async function openPasskeyPages(
  t: Test,
  executablePath: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly browser: TestBrowser; readonly origin: string; readonly server: Server }> {
  const browser = await openBrowser(t, executablePath);
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const server = await openTestServer(t, {
    ...passkeySettings,
    PAGES_ENABLED: 'true',
    API_PORT: String(port),
    API_EXTERNAL_URL: origin,
    SITE_URL: `${origin}/health`,
    WEBAUTHN_RP_ID: 'localhost',
    WEBAUTHN_RP_ORIGINS: origin,
    MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
    MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
    ...settings,
  });
  return { browser, origin, server };
}
