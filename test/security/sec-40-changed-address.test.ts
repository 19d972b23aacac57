import { asAdmin } from '../support/admin.js';
import { openMailFlow } from '../support/mail-flows.js';
import { type Answer, freshEmail, freshPhone, password } from '../support/server.js';
import { startFakeGateways } from '../support/sms-gateways.js';
import { type Test, t } from '../support/tap.js';

/** A server with mail and SMS, and accounts with one pending token of every kind. */
async function openFlow(t: Test) {
  const gateways = await startFakeGateways(t);
  const flow = await openMailFlow(t, {
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_MAX_FREQUENCY: '0',
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    RATE_LIMIT_SMS_SENT: '100000',
    SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true',
    ...gateways.settings('twilio'),
  });
  const { call, post } = flow;
  const admin = asAdmin(flow);
  const verify = (body: object) => post('/verify', body);
  const newestText = () => /\d{6}/.exec(gateways.requests.at(-1)!.fields['Body']!)![0];

  async function arrange() {
    const [email, phone, nextEmail, nextPhone] = [freshEmail(), freshPhone(), freshEmail(), freshPhone()];
    const { body: user } = await admin('POST', '/admin/users', {
      email,
      phone,
      password,
      email_confirm: true,
      phone_confirm: true,
    });
    const { body: session } = await post('/token?grant_type=password', { email, password });
    const bearer: string = session.access_token;
    await post('/recover', { email });
    const recovery = await flow.nextMail(email);
    await call('PUT', '/user', { bearer, body: { email: nextEmail } });
    const [toOld, toNew] = [await flow.nextMail(email), await flow.nextMail(nextEmail)];
    await call('PUT', '/user', { bearer, body: { phone: nextPhone } });
    const text = newestText();
    await call('GET', '/reauthenticate', { bearer });
    const nonce = (await flow.nextMail(email)).code;
    const hashOf = ({ link }: { link: URL | undefined }) => link!.searchParams.get('token');
    /** What each thing that is out would do. */
    const attempts: Record<string, () => Promise<Answer>> = {
      'the recovery link': () => verify({ type: 'recovery', token_hash: hashOf(recovery) }),
      'the code to the old address': () => verify({ type: 'email_change', email, token: toOld.code }),
      'the link to the new address': () => verify({ type: 'email_change', token_hash: hashOf(toNew) }),
      'the code to the new number': () => verify({ type: 'phone_change', phone: nextPhone, token: text }),
      'the nonce': () => call('PUT', '/user', { bearer, body: { password: 'a new passphrase', nonce } }),
    };
    return { id: user.id as string, email, nextEmail, nextPhone, attempts };
  }
  return { ...flow, admin, arrange };
}

t.test('SEC-40: without a change, all of them work', async (t) => {
  const { arrange } = await openFlow(t);
  for (const name of Object.keys((await arrange()).attempts)) {
    const { attempts } = await arrange();
    t.equal((await attempts[name]!()).status, 200, name);
  }
});

t.test('SEC-40: another email or phone ends all pending tokens and changes', async (t) => {
  const { admin, arrange, call, database, post } = await openFlow(t);
  type Arranged = Awaited<ReturnType<typeof arrange>>;
  const changes: Record<string, (account: Arranged) => Promise<Answer>> = {
    'the user confirms the new email': async ({ attempts }) => {
      await attempts['the code to the old address']!();
      return attempts['the link to the new address']!();
    },
    'the user confirms the new phone': ({ attempts }) => attempts['the code to the new number']!(),
    'an operator replaces the email': ({ id }) => admin('PUT', `/admin/users/${id}`, { email: freshEmail() }),
    'an operator replaces the phone': ({ id }) => admin('PUT', `/admin/users/${id}`, { phone: freshPhone() }),
    'the user unlinks the identity of the email': async ({ id }) => {
      const { body } = await admin('GET', `/admin/users/${id}`);
      const { identity_id } = body.identities.find(({ provider }: { provider: string }) => provider === 'email');
      const { body: session } = await post('/token?grant_type=password', { phone: body.phone, password });
      return call('DELETE', `/user/identities/${identity_id}`, { bearer: session.access_token });
    },
    'an operator puts in the email that waits': ({ id, nextEmail }) =>
      admin('PUT', `/admin/users/${id}`, { email: nextEmail }),
  };
  for (const [name, change] of Object.entries(changes)) {
    const account = await arrange();
    t.equal((await change(account)).status, 200, name);
    const { rows } = await database.admin.query(
      `select u.new_email, u.new_phone, (select count(*)::int from one_time_tokens o where o.user_id = u.id) as tokens
       from users u where u.id = $1`,
      [account.id],
    );
    t.same(rows, [{ new_email: null, new_phone: null, tokens: 0 }], name);
    for (const [what, attempt] of Object.entries(account.attempts)) {
      t.ok([403, 422].includes((await attempt()).status), `${name}: then ${what} is rejected`);
    }
  }
});

t.test('SEC-40: another target ends the tokens of the first one', async (t) => {
  const flow = await openMailFlow(t);
  const { call, post } = flow;
  const email = freshEmail();
  await post('/signup', { email, password });
  const bearer = (await flow.follow((await flow.nextMail(email)).link!)).fragment.get('access_token')!;
  const [first, second] = [freshEmail(), freshEmail()];
  await call('PUT', '/user', { bearer, body: { email: first } });
  const [firstOld, firstNew] = [await flow.nextMail(email), await flow.nextMail(first)];
  await call('PUT', '/user', { bearer, body: { email: second } });
  const [secondOld, secondNew] = [await flow.nextMail(email), await flow.nextMail(second)];
  for (const { link } of [firstOld, firstNew]) {
    t.equal((await flow.follow(link!)).fragment.get('error_code'), 'otp_expired');
  }
  await flow.follow(secondOld.link!);
  const done = await flow.follow(secondNew.link!);
  t.equal((await call('GET', '/user', { bearer: done.fragment.get('access_token')! })).body.email, second);
});
