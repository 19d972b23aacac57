/** An operator tests the sign-in at a company: each check is shown, and no one is signed in. */
import { attributes, type CompanyTests, openCompanyTests } from '../support/company-test.js';
import type { ResponseOptions } from '../support/fake-saml-idp.js';
import { kindsOf, stepsOf } from '../support/provider-trace.js';
import { takeRsaKey } from '../support/rsa-keys.js';
import { ACS_URL, ENTITY_ID, expectedOf } from '../support/saml-flow.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

async function countAccounts({ console }: CompanyTests): Promise<Record<string, number>> {
  const { rows } = await console.database.admin.query(
    'select (select count(*)::int from users) as users, (select count(*)::int from sessions) as sessions, (select count(*)::int from saml_assertions) as assertions',
  );
  return rows[0];
}
const nothing = { users: 0, sessions: 0, assertions: 0 };

t.test('every check of an honest answer has passed, and nothing is written', async (t) => {
  const tests = await openCompanyTests(t);
  const { operator, path, providerId, run } = tests;
  const { id, answer, trace } = await run();
  t.equal(answer.status, 200);
  t.match(await answer.text(), /dry run has ended.*every check has passed/s);
  t.match(trace, { provider: `sso:${providerId}`, state: 'dry_run', is_dry: true, operator_name: 'grace@example.com' });
  t.same(
    [...new Set(kindsOf(trace))],
    [...['saml_request', 'saml_response', 'saml_check', 'saml_person', 'decision', 'end']],
  );
  t.ok(trace.steps.every(({ is_ok }: { is_ok: boolean }) => is_ok));
  const checks = stepsOf(trace, 'saml_check').map(({ detail }) => detail.check);
  for (const name of [
    'signature',
    'issuer',
    'audience',
    'recipient',
    'destination',
    'response_to',
    'expired',
    'replayed',
  ]) {
    t.ok(checks.includes(name), name);
  }
  t.match(stepsOf(trace, 'saml_request')[0].detail, {
    sent_to: 'https://idp.acme.example/sso',
    reply_address: ACS_URL,
  });
  t.match(stepsOf(trace, 'saml_person')[0].detail, {
    ...{ subject: 'person-1', subject_from: 'NameID', email: 'ada@acme.example', email_from: 'mail' },
    ...{ is_domain_of_company: true, unmapped: ['room'], app_metadata_sso: { groups: ['staff', 'admins'] } },
    user_metadata: { name: 'Ada Lovelace', email: 'ada@acme.example', sub: 'person-1' },
  });
  t.match(stepsOf(trace, 'decision')[0], { detail: { kind: 'create' }, says: /No one with this id/ });
  t.same(await countAccounts(tests), nothing);
  t.match((await operator.get(`${path}/traces`)).body.traces, [{ id, state: 'dry_run' }]);

  const { rows } = await tests.console.database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'provider_trace_opened'",
  );
  t.match(rows, [{ payload: { traits: { provider: `sso:${providerId}`, trace_id: id, dry: true } } }]);
});

const other = takeRsaKey();

/** name → what is written, the checks that fail, and the cure of the first */
const lies: Readonly<Record<string, readonly [Partial<ResponseOptions>, readonly string[], RegExp]>> = {
  unsigned: [{ signs: 'nothing' }, ['signature'], /sign the assertion/],
  'a foreign key': [{ key: other }, ['signature'], /key in its metadata/],
  'another audience': [{ audience: 'urn:other' }, ['audience'], /our entity ID/],
  'another recipient': [{ recipient: `${ACS_URL}/` }, ['recipient'], /also as Recipient/],
  'another destination': [{ destination: `${ACS_URL}/` }, ['destination'], /reply address/],
  'another issuer': [{ issuer: 'urn:other' }, ['issuer'], /another provider/],
  'another request': [{ requestId: 'id-other' }, ['response_to'], /InResponseTo/],
  'an hour ago': [{ clockMs: -3_600_000 }, ['expired'], /NTP/],
  refused: [{ status: 'Responder' }, ['status'], /its own log/],
  'several faults': [{ audience: 'urn:other', clockMs: 3_600_000 }, ['expired', 'audience'], /NTP/],
};

