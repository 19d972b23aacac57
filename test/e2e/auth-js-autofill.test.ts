/** Autofill of passkeys, which only newer releases of @supabase/auth-js have (2.117), in a browser. */
import { serveAuthJsPage } from '../support/auth-js-page.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { passkeyPage } from '../support/passkey-page.js';
import { passkeySettings, signUpUser } from '../support/passkeys.js';
import { openTestServer, password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { onlyInFull, t } from '../support/tap.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

onlyInFull('a release of the client in a browser; the same requests by the other release: auth-js-passkeys');

t.test('signInWithPasskey with autofill', async (t) => {
  const chromium = findChromium();
  if (chromium === null) return skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
  const application = (await serveAuthJsPage(t, passkeyPage, 'auth-js-newest')).replace('127.0.0.1', 'localhost');
  const server = await openTestServer(t, {
    ...passkeySettings,
    WEBAUTHN_RP_ID: 'localhost',
    WEBAUTHN_RP_ORIGINS: application,
    SITE_URL: application,
  });
  const { email } = await signUpUser(server);
  const context = await (await openBrowser(t, chromium)).newContext();
  const page = await context.newPage();
  await addVirtualAuthenticator(context, page);
  const { port } = new URL(server.url);
  await page.goto(`${application}/page/${port}/${encodeURIComponent(email)}/${encodeURIComponent(password)}`);
  await page.getByText(`${email} by password`).waitFor();
  await page.click('#register');
  await page.getByText('added Passkey').waitFor();
  await page.click('#sign-out');
  await page.getByText('signed out').waitFor();
  await page.evaluate('window.signInByAutofill()');
  await page.getByText(`${email} by passkey`).waitFor();
  await equalSoon(t, () => page.textContent('#problem'), '');
});
