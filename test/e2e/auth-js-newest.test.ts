/** What only newer releases of @supabase/auth-js have: recovery codes (2.116), and autofill of passkeys (2.117). */
import { AuthClient as FormerClient } from '@supabase/auth-js';
import { AuthClient } from 'auth-js-newest';
import { serveAuthJsPage } from '../support/auth-js-page.js';
import { claimsOf, openApp } from '../support/authenticator-app.js';
import { dataOf } from '../support/client-data.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { passkeyPage } from '../support/passkey-page.js';
import { passkeySettings, signUpUser } from '../support/passkeys.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { equalSoon } from '../support/soon.js';
import { t } from '../support/tap.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

const options = { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false };

t.test('mfa.recoveryCodes', async (t) => {
  const { url } = await openTestServer(t, {
    MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
    MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
  });
  const email = freshEmail();
  const open = () => new AuthClient({ url, ...options, experimental: { recoveryCodes: true } });
  const client = open();
  const { mfa } = client;
  await dataOf(client.signUp({ email, password }));
  t.match(await mfa.recoveryCodes.generate(), { error: { status: 403, code: 'insufficient_aal' } });
  const { id: factorId, totp } = await dataOf(mfa.enroll({ factorType: 'totp', friendlyName: 'My app' }));
  await dataOf(mfa.challengeAndVerify({ factorId, code: openApp(totp.secret).nextCode() }));
  t.match(await mfa.recoveryCodes.getStatus(), { error: { status: 404, code: 'mfa_factor_not_found' } });
  const generated = await dataOf(mfa.recoveryCodes.generate({ friendlyName: 'Paper' }));
  t.match(generated, { type: 'recovery_code', friendly_name: 'Paper', total: 10 });
  t.equal(generated.codes.length, 10);
  t.match(await dataOf(mfa.listFactors()), { recovery_code: [{ id: generated.id }], totp: [{ id: factorId }] });

  const second = open();
  const events: string[] = [];
  second.onAuthStateChange((event) => void events.push(event));
  await dataOf(second.signInWithPassword({ email, password }));
  t.match(await second.mfa.recoveryCodes.verify({ code: 'aaaaaaaaaaaaaaaa' }), {
    error: { status: 422, code: 'mfa_verification_failed' },
  });
  const verified = await dataOf(second.mfa.recoveryCodes.verify({ code: generated.codes[0]!.toUpperCase() }));
  t.match(claimsOf(verified.access_token), { aal: 'aal2', amr: [{ method: 'mfa/recovery_code' }, {}] });
  t.match(events.slice(-1), ['MFA_CHALLENGE_VERIFIED']);
  t.match(await dataOf(second.mfa.getAuthenticatorAssuranceLevel()), { currentLevel: 'aal2', nextLevel: 'aal2' });
  t.match(await dataOf(second.mfa.recoveryCodes.getStatus()), { total: 10, remaining: 9 });
  const renewed = await dataOf(second.mfa.recoveryCodes.regenerate());
  t.notOk(renewed.codes.some((code) => generated.codes.includes(code)));

  // docs/mfa.md warns of it.
  const former = new FormerClient({ url, ...options });
  await dataOf(former.signInWithPassword({ email, password }));
  await t.rejects(former.mfa.listFactors(), TypeError, 'a release that does not know recovery codes');

  t.match(await dataOf(second.mfa.recoveryCodes.unenroll()), { id: generated.id });
  t.match(await second.mfa.recoveryCodes.getStatus(), { error: { status: 404 } });
});

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
