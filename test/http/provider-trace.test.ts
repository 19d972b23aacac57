/** An operator follows one sign-in at a provider, hop by hop; nobody else is followed, and no secret is kept. */

import { asAdmin } from '../support/admin.js';
import { credentialsOf } from '../support/fake-providers/index.js';
import { kindsOf, openTracedProviders, stepsOf } from '../support/provider-trace.js';
import { t } from '../support/tap.js';

t.test('a new account, with plain OAuth: every hop is there, with its time', async (t) => {
  const { attempt, console, operator } = await openTracedProviders(t, ['github']);
  const { id, answer, trace } = await attempt('github');
  t.equal(answer.status, 302);
  t.match(answer.headers.get('location'), /#access_token=/);
  t.match(trace, { id, provider: 'github', is_dry: false, state: 'session', operator_name: 'grace@example.com' });
  t.same(kindsOf(trace), [
    'authorize',
    'callback',
    'token',
    'profile_call',
    'profile_call',
    'profile',
    'decision',
    'end',
  ]);
  t.ok(trace.steps.every(({ is_ok }: { is_ok: boolean }) => is_ok));
  const [departure] = stepsOf(trace, 'authorize');
  t.match(departure.detail, { uses_pkce: true, sent_to: /\/github\/login\/oauth\/authorize$/ });
  t.match(departure.detail.sent, [{ name: 'client_id', value: credentialsOf('github').id }]);
  t.match(stepsOf(trace, 'callback')[0].detail, { state: 'ours' });
  const [token] = stepsOf(trace, 'token');
  t.match(token.detail, { status: 200, client_authentication: 'basic', sends_verifier: true });
  t.match(token.detail.members, ['access_token']);
  t.ok(trace.steps.every(({ ms, at }: { ms: number; at: string }) => ms >= 0 && Date.parse(at) > 0));
  t.ok(token.ms > 0);
  t.match(stepsOf(trace, 'decision')[0], { detail: { rule: 'address_new', kind: 'create' }, says: /new account/ });
  const { rows } = await console.database.admin.query('select id from users');
  t.equal(stepsOf(trace, 'end')[0].detail.user_id, rows[0].id);

  const { rows: audit } = await console.database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'provider_trace_opened'",
  );
  t.match(audit, [
    {
      payload: {
        actor_id: operator.operatorId,
        actor_username: 'grace@example.com',
        traits: { provider: 'github', trace_id: id, dry: false },
      },
    },
  ]);
});

t.test('OpenID Connect: the document, the ID token with its key, claims and times; an account is linked', async (t) => {
  const { attempt, console, providers } = await openTracedProviders(t, ['google']);
  const admin = asAdmin(console);
  const { body: user } = await admin('POST', '/admin/users', { email: 'g@example.com', email_confirm: true });
  const { trace } = await attempt('google');
  t.equal(trace.state, 'session');
  t.same(kindsOf(trace), [
    'discovery',
    'authorize',
    'callback',
    'discovery',
    'token',
    'id_token',
    'profile',
    'decision',
    'end',
  ]);
  t.match(stepsOf(trace, 'discovery')[0].detail, {
    issuer: providers.issuerOf('google'),
    token_endpoint: `${providers.urlOf('google')}/token`,
  });
  const { detail } = stepsOf(trace, 'id_token')[0];
  t.match(detail, { algorithm: 'RS256', nonce: 'ours', has_at_hash: true, claims: { sub: 'g1' } });
  t.type(detail.key_id, 'string');
  t.ok(detail.issued_seconds_ago <= 5 && detail.issued_seconds_ago >= -1);
  t.ok(detail.valid_for_seconds > 590 && detail.valid_for_seconds <= 600);
  t.notOk('nonce' in detail.claims || 'at_hash' in detail.claims);
  t.match(stepsOf(trace, 'profile')[0].detail, {
    subject: 'g1',
    addresses: [{ email: 'g@example.com', is_verified: true, is_primary: true }],
  });
  t.match(stepsOf(trace, 'decision')[0], {
    detail: {
      ...{ rule: 'address_linked', kind: 'sign_in', user_id: user.id, is_identity_new: true, proves_address: false },
      claimed: { email: 'g@example.com', is_verified: true },
      accounts: [{ id: user.id, has_identity: false, is_banned: false, is_email_confirmed: true }],
      rules: { linking_domain: 'default', is_sign_up_disabled: false },
    },
    says: /gets this identity/,
  });
  const { trace: again } = await attempt('google');
  t.match(stepsOf(again, 'decision')[0].detail, { rule: 'identity_known', user_id: user.id, is_identity_new: false });
});

