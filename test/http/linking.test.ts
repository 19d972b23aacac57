import { claimsOf, type ExternalFlow, openExternalFlow } from '../support/external-flow.js';
import { freshEmail, freshPhone } from '../support/server.js';
import { t } from '../support/tap.js';

let ids = 50_000;
const PASSWORD = 'correct horse battery';

async function confirmedUser(flow: ExternalFlow, email: string) {
  await flow.post('/signup', { email, password: PASSWORD, data: { mine: true } });
  await flow.follow((await flow.nextMail(email)).link!);
  const { body } = await flow.post('/token?grant_type=password', { email, password: PASSWORD });
  return { id: body.user.id as string, bearer: body.access_token as string };
}

const userBy = async (flow: ExternalFlow, bearer: string) => (await flow.call('GET', '/user', { bearer })).body;

t.test('a verified address links to the confirmed account that has it and keeps its metadata', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab']);
  const email = freshEmail();
  const { id } = await confirmedUser(flow, email);
  const as = flow.providers.person('github', { email: email.toUpperCase(), subject: ids++ });
  const landing = await flow.signIn('github', { as });
  const user = await userBy(flow, landing.fragment.get('access_token')!);
  t.equal(user.id, id);
  t.equal(user.email, email);
  t.same(user.app_metadata, { provider: 'email', providers: ['email', 'github'] });
  t.equal(user.user_metadata.mine, true);
  t.same(
    user.identities.map(({ provider }: { provider: string }) => provider),
    ['email', 'github'],
  );
  const again = await flow.post('/token?grant_type=password', { email, password: PASSWORD });
  t.equal(again.status, 200, 'the password still works');

  const second = await flow.signIn('gitlab', { as: flow.providers.person('gitlab', { email, subject: ids++ }) });
  const linked = await userBy(flow, second.fragment.get('access_token')!);
  t.equal(linked.id, id);
  t.same(linked.app_metadata.providers, ['email', 'github', 'gitlab']);
});

t.test('every verified address of a profile is matched, primary or not', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const [primary, other] = [freshEmail(), freshEmail()];
  const { id } = await confirmedUser(flow, other);
  const others = [{ email: other, isVerified: true }];
  const as = flow.providers.person('github', { email: primary, others, subject: ids++ });
  const landing = await flow.signIn('github', { as });
  const user = await userBy(flow, landing.fragment.get('access_token')!);
  t.equal(user.id, id);
  t.equal(user.email, other, 'the account keeps its address');

  const third = freshEmail();
  await confirmedUser(flow, third);
  const both = [
    { email: other, isVerified: true },
    { email: third, isVerified: true },
  ];
  const ambiguous = flow.providers.person('github', { email: freshEmail(), others: both, subject: ids++ });
  const refused = await flow.signIn('github', { as: ambiguous });
  t.same(Object.fromEntries(refused.query), {
    error: 'server_error',
    error_code: 'unexpected_failure',
    error_description: 'Multiple accounts with the same email address in the same linking domain detected: default',
  });
});

t.test('a provider with its own linking domain is not linked automatically', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab'], {
    EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN: 'github',
  });
  const email = freshEmail();
  const { id } = await confirmedUser(flow, email);
  const as = flow.providers.person('github', { email, subject: ids++ });
  const landing = await flow.signIn('github', { as });
  const user = await userBy(flow, landing.fragment.get('access_token')!);
  t.not(user.id, id);
  t.equal(user.email, email, 'though the address is the same');
  t.equal(claimsOf((await flow.signIn('github', { as })).fragment.get('access_token')).sub, user.id);
});

t.test('a changed address at the provider changes the identity, not the account', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const [before, after] = [freshEmail(), freshEmail()];
  const subject = ids++;
  const first = await flow.signIn('github', { as: flow.providers.person('github', { email: before, subject }) });
  const named = flow.providers.person('github', { email: after, subject, name: 'New Name' });
  const second = await flow.signIn('github', { as: named });
  t.equal(claimsOf(second.fragment.get('access_token')).sub, claimsOf(first.fragment.get('access_token')).sub);
  const user = await userBy(flow, second.fragment.get('access_token')!);
  t.equal(user.email, before);
  t.equal(user.identities[0].email, after);
  t.equal(user.user_metadata.name, 'New Name');
});

