import { randomUUID } from 'node:crypto';
import { Authenticator, type Lies } from '../support/authenticator.js';
import { claimsOf, type Session } from '../support/authenticator-app.js';
import { beginSignIn, RP_ID, registerUser, trySignIn } from '../support/passkeys.js';
import { freshEmail, freshPhone, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const ON = {
  MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
  MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
  WEBAUTHN_RP_ID: RP_ID,
  WEBAUTHN_RP_DISPLAY_NAME: 'Example',
  WEBAUTHN_RP_ORIGINS: 'https://app.example.com',
};

async function signUp(server: TestServer) {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const signIn = async () => (await server.post('/token?grant_type=password', { email, password })).body as Session;
  return { email, session, signIn };
}

async function enrol({ call }: TestServer, session: Session, name = 'key'): Promise<string> {
  const body = { factor_type: 'webauthn', friendly_name: name };
  const answer = await call('POST', '/factors', { bearer: session.access_token, body });
  return answer.body.id;
}

/** One ceremony: a challenge, and the response of an authenticator to its options. */
async function answer(
  { call }: TestServer,
  session: Session,
  id: string,
  authenticator: Authenticator,
  lies: Lies = {},
  change: object = {},
) {
  const bearer = session.access_token;
  const challenge = (await call('POST', `/factors/${id}/challenge`, { bearer, body: {} })).body;
  const { type, credential_options: options } = challenge.webauthn;
  const credential_response =
    type === 'create' ? authenticator.create(options.publicKey, lies) : authenticator.get(options.publicKey, lies);
  const sent = { challenge_id: challenge.id, webauthn: { type, credential_response, ...change } };
  const send = () => call('POST', `/factors/${id}/verify`, { bearer, body: sent });
  return { challenge, send, ...(await send()) };
}

const refused = {
  status: 422,
  body: { error_code: 'mfa_verification_failed', msg: 'Credential verification failed' },
};

for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
  t.test(`a security key as second factor: ${algorithm}`, async (t) => {
    const server = await openTestServer(t, ON);
    const { email, session, signIn } = await signUp(server);
    const id = await enrol(server, session);
    const key = new Authenticator({ algorithm, attestation: 'packed', transports: ['usb'] });
    const made = await answer(server, session, id, key);
    t.match(made.challenge, {
      type: 'webauthn',
      webauthn: {
        type: 'create',
        credential_options: {
          publicKey: {
            rp: { id: RP_ID, name: 'Example' },
            user: { id: Buffer.from(session.user.id).toString('base64url'), name: email, displayName: email },
            challenge: /^[\w-]{43}$/,
            timeout: 300_000,
            authenticatorSelection: {},
          },
        },
      },
    });
    t.equal(made.status, 200);
    t.match(claimsOf(made.body.access_token), {
      aal: 'aal2',
      amr: [{ method: 'mfa/webauthn' }, { method: 'password' }],
    });
    t.match(made.body.user.factors, [{ id, factor_type: 'webauthn', status: 'verified', web_authn_aaguid: /^0{8}-/ }]);
    t.match(await made.send(), { status: 422, body: { error_code: 'mfa_challenge_expired' } }, 'once');

    const later = await signIn();
    key.counter += 1;
    const used = await answer(server, later, id, key);
    t.match(used.challenge.webauthn, {
      type: 'request',
      credential_options: {
        publicKey: {
          rpId: RP_ID,
          allowCredentials: [{ type: 'public-key', id: key.credentialId, transports: ['usb'] }],
        },
      },
    });
    t.equal(used.status, 200);
    t.match(claimsOf(used.body.access_token), { aal: 'aal2' });
  });
}

