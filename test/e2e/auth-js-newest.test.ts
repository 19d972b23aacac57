/** Recovery codes, which only newer releases of @supabase/auth-js have (2.116). */
import { AuthClient as FormerClient } from '@supabase/auth-js';
import { AuthClient } from 'auth-js-newest';
import { claimsOf, openApp } from '../support/authenticator-app.js';
import { dataOf } from '../support/client-data.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

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