t.test('a refused answer names the checks that failed, what stood there, and the cure', async (t) => {
  const tests = await openCompanyTests(t);
  for (const [name, [options, failed, cure]] of Object.entries(lies)) {
    const { answer, trace } = await tests.run(options);
    t.match(await answer.text(), /would have failed: SAML Assertion is not valid/, name);
    const refused = stepsOf(trace, 'saml_check').filter(({ is_ok }) => !is_ok);
    t.same(refused.map(({ detail }) => detail.check).toSorted(), [...failed].toSorted(), name);
    t.match(
      stepsOf(trace, 'end')[0],
      { detail: { outcome: 'failed', check: failed[0], fault: /./ }, advice: cure },
      name,
    );
    t.equal(trace.state, 'failed', name);
  }
  const { trace } = await tests.run({ audience: 'urn:other' });
  t.match(
    stepsOf(trace, 'saml_check').find(({ detail }) => detail.check === 'audience'),
    { detail: { fault: /another audience/, found: 'urn:other', expected: ENTITY_ID }, advice: /entity ID/ },
  );
  t.same(await countAccounts(tests), nothing);
});

t.test('a person whose account the sign-in would join', async (t) => {
  const tests = await openCompanyTests(t, { ORGANIZATIONS_ENABLED: 'true' });
  const { console, providerId, run } = tests;
  const sql = console.database.admin;
  const decisionOf = async () => stepsOf((await run()).trace, 'decision')[0];
  const { body } = await console.post('/signup', { email: 'ada@acme.example', password });
  const user_id = body.user.id ?? body.id;
  await sql.query('update users set proven_email = email, email_confirmed_at = now() where id = $1', [user_id]);
  t.match(await decisionOf(), { detail: { kind: 'create', rule: 'company_new' } }, 'accounts of companies are apart');
  await sql.query(
    `with o as (insert into organizations (id, name, slug) values (gen_random_uuid(), 'Acme', 'acme') returning id),
       d as (insert into organization_domains (organization_id, domain, verified_at) select id, 'acme.example', now() from o)
     update sso_providers set organization_id = o.id from o where sso_providers.id = $1`,
    [providerId],
  );
  t.match(await decisionOf(), {
    detail: { kind: 'sign_in', rule: 'company_joined', user_id, is_identity_new: true },
    says: /joins that account/,
  });
  const { rows } = await sql.query("select from identities where provider like 'sso:%'");
  t.equal(rows.length, 0, 'nothing is written');
});

t.test('what the person lacks, and what the account forbids', async (t) => {
  const tests = await openCompanyTests(t, { DISABLE_SIGNUP: 'true' });
  const endOf = async (options: Partial<ResponseOptions>) => stepsOf((await tests.run(options)).trace, 'end')[0];
  t.match(await endOf({ attributes: {} }), { detail: { error: 'samlEmailMissing' }, advice: /map its attribute/ });
  t.match(await endOf({ nameId: null }), { detail: { error: 'samlUserIdMissing' }, advice: /NameID/ });
  t.match(await endOf({}), { detail: { error: 'signupDisabled' } });
  t.same(await countAccounts(tests), nothing);
});

t.test('a test never becomes a sign-in', async (t) => {
  const tests = await openCompanyTests(t);
  const { begin, post, idp, operator, console, path } = tests;
  const read = async (id: string) => (await operator.get(`/api/traces/${id}`)).body;

  const lost = await begin();
  // As one that began at the provider: neither RelayState nor InResponseTo.
  const answer = await post(lost.browser, { SAMLResponse: idp.respond({ ...expectedOf(), attributes }) });
  t.equal(answer.status, 200, 'the cookie leads to the test');
  t.match(await read(lost.id), { state: 'failed', steps: [{}, { detail: { state: 'missing' } }, {}] });

  const gone = await begin();
  await console.database.admin.query('delete from provider_traces where id = $1', [gone.id]);
  const { id, relayState } = idp.readRequest(gone.location);
  const form = { SAMLResponse: idp.respond({ ...expectedOf(id), attributes }), RelayState: relayState };
  const refused = await post(gone.browser, form);
  t.equal(refused.status, 303);
  t.match(refused.headers.get('location'), /error_description/);
  t.same(await countAccounts(tests), nothing);

  await operator.call('PUT', path, { body: { disabled: true } });
  const { trace } = await tests.run();
  t.match(trace.state, 'dry_run', 'before it is switched on');
  t.match(stepsOf(trace, 'decision')[0].detail, { is_disabled: true });
  const started = await console.post('/sso', { domain: 'acme.example', skip_http_redirect: true });
  t.match(started.body, { error_code: 'sso_provider_disabled' });
  t.same(await countAccounts(tests), nothing);
});