t.test('false responses', async (t) => {
  const server = await openTestServer(t, ON);
  const { call, database } = server;
  const { session, signIn } = await signUp(server);
  const id = await enrol(server, session);
  const key = new Authenticator();
  const creations: Record<string, Lies> = {
    'another origin': { origin: 'https://evil.example' },
    'another RP id': { rpId: 'evil.example' },
    'another challenge': { challenge: 'AAAA' },
    'an assertion in its place': { type: 'webauthn.get' },
    'without user presence': { flags: { up: false } },
  };
  for (const [what, lies] of Object.entries(creations)) {
    const { status, body, send } = await answer(server, session, id, key, lies);
    t.match({ status, body }, refused, what);
    t.match(await send(), { status: 422, body: { error_code: 'mfa_challenge_expired' } }, 'the challenge is used up');
  }
  t.match(await answer(server, session, id, key, {}, { type: 'request' }), refused, 'the type of another ceremony');
  const invalid = { status: 400, body: { error_code: 'validation_failed' } };
  t.match(await answer(server, session, id, key, {}, { type: 'other' }), invalid);
  t.match(await answer(server, session, id, key, {}, { credential_response: null }), invalid);
  const unreadable = { credential_response: { id: 'x' } };
  t.match(await answer(server, session, id, key, {}, unreadable), {
    status: 400,
    body: { error_code: 'validation_failed', msg: 'Invalid credential_response' },
  });

  const raised = (await answer(server, session, id, key)).body as Session;
  const low = await signIn();
  key.counter = 5;
  t.equal((await answer(server, low, id, key)).status, 200);
  const other = await signIn();
  t.match(await answer(server, other, id, key, { counter: 5 }), refused, 'a counter that does not rise');
  t.match(await answer(server, other, id, key, { counter: 6, otherKey: true }), refused, 'another key');
  t.match(await answer(server, other, id, key, { counter: 6, credentialId: 'AAAA' }), refused, 'another credential');
  const userHandle = Buffer.from(randomUUID()).toString('base64url');
  t.match(await answer(server, other, id, key, { counter: 6, userHandle }), refused, 'the user handle of another');
  t.equal((await answer(server, other, id, key, { counter: 6, userHandle: null })).status, 200, 'no user handle');
  t.equal((await answer(server, await signIn(), id, key, { counter: 7, userHandle: '' })).status, 200, 'an empty one');
  const audit = await database.admin.query(
    "select count(*)::int as entries from audit_log where payload ->> 'action' = 'credential_clone_suspected'",
  );
  t.same(audit.rows, [{ entries: 1 }]);

  const second = await enrol(server, raised, 'second');
  const { challenge } = await answer(server, raised, second, key);
  t.match(challenge.webauthn.credential_options.publicKey.excludeCredentials, [{ id: key.credentialId }]);
  const taken = await answer(server, raised, second, key);
  t.match(
    taken,
    { status: 422, body: { error_code: 'webauthn_credential_exists' } },
    'a credential belongs to one factor',
  );
  t.match(await call('GET', '/user', { bearer: raised.access_token }), { status: 200 });
});

t.test('parallel uses of one assertion have one winner', async (t) => {
  const server = await openTestServer(t, ON);
  const { call } = server;
  const { session, signIn } = await signUp(server);
  const id = await enrol(server, session);
  const key = new Authenticator();
  await answer(server, session, id, key);
  const low = await signIn();
  const bearer = low.access_token;
  const challenge = (await call('POST', `/factors/${id}/challenge`, { bearer, body: {} })).body;
  key.counter = 1;
  const credential_response = key.get(challenge.webauthn.credential_options.publicKey);
  const body = { challenge_id: challenge.id, webauthn: { type: 'request', credential_response } };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => call('POST', `/factors/${id}/verify`, { bearer, body })),
  );
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  t.same(new Set(answers.map(({ status }) => status)), new Set([200, 422]));
});

t.test('a server without a relying party does not start with the factor on', async (t) => {
  await t.rejects(openTestServer(t, { ...ON, WEBAUTHN_RP_ID: '' }), /WEBAUTHN_RP_ID/);
});

t.test('only the credential of the factor answers for it', async (t) => {
  const server = await openTestServer(t, ON);
  const { session, signIn } = await signUp(server);
  const [blue, green] = [new Authenticator(), new Authenticator()];
  const first = await enrol(server, session, 'blue');
  const raised = (await answer(server, session, first, blue)).body as Session;
  const second = await enrol(server, raised, 'green');
  t.equal((await answer(server, raised, second, green)).status, 200);
  const low = await signIn();
  const used = await answer(server, low, first, green);
  t.match(used.challenge.webauthn.credential_options.publicKey.allowCredentials, [{ id: blue.credentialId }]);
  t.equal(used.challenge.webauthn.credential_options.publicKey.allowCredentials.length, 1);
  t.match({ status: used.status, body: used.body }, refused, 'another factor of the user');
  t.equal((await answer(server, low, second, green)).status, 200);
});

t.test('a passkey is no second factor, nor the reverse', async (t) => {
  const server = await openTestServer(t, { ...ON, PASSKEY_ENABLED: 'true' });
  const { user, authenticator: passkey } = await registerUser(server);
  const session = { access_token: user.bearer, refresh_token: '', user };
  const id = await enrol(server, session);
  const key = new Authenticator();
  t.equal((await answer(server, session, id, key)).status, 200);

  t.match((await trySignIn(server, key)).body, { error_code: 'webauthn_verification_failed' }, 'a key signs nobody in');
  const low = (await trySignIn(server, passkey)).body as Session;
  t.equal(claimsOf(low.access_token)['aal'], 'aal1');
  t.match(await answer(server, low, id, passkey), refused, 'a passkey raises nothing');
  // Its assertion, made for a sign-in, answers no challenge of a factor.
  const { body } = await beginSignIn(server);
  const bearer = low.access_token;
  const challenge = (await server.call('POST', `/factors/${id}/challenge`, { bearer, body: {} })).body;
  const credential_response = key.get(body.options);
  const sent = { challenge_id: challenge.id, webauthn: { type: 'request', credential_response } };
  t.match(await server.call('POST', `/factors/${id}/verify`, { bearer, body: sent }), refused);
  t.match((await answer(server, low, id, key)).body, { user: { id: user.id } }, 'the key itself does');
});

