/** Limits of second factors and passkeys per client, with RATE_LIMIT_HEADER. */

import type { Session } from '../support/authenticator-app.js';
import { passkeySettings } from '../support/passkeys.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const BURST = 30;
const LIMITED = { status: 429, body: { error_code: 'over_request_rate_limit', msg: 'Request rate limit reached' } };

t.test('challenges, verifications and sign-ins with passkeys each have a bucket', async (t) => {
  const server = await openTestServer(t, {
    ...passkeySettings,
    RATE_LIMIT_HEADER: 'X-Client',
    // So that nothing is refilled during the test.
    MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY: '0.01',
    RATE_LIMIT_PASSKEY: '0.01',
    MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
  });
  const { call } = server;
  const session = (await server.post('/signup', { email: freshEmail(), password })).body as Session;
  const send = (client: string, path: string, body: unknown = {}) =>
    call('POST', path, { bearer: session.access_token, body, headers: { 'X-Client': client } });
  const enrolled = await send('192.0.2.1', '/factors', { factor_type: 'totp' });
  const factor = `/factors/${enrolled.body.id}`;
  const exhaust = async (path: string, times: number) => {
    const answers = await Promise.all(Array.from({ length: times }, () => send('192.0.2.1', path)));
    t.notOk(
      answers.some(({ status }) => status === 429),
      path,
    );
  };

  await exhaust(`${factor}/challenge`, BURST);
  t.match(await send('192.0.2.1', `${factor}/challenge`), LIMITED);
  await exhaust(`${factor}/verify`, BURST - 5);
  await exhaust('/factors/recovery-codes/verify', 5);
  // Before the body is read, and after the factor is looked up.
  for (const path of [`${factor}/verify`, '/factors/recovery-codes/verify']) {
    t.match(await send('192.0.2.1', path, []), LIMITED, `${path}: one bucket`);
  }
  t.match(await send('192.0.2.1', `/factors/nonsense/verify`), { status: 404 });
  t.equal((await send('192.0.2.2', `${factor}/challenge`)).status, 200, 'another client');

  await exhaust('/passkeys/authentication/options', BURST);
  t.match(await send('192.0.2.1', '/passkeys/authentication/options'), LIMITED);
  await exhaust('/passkeys/authentication/verify', BURST + 1);
  await exhaust('/passkeys/registration/options', BURST + 1);
});
