/** Phone factors, passkeys and their administration by the methods of @supabase/auth-js, outside a browser. */
import { AuthAdminApi, AuthClient } from '@supabase/auth-js';
import { adminToken } from '../support/admin.js';
import { Authenticator, type CreationOptions, type RequestOptions } from '../support/authenticator.js';
import { dataOf } from '../support/client-data.js';
import { passkeySettings } from '../support/passkeys.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { startFakeGateways } from '../support/sms-gateways.js';
import { t } from '../support/tap.js';

const options = { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false };

t.test('mfa with a phone', async (t) => {
  const gateways = await startFakeGateways(t);
  const { url } = await openTestServer(t, {
    ...gateways.settings('twilio'),
    MFA_PHONE_ENROLL_ENABLED: 'true',
    MFA_PHONE_VERIFY_ENABLED: 'true',
  });
  const client = new AuthClient({ url, ...options });
  await dataOf(client.signUp({ email: freshEmail(), password }));
  const { mfa } = client;
  const enrolled = await dataOf(mfa.enroll({ factorType: 'phone', friendlyName: 'My phone', phone: '+15555550100' }));
  t.match(enrolled, { type: 'phone', friendly_name: 'My phone', phone: '+15555550100' });
  const factorId = enrolled.id;
  const challenge = await dataOf(mfa.challenge({ factorId, channel: 'whatsapp' }));
  t.match(challenge, { type: 'phone', expires_at: Number });
  const { To, Body } = gateways.requests.at(-1)!.fields;
  t.equal(To, 'whatsapp:+15555550100');
  const verified = await dataOf(mfa.verify({ factorId, challengeId: challenge.id, code: /\d{6}/.exec(Body!)![0] }));
  t.match(verified.user.factors, [{ id: factorId, phone: '15555550100', status: 'verified' }]);
  t.match(await dataOf(mfa.listFactors()), { phone: [{ id: factorId }], totp: [], webauthn: [] });
  t.match(await dataOf(mfa.getAuthenticatorAssuranceLevel()), {
    currentLevel: 'aal2',
    currentAuthenticationMethods: [{ method: 'mfa/phone' }, { method: 'password' }],
  });
});

t.test('passkeys step by step, and by an administrator', async (t) => {
  const { url } = await openTestServer(t, passkeySettings);
  const experimental = { passkey: true };
  const client = new AuthClient({ url, ...options, experimental });
  const { user } = await dataOf(client.signUp({ email: freshEmail(), password }));
  const userId = user!.id;
  const authenticator = new Authenticator();
  // The client knows credentials of browsers, the server their JSON form.
  const asCredential = (json: Record<string, unknown>) => json as never;

  const begun = await dataOf(client.passkey.startRegistration());
  const created = authenticator.create(begun.options as CreationOptions);
  const registration = { challengeId: begun.challenge_id, credential: asCredential(created) };
  const passkey = await dataOf(client.passkey.verifyRegistration(registration));
  t.match(await dataOf(client.passkey.list()), [{ id: passkey.id, friendly_name: 'Passkey' }]);
  const renamed = await dataOf(client.passkey.update({ passkeyId: passkey.id, friendlyName: 'My laptop' }));
  t.match(renamed, { id: passkey.id, friendly_name: 'My laptop' });

  await client.signOut();
  const asked = await dataOf(client.passkey.startAuthentication());
  const credential = asCredential(authenticator.get(asked.options as RequestOptions));
  const events: string[] = [];
  client.onAuthStateChange((event) => void events.push(event));
  const signedIn = await dataOf(client.passkey.verifyAuthentication({ challengeId: asked.challenge_id, credential }));
  t.equal(signedIn.user?.id, userId);
  t.ok(events.includes('SIGNED_IN'));
  const again = await client.passkey.verifyAuthentication({ challengeId: asked.challenge_id, credential });
  t.match(again.error, { status: 400, code: 'webauthn_challenge_not_found' });

  const admin = new AuthAdminApi({ url, headers: { Authorization: `Bearer ${adminToken()}` }, experimental });
  t.match(await dataOf(admin.passkey.listPasskeys({ userId })), [{ id: passkey.id, friendly_name: 'My laptop' }]);
  t.equal((await admin.passkey.deletePasskey({ userId, passkeyId: passkey.id })).error, null);
  t.same(await dataOf(client.passkey.list()), []);
  const gone = await client.passkey.delete({ passkeyId: passkey.id });
  t.match(gone.error, { status: 404 });
});
