/** What the audit log says of second factors (docs/mfa.md). */

import { openAdminServer } from '../support/admin.js';
import { Authenticator } from '../support/authenticator.js';
import { codeOf, enrolTotp, type Session, verifyWith } from '../support/authenticator-app.js';
import { passkeySettings } from '../support/passkeys.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('each step of a factor has its entry', async (t) => {
  const server = await openAdminServer(t, {
    ...passkeySettings,
    MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
    MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
    MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
    MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
  });
  const { call } = server;
  const session = (await server.post('/signup', { email: freshEmail(), password })).body as Session;
  const entries = async () =>
    (await server.audit())
      .filter(({ log_type }) => log_type === 'factor')
      .map(({ action, actor_id, traits }) => ({ action, actor_id, ...traits }));

  const { id, secret } = await enrolTotp(server, session);
  const raised = (await verifyWith(server, session, id, codeOf(secret))).body as Session;
  const bearer = raised.access_token;
  const by = { actor_id: session.user.id, factor_id: id };
  t.match(await entries(), [
    { ...by, action: 'factor_in_progress', factor_type: 'totp' },
    { ...by, action: 'challenge_created', factor_status: 'unverified' },
    { ...by, action: 'verification_attempted', factor_type: 'totp', challenge_id: /^[0-9a-f-]{36}$/ },
  ]);

  const { body: codes } = await call('POST', '/factors/recovery-codes', { bearer });
  await call('POST', '/factors/recovery-codes/regenerate', { bearer });
  await call('POST', '/factors/recovery-codes/verify', { bearer, body: { code: codes.codes[0] } });
  const { body: renewed } = await call('POST', '/factors/recovery-codes/regenerate', { bearer });
  await call('POST', '/factors/recovery-codes/verify', { bearer, body: { code: renewed.codes[0] } });
  await call('DELETE', '/factors/recovery-codes', { bearer });
  t.match((await entries()).slice(3), [
    { action: 'recovery_codes_generated' },
    { action: 'recovery_codes_regenerated' },
    { action: 'verification_failed', factor_id: codes.id, factor_type: 'recovery_code', reason: 'wrong' },
    { action: 'recovery_codes_regenerated' },
    { action: 'recovery_codes_verified', factor_id: codes.id, remaining: 9 },
    { action: 'recovery_codes_deleted' },
  ]);

  const body = { factor_type: 'webauthn', friendly_name: 'key' };
  const key = (await call('POST', '/factors', { bearer, body })).body;
  const answer = async (otherKey: boolean) => {
    const challenge = (await call('POST', `/factors/${key.id}/challenge`, { bearer, body: {} })).body;
    const { type, credential_options: options } = challenge.webauthn;
    const lies = otherKey ? { origin: 'https://evil.example' } : {};
    const credential_response = new Authenticator().create(options.publicKey, lies);
    const sent = { challenge_id: challenge.id, webauthn: { type, credential_response } };
    return call('POST', `/factors/${key.id}/verify`, { bearer, body: sent });
  };
  t.equal((await answer(true)).status, 422);
  t.equal((await answer(false)).status, 200);
  t.match(
    (await entries()).slice(9),
    [
      { action: 'factor_in_progress', factor_id: key.id, factor_type: 'webauthn' },
      { action: 'verification_failed', factor_id: key.id, factor_type: 'webauthn' },
      { action: 'verification_attempted', factor_id: key.id, factor_type: 'webauthn' },
    ],
    'as in supabase/auth, not of its challenges',
  );

  const { id: begun } = await enrolTotp(server, raised, { friendly_name: 'begun' });
  for (const one of [begun, id]) t.equal((await call('DELETE', `/factors/${one}`, { bearer })).status, 200);
  const removed = { action: 'factor_unenrolled', session_id: /^[0-9a-f-]{36}$/ };
  t.match((await entries()).slice(13), [
    { ...removed, factor_id: begun, factor_status: 'unverified' },
    { ...removed, factor_id: id, factor_status: 'verified' },
  ]);
  t.notOk(JSON.stringify(await entries()).includes(secret));
});
