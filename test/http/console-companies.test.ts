/** The console manages the identity providers of companies, by the rules of the API. */

import { openTestConsole, type TestConsole } from '../support/console.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { ACS_URL, ENTITY_ID, samlSettings } from '../support/saml-flow.js';
import { t } from '../support/tap.js';

const PATH = '/api/sso-providers';

async function auditOf({ database }: TestConsole) {
  const { rows } = await database.admin.query(
    "select payload from audit_log where payload->>'action' like 'sso_provider%' order by created_at",
  );
  return rows.map(({ payload }) => payload);
}

t.test('companies: what to enter there, added, changed, deleted; each change has its audit row', async (t) => {
  const console = await openTestConsole(t, samlSettings());
  const admin = await console.signIn('admin', 'ann');
  const viewer = await console.signIn('viewer');
  const idp = openFakeIdp();

  const before = await viewer.get(PATH);
  t.match(before, {
    status: 200,
    body: {
      own: {
        entity_id: ENTITY_ID,
        acs_url: ACS_URL,
        download_url: `${ENTITY_ID}?download=true`,
        certificates: [/^-----BEGIN CERTIFICATE-----\n(?:.{64}\n)+.{1,64}\n-----END CERTIFICATE-----\n$/],
      },
    },
  });
  t.same(before.body.providers, []);
  t.same(
    before.body.guides.map(({ title }: { title: string }) => title),
    ['Entra ID', 'Okta', 'Google Workspace', 'Keycloak'],
  );

  await t.test('what the API refuses is refused, with its reason', async (t) => {
    const xml = idp.metadata();
    for (const [body, message] of [
      [{}, 'Either metadata_xml or metadata_url must be set'],
      [{ metadata_xml: '<html/>' }, 'SAML Metadata is no SAML metadata: it must begin with EntityDescriptor'],
      [{ metadata_xml: xml, domains: ['a b'] }, 'domains must be names such as example.com, not a b'],
      [{ metadata_xml: xml, attribute_mapping: { key: {} } }, 'attribute_mapping must have only keys, not key'],
    ] as const) {
      t.match(await admin.post(PATH, body), { status: 400, body: { msg: message } }, message);
    }
    const named = { metadata_url: 'https://idp.acme.example/metadata' };
    t.match(
      await admin.post(PATH, named),
      { status: 403, body: { error_code: 'operator_role' } },
      'owners name servers',
    );
  });

  const validUntil = new Date(Date.now() + 86_400_000).toISOString();
  const created = await admin.post(PATH, {
    metadata_xml: idp.metadata({ attributes: ` validUntil="${validUntil}"` }),
    domains: ['Acme.Example'],
    reason: 'ticket 1',
  });
  t.match(created, {
    status: 201,
    body: { domains: [{ domain: 'acme.example' }], ends: [{ what: 'metadata', ends_at: validUntil }], fault: null },
  });
  const path = `${PATH}/${created.body.id}`;
  const listed = await viewer.get(PATH);
  t.match(listed.body.providers, [{ id: created.body.id, ends: [{ what: 'metadata' }] }]);
  t.notOk('metadata_xml' in listed.body.providers[0].saml);
  t.match((await viewer.get(path)).body.saml, { entity_id: idp.entityId, metadata_xml: /EntityDescriptor/ });

  for (const [method, where] of [
    ['POST', PATH],
    ['PUT', path],
    ['DELETE', path],
    ['POST', `${path}/refresh-metadata`],
  ] as const) {
    t.equal((await viewer.call(method, where, { body: {} })).status, 403, `${method} ${where}`);
  }

  const changed = await admin.call('PUT', path, { body: { enforced: true, disabled: true, reason: 'ticket 2' } });
  t.match(changed, { status: 200, body: { disabled: true, saml: { enforced: true }, domains: [{}] } });
  t.match(await admin.post(`${path}/refresh-metadata`), {
    status: 400,
    body: { msg: 'The provider has no metadata_url to read from' },
  });
  t.equal((await admin.call('DELETE', path, { body: { reason: 'ticket 3' } })).status, 204);
  t.match(await admin.get(path), { status: 404, body: { error_code: 'sso_provider_not_found' } });
  t.match(
    await auditOf(console),
    ['created', 'updated', 'deleted'].map((done, i) => ({
      action: `sso_provider_${done}`,
      actor_username: 'ann',
      traits: { reason: `ticket ${i + 1}`, operator: { name: 'ann' } },
    })),
  );
});

t.test('companies can be prepared while SAML is off', async (t) => {
  const console = await openTestConsole(t);
  const admin = await console.signIn('admin');
  t.equal((await admin.post(PATH, { metadata_xml: openFakeIdp().metadata() })).status, 201);
  t.match((await admin.get(PATH)).body, { own: null, providers: [{ fault: null }] });
});