t.test('a banned user cannot sign in', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const as = flow.providers.person('github', { email: freshEmail(), subject: ids++ });
  await flow.signIn('github', { as });
  await flow.database.admin.query(`update users set banned_until = now() + interval '1 hour'`);
  const landing = await flow.signIn('github', { as });
  t.same(Object.fromEntries(landing.fragment), {
    sb: '',
    error: 'access_denied',
    error_code: 'user_banned',
    error_description: 'User is banned',
  });
});

t.test('fifty concurrent first sign-ins of one person create one account', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const as = flow.providers.person('github', { email: freshEmail(), subject: ids++ });
  const landings = await Promise.all(Array.from({ length: 50 }, () => flow.signIn('github', { as })));
  const subjects = new Set(landings.map(({ fragment }) => claimsOf(fragment.get('access_token')).sub));
  t.equal(
    subjects.size,
    1,
    landings
      .map(({ query }) => query.toString())
      .join(' ')
      .trim(),
  );
  const { rows } = await flow.database.admin.query('select from identities');
  t.equal(rows.length, 1);
});

t.test('manual linking', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab'], {
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
  });
  const email = freshEmail();
  const { id, bearer } = await confirmedUser(flow, email);

  const own = flow.providers.person('github', { email: freshEmail(), isVerified: false, subject: ids++ });
  const landing = await flow.link('github', bearer, { as: own });
  t.equal(landing.fragment.get('provider'), 'github');
  const user = await userBy(flow, landing.fragment.get('access_token')!);
  t.equal(user.id, id);
  t.equal(user.email, email);
  t.notOk('user_name' in user.user_metadata, 'the account is not rewritten');
  t.same(user.app_metadata.providers, ['email', 'github']);

  t.equal(
    (await flow.link('github', bearer, { as: own })).query.get('error_description'),
    'Identity is already linked',
  );
  const other = await confirmedUser(flow, freshEmail());
  t.same(Object.fromEntries((await flow.link('github', other.bearer, { as: own })).query), {
    error: 'server_error',
    error_code: 'identity_already_exists',
    error_description: 'Identity is already linked to another user',
  });

  t.test('an anonymous user gets a verified address', async (t) => {
    const { body: anonymous } = await flow.post('/signup', {});
    const address = freshEmail();
    const as = flow.providers.person('gitlab', { email: address, subject: ids++ });
    const landing = await flow.link('gitlab', anonymous.access_token, { as });
    const user = await userBy(flow, landing.fragment.get('access_token')!);
    t.match(user, { id: anonymous.user.id, email: address, is_anonymous: false, app_metadata: { provider: 'gitlab' } });
    t.ok(user.email_confirmed_at);
  });

  t.test('an unverified address has to be confirmed first', async (t) => {
    const { body: anonymous } = await flow.post('/signup', {});
    const address = freshEmail();
    const as = flow.providers.person('gitlab', { email: address, isVerified: false, subject: ids++ });
    const landing = await flow.link('gitlab', anonymous.access_token, { as });
    t.same(Object.fromEntries(landing.query), {
      error: 'server_error',
      error_code: 'email_not_confirmed',
      error_description: 'Unverified email with gitlab. A confirmation email has been sent to your gitlab email',
    });
    const before = await userBy(flow, anonymous.access_token);
    t.match(before, { email: '', new_email: address, is_anonymous: true, identities: [{ provider: 'gitlab' }] });
    await flow.follow((await flow.nextMail(address)).link!);
    t.match(await userBy(flow, anonymous.access_token), { email: address, is_anonymous: false });
  });

  t.test('an address of another user is refused, and nothing is linked', async (t) => {
    const phone = freshPhone();
    const { body } = await flow.post('/signup', { phone, password: PASSWORD });
    const as = flow.providers.person('gitlab', { email, subject: ids++ });
    const landing = await flow.link('gitlab', body.access_token, { as });
    t.same(Object.fromEntries(landing.query), {
      error: 'invalid_request',
      error_code: 'email_exists',
      error_description: 'A user with this email address has already been registered',
    });
    t.equal((await userBy(flow, body.access_token)).identities.length, 1);
  });

  t.test('the account that asked for the link is deleted', async (t) => {
    const { body: anonymous } = await flow.post('/signup', {});
    const browser = flow.openBrowser();
    const url = await browser.beginLink('gitlab', anonymous.access_token);
    await flow.database.admin.query('delete from users where id = $1', [anonymous.user.id]);
    const landing = await browser.comeBack(await flow.providers.signIn(url));
    t.equal(landing.status, 303);
    t.equal(landing.query.get('error_code'), 'user_not_found');
  });

  t.test('without skip_http_redirect the answer is a redirect with the binding cookie', async (t) => {
    const browser = flow.openBrowser();
    const response = await browser.open('/user/identities/authorize?provider=gitlab', {
      headers: { authorization: `Bearer ${bearer}` },
    });
    t.equal(response.status, 302);
    const as = flow.providers.person('gitlab', { email: freshEmail(), subject: ids++ });
    const answer = await flow.providers.signIn(response.headers.get('location')!, { as });
    t.equal((await flow.openBrowser().comeBack(answer)).query.get('error_code'), 'bad_oauth_state');
    t.equal((await browser.comeBack(answer)).fragment.get('provider'), 'gitlab');
  });
});