t.test('policies', async (t) => {
  const server = await openTestServer(t, {
    ...ON,
    WEBAUTHN_USER_VERIFICATION: 'required',
    WEBAUTHN_ATTESTATION: 'direct',
    WEBAUTHN_ALLOWED_AAGUIDS: 'ee882879-721c-4913-9775-3dfcce97072a',
    WEBAUTHN_REGISTRATION_ALGORITHMS: 'EdDSA,ES256',
    WEBAUTHN_COUNTER_POLICY: 'warn',
  });
  const { session, signIn } = await signUp(server);
  const id = await enrol(server, session);
  const aaguid = 'ee882879-721c-4913-9775-3dfcce97072a';
  const model = { aaguid, attestation: 'packed' } as const;
  t.match(await answer(server, session, id, new Authenticator()), refused, 'another model');
  t.match(await answer(server, session, id, new Authenticator({ ...model, algorithm: 'RS256' })), refused);
  const key = new Authenticator({ ...model, counter: 5 });
  t.match(await answer(server, session, id, key, { flags: { uv: false } }), refused, 'without PIN');
  const made = await answer(server, session, id, key);
  t.equal(made.status, 200, JSON.stringify(made.body));
  t.match(made.challenge.webauthn.credential_options.publicKey, {
    attestation: 'direct',
    authenticatorSelection: { userVerification: 'required' },
    pubKeyCredParams: [{ alg: -8 }, { alg: -7 }],
  });
  t.match(made.body.user.factors, [{ web_authn_aaguid: aaguid }]);
  const used = await answer(server, await signIn(), id, key, { counter: 3 });
  t.equal(used.challenge.webauthn.credential_options.publicKey.userVerification, 'required');
  t.equal(used.status, 200, 'a counter that does not rise is accepted');
  const { rows } = await server.database.admin.query(
    "select payload -> 'traits' ->> 'factor_id' as id from audit_log where payload ->> 'action' = 'credential_clone_suspected'",
  );
  t.same(rows, [{ id }], 'and noted');
});

t.test('order of refusals', async (t) => {
  const server = await openTestServer(t, { ...ON, MFA_WEB_AUTHN_VERIFY_ENABLED: 'false' });
  const { call } = server;
  const { session } = await signUp(server);
  const id = await enrol(server, session);
  const bearer = session.access_token;
  const off = {
    status: 422,
    body: { error_code: 'mfa_webauthn_verify_not_enabled', msg: 'MFA verification is disabled for WebAuthn' },
  };
  t.match(await call('POST', `/factors/${id}/challenge`, { bearer, body: {} }), off);
  t.match(await call('POST', `/factors/${id}/verify`, { bearer, body: {} }), off, 'not the code of enrolments');
  const on = await openTestServer(t, ON);
  const other = await signUp(on);
  const factor = await enrol(on, other.session);
  const verify = async (body: object) => {
    const answer = await on.call('POST', `/factors/${factor}/verify`, { bearer: other.session.access_token, body });
    return [answer.status, answer.body.error_code, answer.body.msg];
  };
  const invalid = [400, 'validation_failed'];
  t.same(await verify({}), [...invalid, 'WebAuthn config required']);
  t.same(await verify({ webauthn: {} }), [...invalid, 'WebAuthn type must be create or request']);
  t.same(await verify({ webauthn: { type: 'create' } }), [...invalid, 'credential_response required']);
  t.same(await verify({ webauthn: { type: 'create', credential_response: {} } }), [
    422,
    'mfa_factor_not_found',
    'MFA factor with the provided challenge ID not found',
  ]);
});

t.test('an account without an address has a name for authenticators', async (t) => {
  const server = await openTestServer(t, { ...ON, SMS_AUTOCONFIRM: 'true', EXTERNAL_PHONE_ENABLED: 'true' });
  const phone = freshPhone();
  const session = (await server.post('/signup', { phone, password })).body as Session;
  const id = await enrol(server, session);
  const { challenge } = await answer(server, session, id, new Authenticator());
  const name = phone.replace('+', '');
  t.match(challenge.webauthn.credential_options.publicKey.user, { name, displayName: name });
});
