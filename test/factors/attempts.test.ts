/** What follows an attempt at a second factor: the hook mfa_verification_attempt, the audit log, the metrics. */

import { Authenticator } from '../support/authenticator.js';
import { codeOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { freePort } from '../support/free-port.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { passkeySettings } from '../support/passkeys.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

async function signUp(server: TestServer) {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  return { email, session, ...(await enrolTotp(server, session)) };
}

const wrongCode = (secret: string): string => {
  const right = new Set(Array.from({ length: 31 }, (_, index) => codeOf(secret, index - 15)));
  return ['000000', '111111', '222222'].find((code) => !right.has(code))!;
};

t.test('the hook learns of every code, before it has an effect', async (t) => {
  const receiver = await openHookReceiver(t, () => ({ decision: 'continue' }));
  const server = await openTestServer(t, hookSettingsOf('MFA_VERIFICATION_ATTEMPT', receiver.url));
  const { session, id, secret } = await signUp(server);
  t.match(await verifyWith(server, session, id, wrongCode(secret)), {
    status: 422,
    body: { error_code: 'mfa_verification_failed' },
  });
  const asked = { user_id: session.user.id, factor_id: id, factor_type: 'totp' };
  t.match(receiver.calls.at(-1)!.body, { ...asked, valid: false, metadata: { name: 'mfa-verification' } });

  receiver.answer = () => ({ decision: 'maybe' });
  const app = openApp(secret);
  const code = app.nextCode();
  t.equal((await verifyWith(server, session, id, code)).status, 500);
  receiver.answer = () => ({ decision: 'continue' });
  t.equal((await verifyWith(server, session, id, code)).status, 200, 'the code was not used up');
  t.match(receiver.calls.at(-1)!.body, { ...asked, valid: true });
});

t.test('neither hook is asked in vain: security keys have no codes, and claims name the method', async (t) => {
  const receiver = await openHookReceiver(t, ({ body }) => ({ claims: body.claims }));
  const server = await openTestServer(t, {
    ...passkeySettings,
    MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
    MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
    ...hookSettingsOf('MFA_VERIFICATION_ATTEMPT', receiver.url),
    ...hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url),
  });
  const session = (await server.post('/signup', { email: freshEmail(), password })).body as Session;
  const bearer = session.access_token;
  const key = await server.call('POST', '/factors', { bearer, body: { factor_type: 'webauthn' } });
  const path = `/factors/${key.body.id}`;
  const { id, webauthn } = (await server.call('POST', `${path}/challenge`, { bearer, body: {} })).body;
  const credential_response = new Authenticator().create(webauthn.credential_options.publicKey);
  const body = { challenge_id: id, webauthn: { type: 'create', credential_response } };
  receiver.calls.length = 0;
  t.equal((await server.call('POST', `${path}/verify`, { bearer, body })).status, 200);
  t.match(
    receiver.calls.map((call) => call.body),
    [{ authentication_method: 'mfa/webauthn', claims: { aal: 'aal2' }, metadata: { name: 'customize-access-token' } }],
  );
  t.equal(receiver.calls.length, 1);
});

t.test('a rejection ends all sessions of the user', async (t) => {
  const receiver = await openHookReceiver(t, () => ({ decision: 'reject' }));
  const server = await openTestServer(t, hookSettingsOf('MFA_VERIFICATION_ATTEMPT', receiver.url));
  const { email, session, id, secret } = await signUp(server);
  const refused = await verifyWith(server, session, id, codeOf(secret));
  t.match(refused, {
    status: 403,
    body: {
      error_code: 'mfa_verification_rejected',
      msg: 'Further MFA verification attempts will be rejected.',
    },
  });
  const refreshed = await server.post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
  t.match(refreshed, { status: 400, body: { error_code: 'refresh_token_not_found' } });
  const next = (await server.post('/token?grant_type=password', { email, password })).body as Session;
  t.match(next.user.factors, [{ id, status: 'unverified' }], 'the code had no effect');
  receiver.answer = () => ({ decision: 'reject', message: 'not now' });
  t.match(await verifyWith(server, next, id, wrongCode(secret)), { status: 403, body: { msg: 'not now' } });
});

t.test('failures are audited with their reason, and counted with the successes', async (t) => {
  const port = await freePort();
  const server = await openTestServer(t, {
    METRICS_ENABLED: 'true',
    METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
  });
  const { session, id, secret } = await signUp(server);
  await verifyWith(server, session, id, wrongCode(secret));
  await verifyWith(server, session, id, codeOf(secret, -8));
  const code = codeOf(secret);
  t.equal((await verifyWith(server, session, id, code)).status, 200);
  t.equal((await verifyWith(server, session, id, code)).status, 422);

  const { rows } = await server.database.admin.query(
    "select payload from audit_log where payload ->> 'action' like 'verification%' order by id",
  );
  t.same(rows.map(({ payload }) => [payload.action, payload.log_type, payload.traits.reason]).sort(), [
    ['verification_attempted', 'factor', undefined],
    ['verification_failed', 'factor', 'drift'],
    ['verification_failed', 'factor', 'replayed'],
    ['verification_failed', 'factor', 'wrong'],
  ]);
  t.notOk(JSON.stringify(rows).includes(code));
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  for (const result of ['ok', 'wrong', 'drift', 'replayed']) {
    t.match(page, new RegExp(`latchkey_mfa_verifications_total\\{[^}]*kind="totp",result="${result}"[^}]*\\} 1`));
  }
  t.match(page, /latchkey_mfa_totp_offset_total\{[^}]*steps="(?:0|-1)"[^}]*\} 1/);
});