t.test('manual linking is off by default', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const { bearer } = await confirmedUser(flow, freshEmail());
  const off = { status: 404, body: { error_code: 'manual_linking_disabled', msg: 'Manual linking is disabled' } };
  t.match(await flow.call('GET', '/user/identities/authorize?provider=github', { bearer }), off);
  t.match(await flow.call('DELETE', '/user/identities/x', { bearer }), off);
  t.match(await flow.call('GET', '/user/identities/authorize?provider=github'), {
    status: 401,
    body: { error_code: 'no_authorization' },
  });
});

t.test('DELETE /user/identities/{identity_id}', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab'], { SECURITY_MANUAL_LINKING_ENABLED: 'true' });
  const email = freshEmail();
  const { bearer } = await confirmedUser(flow, email);
  const remove = (id: string, as = bearer) => flow.call('DELETE', `/user/identities/${id}`, { bearer: as });
  const identityOf = async (provider: string): Promise<string> =>
    (await userBy(flow, bearer)).identities.find((identity: { provider: string }) => identity.provider === provider)
      .identity_id;

  t.match(await remove('nonsense'), { status: 404, body: { error_code: 'validation_failed' } });
  t.match(await remove(await identityOf('email')), {
    status: 422,
    body: { error_code: 'single_identity_not_deletable', msg: 'User must have at least 1 identity after unlinking' },
  });
  const elsewhere = freshEmail();
  await flow.link('github', bearer, { as: flow.providers.person('github', { email: elsewhere, subject: ids++ }) });
  t.match(await remove(crypto.randomUUID()), {
    status: 422,
    body: { error_code: 'identity_not_found', msg: "Identity doesn't exist" },
  });
  const other = await confirmedUser(flow, freshEmail());
  await flow.link('gitlab', other.bearer, {
    as: flow.providers.person('gitlab', { email: freshEmail(), subject: ids++ }),
  });
  t.match(await remove(await identityOf('github'), other.bearer), {
    status: 422,
    body: { error_code: 'identity_not_found' },
  });

  t.same((await remove(await identityOf('email'))).body, {});
  const user = await userBy(flow, bearer);
  t.match(user, { email: elsewhere, app_metadata: { provider: 'github', providers: ['github'] } });
  t.equal(user.identities.length, 1);
  const { rows } = await flow.database.admin.query(
    `select payload, ip_address from audit_log where payload ->> 'action' = 'identity_unlinked'`,
  );
  t.match(rows[0], { payload: { log_type: 'user', traits: { provider: 'email' } }, ip_address: '127.0.0.1' });
});

for (const autoconfirm of ['true', 'false']) {
  t.test(`an unverified address after unlinking, with AUTH_MAILER_AUTOCONFIRM=${autoconfirm}`, async (t) => {
    const settings = { SECURITY_MANUAL_LINKING_ENABLED: 'true', MAILER_AUTOCONFIRM: autoconfirm };
    const flow = await openExternalFlow(t, ['github'], settings);
    const email = freshEmail();
    const { admin } = flow.database;
    const { bearer } =
      autoconfirm === 'true'
        ? { bearer: (await flow.post('/signup', { email, password: 'correct horse battery' })).body.access_token }
        : await confirmedUser(flow, email);
    const elsewhere = freshEmail();
    const as = flow.providers.person('github', { email: elsewhere, subject: ids++ });
    await flow.link('github', bearer, { as });
    await admin.query(`
      update identities set identity_data = identity_data || '{"email_verified": false}' where provider = 'github'`);
    await admin.query(`update users set new_phone = '15550001234', new_email = 'pending@example.com'`);
    const { identities } = await userBy(flow, bearer);
    const own = identities.find(({ provider }: { provider: string }) => provider === 'email');
    t.equal((await flow.call('DELETE', `/user/identities/${own.identity_id}`, { bearer })).status, 200);
    const user = await userBy(flow, bearer);
    t.match(user, { email: '', email_confirmed_at: undefined }, 'its owner can sign up with it');
    const { rows } = await admin.query('select new_email, new_phone from users');
    t.same(rows, [{ new_email: null, new_phone: null }], 'a replaced address ends pending changes');
  });
}

