import { AuthAdminApi, AuthClient } from '@supabase/auth-js';
import { adminToken } from '../support/admin.js';
import { openApp } from '../support/authenticator-app.js';
import { dataOf } from '../support/client-data.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

function openClient(url: string) {
  const options = { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false };
  const client = new AuthClient({ url, ...options });
  const events: string[] = [];
  client.onAuthStateChange((event) => void events.push(event));
  return { client, events };
}

t.test('@supabase/auth-js, unchanged: mfa with an authenticator app', async (t) => {
  const { url } = await openTestServer(t);
  const email = freshEmail();
  const { client, events } = openClient(url);
  await dataOf(client.signUp({ email, password }));
  const { mfa } = client;
  const none = { currentLevel: 'aal1', nextLevel: 'aal1', currentAuthenticationMethods: [{ method: 'password' }] };
  t.match(await dataOf(mfa.getAuthenticatorAssuranceLevel()), none);
  t.match(await dataOf(mfa.listFactors()), { all: [], totp: [], phone: [], webauthn: [] });

  const enrolled = await dataOf(mfa.enroll({ factorType: 'totp', friendlyName: 'My app', issuer: 'Example' }));
  t.match(enrolled, { id: /^[0-9a-f-]{36}$/, type: 'totp', friendly_name: 'My app' });
  t.match(enrolled.totp.qr_code, /^data:image\/svg\+xml;utf-8,<svg/);
  t.equal(new URL(enrolled.totp.uri).searchParams.get('issuer'), 'Example');
  const factorId = enrolled.id;
  const app = openApp(enrolled.totp.secret);
  t.match(await dataOf(mfa.listFactors()), { all: [{ id: factorId, status: 'unverified' }], totp: [] });
  t.match(await dataOf(mfa.getAuthenticatorAssuranceLevel()), none, 'an unverified factor asks for nothing');

  const challenge = await dataOf(mfa.challenge({ factorId }));
  t.match(challenge, { type: 'totp', expires_at: Number });
  const wrong = await mfa.verify({ factorId, challengeId: challenge.id, code: '000000' });
  t.match(wrong.error, { name: 'AuthApiError', status: 422, code: 'mfa_verification_failed' });
  const verified = await dataOf(mfa.verify({ factorId, challengeId: challenge.id, code: app.nextCode() }));
  t.match(verified, { token_type: 'bearer', user: { factors: [{ id: factorId, status: 'verified' }] } });
  t.match(events.slice(-1), ['MFA_CHALLENGE_VERIFIED']);
  const { session } = await dataOf(client.getSession());
  t.equal(session?.access_token, verified.access_token, 'the client stores the answer');
  const raised = {
    ...{ currentLevel: 'aal2', nextLevel: 'aal2' },
    currentAuthenticationMethods: [{ method: 'totp' }, { method: 'password' }],
  };
  t.match(await dataOf(mfa.getAuthenticatorAssuranceLevel()), raised);
  t.match(await dataOf(mfa.getAuthenticatorAssuranceLevel(verified.access_token)), raised);
  t.match(await dataOf(mfa.listFactors()), { all: [{ id: factorId }], totp: [{ id: factorId, status: 'verified' }] });
  await dataOf(client.refreshSession());
  t.match(await dataOf(mfa.getAuthenticatorAssuranceLevel()), raised, 'a refresh keeps the level');

  const second = openClient(url);
  await dataOf(second.client.signInWithPassword({ email, password }));
  const asked = { currentLevel: 'aal1', nextLevel: 'aal2' };
  t.match(await dataOf(second.client.mfa.getAuthenticatorAssuranceLevel()), asked, 'the sign-in lists the factors');
  const refused = await second.client.updateUser({ password: 'another correct horse' });
  t.match(refused.error, { status: 401, code: 'insufficient_aal' });
  await dataOf(second.client.mfa.challengeAndVerify({ factorId, code: app.nextCode() }));
  t.match(second.events.slice(-1), ['MFA_CHALLENGE_VERIFIED']);
  t.match(await dataOf(second.client.mfa.getAuthenticatorAssuranceLevel()), raised);
  await dataOf(second.client.updateUser({ password: 'another correct horse' }));

  t.same(await dataOf(second.client.mfa.unenroll({ factorId })), { id: factorId });
  await dataOf(second.client.refreshSession());
  t.match(await dataOf(second.client.mfa.getAuthenticatorAssuranceLevel()), none, 'after the refresh it is aal1');
  t.match(await dataOf(second.client.mfa.listFactors()), { all: [], totp: [] });
  const gone = await second.client.mfa.challenge({ factorId });
  t.match(gone.error, { status: 404, code: 'mfa_factor_not_found' });
});

t.test('@supabase/auth-js, unchanged: auth.admin.mfa', async (t) => {
  const { url } = await openTestServer(t);
  const { client } = openClient(url);
  const { user } = await dataOf(client.signUp({ email: freshEmail(), password }));
  const userId = user!.id;
  const { id: factorId, totp } = await dataOf(client.mfa.enroll({ factorType: 'totp', friendlyName: 'My app' }));
  await dataOf(client.mfa.challengeAndVerify({ factorId, code: openApp(totp.secret).nextCode() }));

  const admin = new AuthAdminApi({ url, headers: { Authorization: `Bearer ${adminToken()}` } });
  const { factors } = await dataOf(admin.mfa.listFactors({ userId }));
  t.match(factors, [{ id: factorId, factor_type: 'totp', status: 'verified', friendly_name: 'My app' }]);
  t.notOk(JSON.stringify(factors).includes(totp.secret));
  t.equal((await admin.mfa.deleteFactor({ userId, id: factorId })).error, null);
  t.same(await dataOf(admin.mfa.listFactors({ userId })), { factors: [] });
  await dataOf(client.refreshSession());
  t.match(await dataOf(client.mfa.getAuthenticatorAssuranceLevel()), { currentLevel: 'aal1', nextLevel: 'aal1' });
});

t.test('a browser shows the QR code as the client returns it', async (t) => {
  const chromium = findChromium();
  if (chromium === null) return skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
  const { url } = await openTestServer(t);
  const { client } = openClient(url);
  await dataOf(client.signUp({ email: `a+#%&'-${freshEmail()}`, password }));
  const { totp } = await dataOf(
    client.mfa.enroll({ factorType: 'totp', friendlyName: 'app', issuer: `Ünïcode & <Söhne> #1 100% "x'` }),
  );
  const page = await (await (await openBrowser(t, chromium)).newContext()).newPage();
  await page.setContent('<img id="code">');
  // As text, for the types of a page are not those of this process.
  const size = (await page.evaluate(`(async () => {
    const image = document.getElementById('code');
    image.src = ${JSON.stringify(totp.qr_code)};
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const isDark = (x, y) => context.getImageData(x, y, 1, 1).data[0] < 128;
    // A finder pattern: seven dark modules behind the margin of four, at four pixels a module.
    const finder = Array.from({ length: 7 }, (_, module) => isDark((4 + module) * 4 + 2, 4 * 4 + 2));
    return { width: image.naturalWidth, height: image.naturalHeight, finder, margin: isDark(8, 8) };
  })()`)) as { width: number; height: number; finder: boolean[]; margin: boolean };
  t.ok(size.width > 0);
  t.equal(size.width, size.height);
  t.ok(size.finder.every(Boolean), 'the top left corner is dark');
  t.notOk(size.margin, 'the margin is light');
});
