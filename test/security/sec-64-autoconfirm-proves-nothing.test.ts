import { adminToken } from '../support/admin.js';
import { Authenticator } from '../support/authenticator.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { type ExternalFlow, openExternalFlow } from '../support/external-flow.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { addClient, oauthSettings, signInToClient, signUpPerson } from '../support/oauth-client.js';
import { claimsOf, passkeySettings, tryRegister, trySignIn } from '../support/passkeys.js';
import { openPhoneFlow } from '../support/phone-flows.js';
import { freshEmail, freshPhone, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

let subjects = 640_000;

const openFlow = (t: Parameters<typeof openExternalFlow>[0]) =>
  openExternalFlow(t, ['github', 'gitlab'], {
    ...passkeySettings,
    MAILER_AUTOCONFIRM: 'true',
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    MAILER_NOTIFICATIONS_FIRST_PROOF_ENABLED: 'true',
  });

/** An account with an address that nobody proved, and everything that opens it. */
async function plant(flow: ExternalFlow, email = freshEmail()) {
  const { body } = await flow.post('/signup', { email, password, data: { nickname: 'Ann' } });
  const session = body as Session & { refresh_token: string };
  const bearer = session.access_token;
  const authenticator = new Authenticator();
  const passkey = await tryRegister(flow, { id: session.user.id, email, bearer }, authenticator);
  const as = flow.providers.person('gitlab', { email: freshEmail(), subject: subjects++ });
  await flow.link('gitlab', bearer, { as });
  if (passkey.status !== 200) throw new Error(JSON.stringify(passkey.body));
  return { id: session.user.id, email, session, authenticator };
}

const mailed = (path: string, type: string) => async (flow: ExternalFlow, email: string) => {
  await flow.post(path, { email });
  const { code } = await flow.nextMail(email);
  return (await flow.post('/verify', { type, email, token: code })).body.access_token as string;
};

/** Ways to prove an address. */
const proofs: Readonly<Record<string, (flow: ExternalFlow, email: string) => Promise<string | null>>> = {
  recovery: mailed('/recover', 'recovery'),
  'magic link': mailed('/magiclink', 'magiclink'),
  code: mailed('/otp', 'email'),
  provider: async (flow, email) => {
    const landing = await flow.signIn('github', {
      as: flow.providers.person('github', { email, subject: subjects++ }),
    });
    return landing.fragment.get('access_token');
  },
};

for (const [name, prove] of Object.entries(proofs)) {
  t.test(`SEC-64: the first proof of an autoconfirmed address ends earlier ways in: ${name}`, async (t) => {
    const flow = await openFlow(t);
    const { id, email, session, authenticator } = await plant(flow);
    t.equal((await trySignIn(flow, authenticator)).status, 200, 'the stranger is in');
    const token = await prove(flow, email);
    t.equal(claimsOf(token!)['sub'], id, 'the same account');

    t.not((await trySignIn(flow, authenticator)).status, 200, 'the passkey');
    t.equal((await flow.post('/token?grant_type=password', { email, password })).status, 400, 'the password');
    const { refresh_token } = session;
    t.equal((await flow.post('/token?grant_type=refresh_token', { refresh_token })).status, 400, 'the session');
    const { body: user } = await flow.call('GET', '/user', { bearer: token! });
    t.notOk(
      user.identities.some(({ provider }: { provider: string }) => provider === 'gitlab'),
      'the identity',
    );
    t.equal(user.user_metadata.nickname, 'Ann', 'what belongs to a confirmed account stays');
    t.ok(user.email_confirmed_at);

    t.equal((await flow.nextMail(email)).subject, 'Earlier access to your account was removed');
    const { rows } = await flow.database.admin.query(
      `select payload -> 'traits' as traits from audit_log where payload ->> 'action' = 'earlier_access_removed'
        and payload ->> 'actor_id' = $1`,
      [id],
    );
    t.match(rows, [{ traits: { channel: 'email', password: true, passkeys: 1, identities: 1 } }]);

    t.ok(await prove(flow, email), 'once more');
    t.equal((await flow.call('GET', '/user', { bearer: token! })).status, 200, 'a later proof ends nothing');
    const again = await flow.database.admin.query(
      `select from audit_log where payload ->> 'action' = 'earlier_access_removed'`,
    );
    t.equal(again.rowCount, 1);
  });
}

t.test('SEC-64: a code by text is a first proof as well, and ends a change under way', async (t) => {
  const flow = await openPhoneFlow(t, 'twilio', { SMS_AUTOCONFIRM: 'true' });
  const phone = freshPhone();
  const { body } = await flow.post('/signup', { phone, password });
  const { access_token: bearer, refresh_token } = body;
  const newPhone = freshPhone();
  t.equal((await flow.call('PUT', '/user', { bearer, body: { phone: newPhone } })).status, 200);
  await flow.post('/otp', { phone });
  const answer = await flow.post('/verify', { type: 'sms', phone, token: await flow.nextCode(phone) });
  t.equal(answer.body.user?.id, body.user.id, 'the same account');
  t.equal((await flow.post('/token?grant_type=password', { phone, password })).status, 400, 'the password');
  t.equal((await flow.post('/token?grant_type=refresh_token', { refresh_token })).status, 400, 'the session');
  t.notOk(answer.body.user.new_phone, 'no change is pending');
  await flow.post('/resend', { type: 'phone_change', phone: newPhone });
  t.equal((await flow.database.admin.query("select from one_time_tokens where kind = 'phone_change'")).rowCount, 0);
});

t.test('SEC-64: a change of the address that was under way ends with the first proof', async (t) => {
  const flow = await openExternalFlow(t, [], {
    MAILER_AUTOCONFIRM: 'true',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
    SMTP_MAX_FREQUENCY: '0',
  });
  const email = freshEmail();
  const { body } = await flow.post('/signup', { email, password });
  const changed = { bearer: body.access_token, body: { email: freshEmail() } };
  t.equal((await flow.call('PUT', '/user', changed)).status, 200);
  const bearer = (await proofs['recovery']!(flow, email))!;
  t.notOk((await flow.call('GET', '/user', { bearer })).body.new_email);
  for (const address of [email, changed.body.email])
    await flow.post('/resend', { type: 'email_change', email: address });
  const { rowCount } = await flow.database.admin.query("select from one_time_tokens where kind like 'email_change%'");
  t.equal(rowCount, 0, 'nothing can be sent again');
});

t.test('SEC-64: what a stranger allowed to an application is asked for again', async (t) => {
  const server = await openTestServer(t, oauthSettings({ MAILER_AUTOCONFIRM: 'true' }));
  const client = await addClient(server);
  const victim = await signUpPerson(server, false);
  await signInToClient(server, victim, client, { parameters: { scope: 'openid email' } });
  const grants = () => server.database.admin.query('select from oauth_consents where revoked_at is null');
  t.equal((await grants()).rowCount, 1);
  const link = { type: 'recovery', email: victim.email };
  const { body } = await server.call('POST', '/admin/generate_link', { bearer: adminToken(), body: link });
  await server.post('/verify', { type: 'recovery', token_hash: body.hashed_token });
  t.equal((await grants()).rowCount, 0);
});

t.test('SEC-64: a verified second factor stays', async (t) => {
  const flow = await openFlow(t);
  const { email, session } = await plant(flow);
  const { id, secret } = await enrolTotp(flow, session);
  t.equal((await verifyWith(flow, session, id, openApp(secret).nextCode())).status, 200);
  const bearer = (await proofs['recovery']!(flow, email))!;
  t.match((await flow.call('GET', '/user', { bearer })).body.factors, [{ id, status: 'verified' }]);
});

t.test(
  'SEC-64: an administrator who vouches for an address removes nothing, and its first proof still does',
  async (t) => {
    const flow = await openFlow(t);
    const put = (id: string, body: object) => flow.call('PUT', `/admin/users/${id}`, { bearer: adminToken(), body });
    for (const [name, prove] of Object.entries(proofs)) {
      const { id, email, authenticator } = await plant(flow);
      t.equal((await put(id, { email, email_confirm: true })).status, 200);
      t.equal((await trySignIn(flow, authenticator)).status, 200, `${name}: the user keeps the passkey`);
      t.equal((await flow.post('/token?grant_type=password', { email, password })).status, 200, 'and the password');
      t.equal(claimsOf((await prove(flow, email))!)['sub'], id);
      t.not((await trySignIn(flow, authenticator)).status, 200, `${name}: the owner has come`);
      t.equal((await flow.post('/token?grant_type=password', { email, password })).status, 400);
      t.match((await flow.call('GET', `/admin/users/${id}`, { bearer: adminToken() })).body, { email });
    }
  },
);

t.test('SEC-64: an address that an administrator writes unchanged is not proven by that', async (t) => {
  const server = await openTestServer(t, {
    MAILER_AUTOCONFIRM: 'true',
    SMS_AUTOCONFIRM: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
  });
  const { admin } = server.database;
  const read = async (id: string) =>
    (
      await admin.query('select proven_email, vouched_email, proven_phone, vouched_phone from users where id = $1', [
        id,
      ])
    ).rows;
  const none = { proven_email: null, vouched_email: null, proven_phone: null, vouched_phone: null };
  for (const [channel, address] of [
    ['email', freshEmail()],
    ['phone', freshPhone()],
  ] as const) {
    const { body } = await server.post('/signup', { [channel]: address, password });
    const put = (change: object) =>
      server.call('PUT', `/admin/users/${body.user.id}`, { bearer: adminToken(), body: change });
    t.equal((await put({ [channel]: address })).status, 200);
    t.same(await read(body.user.id), [none], `${channel}: nothing`);
    t.equal((await put({ [`${channel}_confirm`]: true })).status, 200);
    t.same(await read(body.user.id), [{ ...none, [`vouched_${channel}`]: address }], `${channel}: vouched for`);
    const other = channel === 'email' ? freshEmail() : freshPhone();
    t.equal((await put({ [channel]: other })).status, 200);
    t.match(await read(body.user.id), [{ [`proven_${channel}`]: other }], `${channel}: a new one of the operator`);
  }
});

t.test('SEC-64: OAuth clients hear of a verified address only when it was proven', async (t) => {
  const server = await openTestServer(t, oauthSettings({ MAILER_AUTOCONFIRM: 'true' }));
  const client = await addClient(server);
  const victim = await signUpPerson(server, false);
  const ask = async () => {
    const input = { parameters: { scope: 'openid email profile', prompt: 'consent' } };
    const { body } = await signInToClient(server, victim, client, input);
    const userinfo = (await server.call('GET', '/oauth/userinfo', { bearer: body.access_token })).body;
    const accessToken = claimsOf(body.access_token)['user_metadata'];
    return { idToken: claimsOf(body.id_token), accessToken: accessToken as Record<string, unknown>, userinfo };
  };
  const before = await ask();
  t.match(before.idToken, { email: victim.email, email_verified: false });
  t.notOk(before.userinfo.email_verified);
  t.not(before.userinfo.user_metadata.email_verified, true);
  t.not(before.accessToken['email_verified'], true);
  const own = await server.call('GET', '/user', { bearer: victim.token });
  t.ok(own.body.email_confirmed_at, 'the account itself is confirmed as before');
  t.equal(own.body.user_metadata.email_verified, true);

  const confirm = { bearer: adminToken(), body: { email_confirm: true } };
  t.equal((await server.call('PUT', `/admin/users/${victim.id}`, confirm)).status, 200);
  const after = await ask();
  t.equal(after.idToken['email_verified'], true);
  t.equal(after.userinfo.email_verified, true);
  t.equal(after.accessToken['email_verified'], true);
});

t.test('SEC-64: so does the hook custom_access_token', async (t) => {
  const receiver = await openHookReceiver(t, ({ body }) => ({ claims: body.claims }));
  const server = await openTestServer(t, hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url));
  const email = freshEmail();
  const { body } = await server.post('/signup', { email, password });
  t.equal(receiver.calls.at(-1)!.body.claims.user_metadata.email_verified, false);
  await server.call('PUT', `/admin/users/${body.user.id}`, { bearer: adminToken(), body: { email_confirm: true } });
  await server.post('/token?grant_type=password', { email, password });
  t.equal(receiver.calls.at(-1)!.body.claims.user_metadata.email_verified, true);
});