t.test('concurrent removals of two identities leave one', async (t) => {
  const flow = await openExternalFlow(t, ['github'], { SECURITY_MANUAL_LINKING_ENABLED: 'true' });
  for (let round = 0; round < 5; round++) {
    const { bearer } = await confirmedUser(flow, freshEmail());
    await flow.link('github', bearer, { as: flow.providers.person('github', { email: freshEmail(), subject: ids++ }) });
    const { identities } = await userBy(flow, bearer);
    const answers = await Promise.all(
      identities.map(({ identity_id }: { identity_id: string }) =>
        flow.call('DELETE', `/user/identities/${identity_id}`, { bearer }),
      ),
    );
    t.same(answers.map(({ status }) => status).sort(), [200, 422]);
    t.equal((await userBy(flow, bearer)).identities.length, 1);
  }
});

t.test('an invitation is accepted at a provider', async (t) => {
  const flow = await openExternalFlow(t, ['github'], { DISABLE_SIGNUP: 'true' });
  const { signTestToken } = await import('../support/tokens.js');
  const { JWT_SECRET } = await import('../support/server.js');
  const admin = signTestToken({ role: 'service_role' }, JWT_SECRET);
  const email = freshEmail().replace('example.com', 'xn--bcher-kva.example');
  const invited = await flow.call('POST', '/invite', { body: { email, data: { team: 'a' } }, bearer: admin });
  const query = { invite_token: (await flow.nextMail(email)).link!.searchParams.get('token')! };

  const other = flow.providers.person('github', { email: freshEmail(), subject: ids++ });
  const refused = await flow.signIn('github', { as: other, query });
  t.equal(refused.query.get('error_description'), 'Invited email does not match emails from external provider');

  const subject = ids++;
  const spelled = email.replace('xn--bcher-kva', 'b\u00fccher');
  const as = flow.providers.person('github', { email: spelled, isVerified: false, subject });
  const landing = await flow.signIn('github', { as, query });
  const user = await userBy(flow, landing.fragment.get('access_token')!);
  t.match(user, { id: invited.body.id, email, app_metadata: { provider: 'github', providers: ['github'] } });
  t.ok(user.email_confirmed_at);
  t.equal(user.identities.length, 1);
  t.ok(
    flow.providers.requests.every(({ query }) => !query.has('invite_token')),
    'the provider gets no token',
  );
  t.match(await flow.openBrowser().leave('github', query), { status: 404 });
  const { rows } = await flow.database.admin.query(
    `select payload from audit_log where payload ->> 'action' = 'invite_accepted'`,
  );
  t.match(rows, [{ payload: { log_type: 'account', traits: { provider: 'github' } } }]);
});

t.test('providers of one linking domain link with one another, and with nobody else', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab', 'bitbucket'], {
    EXPERIMENTAL_PROVIDER_LINKING_DOMAINS: 'github=social, gitlab=social',
    EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN: 'gitlab',
  });
  const email = freshEmail();
  const { id } = await confirmedUser(flow, email);
  const subOf = async (name: 'github' | 'gitlab' | 'bitbucket') => {
    const subject = name === 'bitbucket' ? `{b-${ids++}}` : ids++;
    const landing = await flow.signIn(name, { as: flow.providers.person(name, { email, subject }) });
    return claimsOf(landing.fragment.get('access_token')).sub;
  };
  const social = await subOf('github');
  t.not(social, id, 'not the account of the default domain');
  t.equal(await subOf('gitlab'), social, 'the newer setting wins over its own domain');
  t.equal(await subOf('bitbucket'), id, 'a provider that is not named is in the default domain');
  const { rows } = await flow.database.admin.query('select is_sso_user from users where id = any($1) order by 1', [
    [id, social],
  ]);
  t.same(rows, [{ is_sso_user: false }, { is_sso_user: true }]);
  const bearer = (await flow.signIn('github', { as: flow.providers.person('github', { email, subject: ids++ }) }))
    .fragment;
  const change = { bearer: bearer.get('access_token')!, body: { email: freshEmail() } };
  t.match(await flow.call('PUT', '/user', change), { status: 422, body: { error_code: 'user_sso_managed' } });
});