t.test('OAuth 1.0a: the request token comes before the browser leaves', async (t) => {
  const { attempt } = await openTracedProviders(t, ['twitter']);
  const { trace } = await attempt('twitter');
  t.equal(trace.state, 'session');
  t.same(kindsOf(trace), [
    'request_token',
    'authorize',
    'callback',
    'token',
    'profile_call',
    'profile',
    'decision',
    'end',
  ]);
});

t.test('a form of the provider (Apple), and a name that only the callback has', async (t) => {
  const { attempt } = await openTracedProviders(t, ['apple']);
  const { trace } = await attempt('apple');
  t.equal(trace.state, 'session');
  t.match(
    stepsOf(trace, 'callback')[0].detail.received.find(({ name }: { name: string }) => name === 'user'),
    { value: /^\(\d+ characters\)$/ },
  );
});

t.test('a provider of the database; a client with PKCE gets a code', async (t) => {
  const traced = await openTracedProviders(t, ['google'], { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1' });
  const { console, providers, openTrace, openBrowser, operator, read } = traced;
  const { id: client_id, secret: client_secret } = credentialsOf('google');
  const names = { provider_type: 'oidc', identifier: 'custom:acme', name: 'Acme', client_id, client_secret };
  const created = await asAdmin(console)('POST', '/admin/custom-providers', {
    ...names,
    issuer: providers.issuerOf('google'),
  });
  t.equal(created.status, 201);
  t.match((await operator.get('/api/providers/custom:acme')).body.provider, { source: 'database', problem: null });
  const { id, path } = await openTrace('custom:acme');
  t.match(path, /provider=custom%3Aacme/);
  const browser = openBrowser();
  const challenge = `&code_challenge=${'x'.repeat(43)}&code_challenge_method=s256`;
  const departure = await browser.open(path + challenge);
  const landing = await browser.comeBack(await providers.signIn(departure.headers.get('location')!));
  t.equal(landing.status, 200, 'a dry run');
  t.match(await read(id), { state: 'dry_run', provider: 'custom:acme' });

  const real = await openTrace('custom:acme', false);
  const second = openBrowser();
  const away = await second.open(real.path + challenge);
  const { query } = await second.comeBack(await providers.signIn(away.headers.get('location')!));
  t.ok(query.get('code'));
  const trace = await read(real.id);
  t.equal(trace.state, 'code');
  t.notOk(JSON.stringify(trace).includes(query.get('code')!));
  t.same(
    (await operator.get('/api/providers/custom:acme/traces')).body.traces.map(({ state }: { state: string }) => state),
    ['code', 'dry_run'],
  );
});

t.test('a page asks for the steps after those that it knows', async (t) => {
  const { attempt, operator, read } = await openTracedProviders(t, ['github']);
  const { id } = await attempt('github', { isDry: true });
  const whole = await read(id);
  const rest = await operator.get(`/api/traces/${id}?known=6`);
  t.same(rest.body.steps, whole.steps.slice(6));
  t.same((await operator.get(`/api/traces/${id}?known=8`)).body.steps, []);
  t.match(await operator.get(`/api/traces/${id}?known=-1`), { status: 400 });
  for (const unknown of [credentialsOf('github').id, '0f8fad5b-d9cb-469f-a165-70867728950e']) {
    t.match(await operator.get(`/api/traces/${unknown}`), { status: 404, body: { error_code: 'trace_not_found' } });
  }
});

t.test('claims that are large, deep or odd are cut, and the trace goes on', async (t) => {
  const { attempt, providers } = await openTracedProviders(t, ['google']);
  const claims = {
    ...{ iss: providers.issuerOf('google'), sub: 'g1', email: 'g@example.com', email_verified: true },
    name: `${'x'.repeat(999)}\u{1f600}`,
    nickname: '\u0000\ud800',
    groups: Array.from({ length: 500 }, (_, i) => `group ${i} ${'y'.repeat(300)}`),
    deep: { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } },
  };
  providers.person('google', { answers: { idToken: await providers.idToken('google', claims) } });
  const { trace } = await attempt('google', { isDry: true });
  t.equal(trace.state, 'failed', 'its nonce is not ours');
  const [token] = stepsOf(trace, 'id_token');
  t.match(token.detail, { left_out: ['claims'], algorithm: 'RS256', fault: /nonce/ });
  t.ok(JSON.stringify(trace).length < 20_000);
  const { groups: _, ...fewer } = claims;
  providers.person('google', { answers: { idToken: await providers.idToken('google', fewer) } });
  const [shown] = stepsOf((await attempt('google', { isDry: true })).trace, 'id_token');
  t.equal(shown.detail.claims.name.length, 1000);
  t.match(shown.detail.claims, { deep: { a: { b: { c: {} } } } });
});
