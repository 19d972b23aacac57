import { Authenticator, type Lies } from '../support/authenticator.js';
import {
  beginRegistration,
  beginSignIn,
  finishRegistration,
  finishSignIn,
  openPasskeyServer,
  registerUser,
  signUpUser,
  tryRegister,
  trySignIn,
} from '../support/passkeys.js';
import { t } from '../support/tap.js';

const failed = { code: 400, error_code: 'webauthn_verification_failed', msg: 'Credential verification failed' };
const notFound = { code: 400, error_code: 'webauthn_challenge_not_found' };

t.test('a false response neither registers nor signs in', async (t) => {
  const server = await openPasskeyServer(t);
  const { authenticator } = await registerUser(server);
  const user = await signUpUser(server);
  const lies: readonly (readonly [string, Lies])[] = [
    ['another origin', { origin: 'https://evil.example.com' }],
    ['another RP id', { rpId: 'evil.com' }],
    ['another challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
    ['no user presence', { flags: { up: false } }],
  ];
  for (const [name, lie] of lies) {
    t.match((await tryRegister(server, user, new Authenticator(), lie)).body, failed, `${name}, registration`);
    t.match((await trySignIn(server, authenticator, lie)).body, failed, `${name}, sign-in`);
  }
  t.match((await trySignIn(server, authenticator, { otherKey: true })).body, failed, 'another key');
  t.match((await trySignIn(server, authenticator, { flags: { be: false, bs: false } })).body, failed, 'another kind');
  t.same((await server.call('GET', '/passkeys', { bearer: user.bearer })).body, []);
  t.equal((await trySignIn(server, authenticator)).status, 200);
});

t.test('a user handle must be that of the owner, or left out', async (t) => {
  const server = await openPasskeyServer(t);
  const { user, authenticator } = await registerUser(server);
  const other = await registerUser(server);
  for (const userHandle of [other.authenticator.userHandle, Buffer.from('x').toString('base64url'), '%']) {
    t.match((await trySignIn(server, authenticator, { userHandle })).body, failed, String(userHandle));
  }
  for (const userHandle of [null, '']) {
    const { body } = await trySignIn(server, authenticator, { userHandle });
    t.equal(body.user?.id, user.id, `${userHandle} names the account by the credential`);
  }
  const asked = await beginSignIn(server);
  const assertion = authenticator.get(asked.body.options);
  const withNull = { ...assertion, response: { ...(assertion['response'] as object), userHandle: null } };
  t.equal((await finishSignIn(server, asked.body.challenge_id, withNull)).status, 200, 'null');
  const { credentialId } = other.authenticator;
  t.match((await trySignIn(server, authenticator, { credentialId })).body, failed, 'the credential of another user');
});

t.test('a challenge serves its ceremony and its session, once', async (t) => {
  const server = await openPasskeyServer(t);
  const { user, authenticator } = await registerUser(server);
  const other = await signUpUser(server);

  const asked = await beginSignIn(server);
  const assertion = authenticator.get(asked.body.options);
  t.equal((await finishSignIn(server, asked.body.challenge_id, assertion)).status, 200);
  t.match((await finishSignIn(server, asked.body.challenge_id, assertion)).body, notFound, 'replay');

  const begun = await beginRegistration(server, user);
  const created = new Authenticator().create(begun.body.options);
  t.match(
    (await finishRegistration(server, other, begun.body.challenge_id, created)).body,
    notFound,
    'of another user',
  );
  const { email } = user;
  const again = await server.post('/token?grant_type=password', { email, password: 'correct horse battery' });
  const second = { ...user, bearer: again.body.access_token };
  t.match(
    (await finishRegistration(server, second, begun.body.challenge_id, created)).body,
    notFound,
    'of another session of the user',
  );
  t.match((await finishSignIn(server, begun.body.challenge_id, assertion)).body, notFound, 'of the other ceremony');
});

t.test('a challenge serves its time', async (t) => {
  // Enough for a registration on a busy machine.
  const server = await openPasskeyServer(t, { WEBAUTHN_CHALLENGE_EXPIRY_DURATION: '3s' });
  const { authenticator } = await registerUser(server);
  const late = await beginSignIn(server);
  await new Promise((resolve) => setTimeout(resolve, 4100));
  const expired = { code: 400, error_code: 'webauthn_challenge_expired', msg: 'Challenge has expired' };
  t.match((await finishSignIn(server, late.body.challenge_id, authenticator.get(late.body.options))).body, expired);
  // The first four bytes are the expiry.
  const forged = `ffffffff${late.body.challenge_id.slice(8)}`;
  t.match((await finishSignIn(server, forged, authenticator.get(late.body.options))).body, notFound, 'a forged expiry');
});

t.test('of parallel uses of one challenge one wins', async (t) => {
  const server = await openPasskeyServer(t);
  const { authenticator } = await registerUser(server);
  const { body } = await beginSignIn(server);
  const assertion = authenticator.get(body.options);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => finishSignIn(server, body.challenge_id, assertion)),
  );
  t.same(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400, 400, 400]);
  for (const answer of answers.filter(({ status }) => status !== 200)) t.match(answer.body, notFound);

  const user = await signUpUser(server);
  const begun = await beginRegistration(server, user);
  const created = new Authenticator().create(begun.body.options);
  const registrations = await Promise.all(
    Array.from({ length: 8 }, () => finishRegistration(server, user, begun.body.challenge_id, created)),
  );
  t.equal(registrations.filter(({ status }) => status === 200).length, 1);
});

