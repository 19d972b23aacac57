import t from 'tap';
import { Authenticator, type Lies } from '../support/authenticator.js';
import { claimsOf, type Session } from '../support/authenticator-app.js';
import { RP_ID } from '../support/passkeys.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';

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
