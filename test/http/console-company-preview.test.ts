/** Operators try the attribute mapping of a company on an assertion, and prove its domains. */
import { attributes, mapping, openCompanyTests } from '../support/company-test.js';
import { openDns, type Zone } from '../support/dns-server.js';
import { expectedOf } from '../support/saml-flow.js';
import { t } from '../support/tap.js';

t.test('the preview shows what a sign-in would make of the person', async (t) => {
  const tests = await openCompanyTests(t, { SAML_ALLOW_ENCRYPTED_ASSERTIONS: 'true' });
  const { console, idp, operator: admin, path } = tests;
  const viewer = await console.signIn('viewer');
  const preview = `${path}/preview`;
  const honest = { ...expectedOf(), attributes };

  await t.test('a pasted assertion, by the stored mapping', async (t) => {
    const { status, body } = await viewer.post(preview, { message: idp.write(honest) });
    t.equal(status, 200);
    t.match(body, {
      tested_at: null,
      person: {
        ...{ user_id: 'person-1', user_id_from: 'NameID', email: 'ada@acme.example', email_from: 'mail' },
        ...{ is_domain_of_company: true, app_metadata_sso: { groups: ['staff', 'admins'] }, refusal: null },
        user_metadata: { name: 'Ada Lovelace', email: 'ada@acme.example', email_verified: true, iss: idp.entityId },
        unmapped: [{ name: 'room', values: ['12'] }],
      },
    });
    t.ok(body.checks.every(({ fault }: { fault: unknown }) => fault === null));
    const signedIn = await console.post('/sso', { domain: 'acme.example', skip_http_redirect: true });
    const request = idp.readRequest(signedIn.body.url);
    const SAMLResponse = idp.respond({ ...expectedOf(request.id), attributes });
    const form = new URLSearchParams({ SAMLResponse, RelayState: request.relayState });
    await fetch(`${console.url}/sso/saml/acs`, { method: 'POST', body: form, redirect: 'manual' });
    const { rows } = await console.database.admin.query('select id, user_metadata, app_metadata, email from users');
    t.same(rows[0].user_metadata, body.person.user_metadata, 'as a real sign-in makes it');
    t.same(rows[0].app_metadata.sso, body.person.app_metadata_sso);
    t.equal(rows[0].email, body.person.email);
    const user = await viewer.get(`/api/users/${rows[0].id}`);
    t.same(
      user.body.companies,
      { [`sso:${tests.providerId}`]: 'acme.example' },
      'its page has the name of the company',
    );
  });

  await t.test('a draft, of an unsigned and expired one', async (t) => {
    const message = idp.respond({ ...honest, signs: 'nothing', clockMs: -3_600_000 });
    const attribute_mapping = { keys: { room: { name: '', names: ['room'], target: 'app_metadata' } } };
    const { body } = await viewer.post(preview, { message, attribute_mapping });
    const faults = body.checks.filter(({ fault }: { fault: unknown }) => fault !== null);
    t.match(faults, [
      { check: 'signature', fault: 'nothing is signed', advice: /sign the assertion/ },
      { check: 'expired', found: /^IssueInstant /, expected: /^now /, advice: /NTP/ },
    ]);
    t.match(body.person, { app_metadata_sso: { room: '12' }, email_from: 'mail', shortened: [] });
    t.same(
      body.person.unmapped.map(({ name }: { name: string }) => name),
      ['displayName', 'memberOf'],
    );
    t.same((await viewer.get(path)).body.saml.attribute_mapping, mapping, 'nothing is stored');
  });

  await t.test('what is missing, and what is none', async (t) => {
    const bare = await viewer.post(preview, { message: idp.write({ ...honest, attributes: {}, nameId: null }) });
    t.match(bare.body.person, { user_id: '', email: '', refusal: { message: /usable user id/, advice: /NameID/ } });
    const subjectId = { 'urn:oasis:names:tc:SAML:attribute:subject-id': 'ada@acme', ...attributes };
    const scoped = await viewer.post(preview, { message: idp.write({ ...honest, attributes: subjectId }) });
    t.match(scoped.body.person, { user_id: 'ada@acme', user_id_from: /subject-id$/, unmapped: [{ name: 'room' }] });
    const none = await viewer.post(preview, { message: 'hello' });
    t.match(none, { status: 200, body: { person: null, checks: [{ check: 'malformed' }] } });
    t.match(await viewer.post(preview, { message: idp.write(honest), attribute_mapping: { key: {} } }), {
      status: 400,
      body: { msg: 'attribute_mapping must have only keys, not key' },
    });
    t.equal((await viewer.post(preview, { message: 'x'.repeat(300_000) })).status, 413);
  });

  await t.test('encrypted assertions are opened for those who may change the company', async (t) => {
    const encryptFor = (await viewer.get('/api/sso-providers')).body.own.certificates[0].replace(
      /-----[^-]*-----|\n/g,
      '',
    );
    const message = idp.write({ ...honest, encryptFor });
    t.match((await admin.post(preview, { message })).body.person, { user_id: 'person-1' });
    const refused = (await viewer.post(preview, { message })).body;
    t.equal(refused.person, null);
    t.match(refused.checks.at(-1), { check: 'encryption', fault: /only the role admin/ });
    const unsigned = await admin.post(preview, { message: idp.write({ ...honest, encryptFor, signs: 'nothing' }) });
    t.match(unsigned.body, { person: null });
  });

  await t.test('what the last test got, even if it was refused', async (t) => {
    t.match(await admin.post(preview, {}), { status: 404, body: { error_code: 'trace_not_found' } });
    await tests.run({ audience: 'urn:other', attributes: { ...attributes, room: '99' } });
    const { body } = await admin.post(preview, { attribute_mapping: { keys: { room: { name: 'ROOM' } } } });
    t.match(body, { tested_at: /^20/, person: { user_metadata: { custom_claims: { room: '99' } } } });
    t.match(
      body.checks.find(({ check }: { check: string }) => check === 'audience'),
      { found: 'urn:other' },
    );
    t.match(await viewer.post(preview, {}), { status: 403, body: { error_code: 'operator_role' } });
    t.equal((await viewer.get(`${path}/traces`)).status, 403);
    t.equal((await viewer.post(`${path}/traces`)).status, 403);
    t.equal((await viewer.post(`${path}/domains/acme.example/verify`)).status, 403);
  });
});

t.test('a domain is proved in the console, with the setting and without', async (t) => {
  for (const isNeeded of [true, false]) {
    const zone: Zone = {};
    const settings = { SAML_REQUIRE_DOMAIN_PROOF: String(isNeeded), DNS_SERVERS: await openDns(t, zone) };
    const { operator, path } = await openCompanyTests(t, settings);
    const { body } = await operator.get(path);
    t.match(body, { needs_proof: isNeeded, proofs: [{ domain: 'acme.example', status: 'pending' }] });
    const { record } = body.proofs[0];
    const verify = () => operator.post(`${path}/domains/acme.example/verify`, {});
    t.match(await verify(), { status: 422, body: { error_code: 'domain_record_missing', found: [] } });
    zone[record.name] = { txt: [record.value] };
    t.match(await verify(), { status: 200, body: { domain: 'acme.example', status: 'verified' } });
    t.match((await operator.get(path)).body.proofs, [{ status: 'verified' }]);
    t.equal((await operator.post(`${path}/domains/foreign.example/verify`, {})).status, 404);
  }
});