t.test('a cloned credential is refused, and noted', async (t) => {
  const server = await openPasskeyServer(t);
  const { user, authenticator, id } = await registerUser(server, { counter: 5 });
  t.equal((await trySignIn(server, authenticator, { counter: 6 })).status, 200);
  t.match((await trySignIn(server, authenticator, { counter: 6 })).body, failed, 'the same counter');
  t.match((await trySignIn(server, authenticator, { counter: 2 })).body, failed, 'a lower one');
  t.match((await trySignIn(server, authenticator, { counter: 0 })).body, failed, 'none any more');
  t.equal((await trySignIn(server, authenticator, { counter: 7 })).status, 200);
  const noted = await server.audit('credential_clone_suspected');
  t.equal(noted.length, 3);
  t.match(noted[0], { actor_id: user.id, traits: { passkey_id: id } });

  const used = await beginSignIn(server);
  const replayed = authenticator.get(used.body.options, { counter: 8 });
  t.equal((await finishSignIn(server, used.body.challenge_id, replayed)).status, 200);
  t.match((await finishSignIn(server, used.body.challenge_id, replayed)).body, notFound, 'the challenge comes first');
});

t.test('of parallel assertions with one counter one wins', async (t) => {
  const server = await openPasskeyServer(t);
  const { authenticator } = await registerUser(server, { counter: 1 });
  const statuses = await Promise.all(
    Array.from({ length: 6 }, async () => (await trySignIn(server, authenticator, { counter: 2 })).status),
  );
  t.equal(statuses.filter((status) => status === 200).length, 1);
  const { rows } = await server.database.admin.query("select id from sessions where amr->0->>'method' = 'passkey'");
  t.equal(rows.length, 1);
});

t.test('with the policy warn a clone signs in, is noted, and lowers no counter', async (t) => {
  const server = await openPasskeyServer(t, { WEBAUTHN_COUNTER_POLICY: 'warn' });
  const { authenticator } = await registerUser(server, { counter: 5 });
  t.equal((await trySignIn(server, authenticator, { counter: 3 })).status, 200);
  t.equal((await server.audit('credential_clone_suspected')).length, 1);
  const { rows } = await server.database.admin.query('select sign_count::int from passkeys');
  t.same(rows, [{ sign_count: 5 }]);
});

t.test('a credential belongs to one account', async (t) => {
  const server = await openPasskeyServer(t);
  const { authenticator } = await registerUser(server);
  const { credentialId } = authenticator;
  const other = await signUpUser(server);
  t.match((await tryRegister(server, other, new Authenticator({ credentialId }))).body, {
    code: 422,
    error_code: 'webauthn_credential_exists',
    msg: 'This credential is already registered',
  });
  t.equal((await trySignIn(server, authenticator)).status, 200);
});

t.test('the maximum holds under concurrency', async (t) => {
  const server = await openPasskeyServer(t, { PASSKEY_MAX_PASSKEYS_PER_USER: '3' });
  const user = await signUpUser(server);
  // All begin before the first ends: one that begins at the maximum is refused there already.
  const begun = await Promise.all(Array.from({ length: 8 }, () => beginRegistration(server, user)));
  const answers = await Promise.all(
    begun.map(({ body }) =>
      finishRegistration(server, user, body.challenge_id, new Authenticator().create(body.options)),
    ),
  );
  t.equal(answers.filter(({ status }) => status === 200).length, 3);
  const refused = answers.filter(({ status }) => status !== 200);
  for (const { body } of refused) t.match(body, { code: 422, error_code: 'too_many_passkeys' });
});

t.test('only allowed models are registered', async (t) => {
  const aaguid = 'ee882879-721c-4913-9775-3dfcce97072a';
  const server = await openPasskeyServer(t, {
    WEBAUTHN_ATTESTATION: 'direct',
    WEBAUTHN_ALLOWED_AAGUIDS: aaguid.toUpperCase(),
  });
  const user = await signUpUser(server);
  t.match((await tryRegister(server, user, new Authenticator())).body, failed);
  const { body } = await tryRegister(server, user, new Authenticator({ aaguid, attestation: 'packed' }));
  t.equal(body.friendly_name, 'YubiKey 5 Series');
});
