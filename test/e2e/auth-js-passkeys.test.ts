import { serveAuthJsPage } from '../support/auth-js-page.js';
import { openDevices } from '../support/hosted/devices.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { passkeyPage } from '../support/passkey-page.js';
import { passkeySettings, signUpUser } from '../support/passkeys.js';
import { openTestServer, password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { t } from '../support/tap.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  // WebAuthn knows domains only, no addresses.
  const application = (await serveAuthJsPage(t, passkeyPage)).replace('127.0.0.1', 'localhost');
  const server = await openTestServer(t, {
    ...passkeySettings,
    WEBAUTHN_RP_ID: 'localhost',
    WEBAUTHN_RP_ORIGINS: application,
    SITE_URL: application,
  });
  const { port } = new URL(server.url);

  const openDevice = openDevices(t, browser);

  /** A page whose device has an authenticator that always agrees. */
  async function visit(address: string) {
    const { context, page } = await openDevice();
    const { devtools, authenticatorId } = await addVirtualAuthenticator(context, page);
    await page.goto(`${application}/${address}`);
    const credentials = async () =>
      (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials as { signCount: number }[];
    return { page, credentials };
  }

  t.test('registerPasskey, signInWithPasskey and autofill, in a browser', async (t) => {
    const { email } = await signUpUser(server);
    const { page, credentials } = await visit(
      `page/${port}/${encodeURIComponent(email)}/${encodeURIComponent(password)}`,
    );
    await page.getByText(`${email} by password`).waitFor();
    await page.click('#register');
    await page.getByText('added Passkey').waitFor();
    t.equal((await credentials()).length, 1, 'a discoverable credential');
    await page.click('#register');
    await page.locator('#problem:not(:text("added"))').waitFor();
    t.equal((await credentials()).length, 1, 'the options exclude it the second time');

    await page.click('#sign-out');
    await page.getByText('signed out').waitFor();
    await page.click('#sign-in');
    await page.getByText(`${email} by passkey`).waitFor();

    await page.click('#sign-out');
    await page.getByText('signed out').waitFor();
    const lifetime = await page.evaluate('window.offerAutofill()');
    await page.getByText(`${email} by passkey`).waitFor();
    t.ok((lifetime as number) > 3500, 'its challenge lives an hour');
    const listed = (await page.evaluate('window.listPasskeys()')) as { friendly_name: string; last_used_at: string }[];
    t.match(listed, [{ friendly_name: 'Passkey', last_used_at: /^2/ }]);
    t.ok((await credentials())[0]!.signCount > 1);
  });

  t.test('a page without passkeys learns that there is none', async (t) => {
    const { page } = await visit(`page/${port}`);
    await page.click('#sign-in');
    await page.locator('#problem:not(:empty)').waitFor();
    await equalSoon(t, () => page.getByText('signed out').isVisible(), true);
  });
}
