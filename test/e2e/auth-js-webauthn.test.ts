/** `mfa.webauthn` of @supabase/auth-js, in a page, with an authenticator of the browser. */

import { serveAuthJsPage } from '../support/auth-js-page.js';
import { factorPage } from '../support/factor-page.js';
import { openDevices } from '../support/hosted/devices.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { passkeySettings, signUpUser } from '../support/passkeys.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  // WebAuthn knows domains only, no addresses.
  const application = (await serveAuthJsPage(t, factorPage)).replace('127.0.0.1', 'localhost');
  const server = await openTestServer(t, {
    ...passkeySettings,
    PASSKEY_ENABLED: 'false',
    MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
    MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
    WEBAUTHN_RP_ID: 'localhost',
    WEBAUTHN_RP_ORIGINS: application,
    SITE_URL: application,
  });
  const { port } = new URL(server.url);

  const openDevice = openDevices(t, browser);

  /** A signed-in page. Each device has a security key of its own. */
  async function visit(email: string) {
    const { context, page } = await openDevice();
    const { devtools, authenticatorId } = await addVirtualAuthenticator(context, page, 'usb');
    await page.goto(`${application}/page/${port}/${encodeURIComponent(email)}/${encodeURIComponent(password)}`);
    await page.click('#sign-in');
    const level = (text: string) => page.locator(`#level:text-is("${text}")`).waitFor();
    const problem = async () => (await page.locator('#problem:not(:empty)').textContent()) ?? '';
    const counters = async () => {
      const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
      return (credentials as { signCount: number }[]).map(({ signCount }) => signCount);
    };
    return { page, level, problem, counters };
  }

  t.test('register and authenticate', async (t) => {
    const { email } = await signUpUser(server);
    const { page, level, counters } = await visit(email);
    await level('aal1 of aal1 by password');
    await page.click('#register');
    await level('aal2 of aal2 by mfa/webauthn, password');
    t.equal(await page.evaluate('window.lastEvent()'), 'MFA_CHALLENGE_VERIFIED');
    t.match(await page.evaluate('window.listFactors()'), {
      all: [{ friendly_name: 'Blue key', factor_type: 'webauthn', status: 'verified' }],
      webauthn: [{}],
      totp: [],
    });
    const [registered] = await counters();

    await page.click('#sign-out');
    await level('signed out');
    await page.click('#sign-in');
    await level('aal1 of aal2 by password');
    await page.click('#authenticate');
    await level('aal2 of aal2 by mfa/webauthn, password');
    t.ok((await counters())[0]! > registered!, 'the key has signed');
    await page.reload();
    await level('aal2 of aal2 by mfa/webauthn, password');
  });

  t.test('a device without the key raises nothing', async (t) => {
    const { email } = await signUpUser(server);
    const { page, level } = await visit(email);
    await level('aal1 of aal1 by password');
    await page.click('#register');
    await level('aal2 of aal2 by mfa/webauthn, password');
    const other = await visit(email);
    await other.level('aal1 of aal2 by password');
    await other.page.click('#authenticate');
    t.match(await other.problem(), /^\w+Error: ./);
    await other.level('aal1 of aal2 by password');
    // The client then asks to remove the factor whose name is taken, which needs the key, too.
    await other.page.click('#register');
    await other.page.locator('#problem:text("A factor with the friendly name")').waitFor();
    t.match(await other.page.evaluate('window.listFactors()'), { webauthn: [{ friendly_name: 'Blue key' }] });
    t.same(await other.counters(), [], 'no credential was made');
  });
}
