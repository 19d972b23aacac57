import { asAdmin } from '../support/admin.js';
import { openClientHost, PUBLIC_ADDRESS } from '../support/client-host.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { expectedOf, openSamlFlow } from '../support/saml-flow.js';
import { freshEmail, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const PATH = '/admin/sso/providers';

t.test('administration of identity providers', async (t) => {
  const host = await openClientHost(t, 'idp.acme.example');
  const flow = await openSamlFlow(t, {}, host.internet);
  const { admin } = flow;
  const idp = openFakeIdp();
  const refuses = async (method: string, path: string, body: object, status: number, code: string, text: RegExp) => {
    const answer = await admin(method, path, body);
    t.match(
      answer,
      { status, body: { error_code: code, msg: text } },
      `${method} ${JSON.stringify(body).slice(0, 120)}`,
    );
  };
  const xml = { type: 'saml', metadata_xml: idp.metadata() };

  await t.test('create, read, list, change, delete', async (t) => {
    const created = await admin('POST', PATH, {
      ...xml,
      domains: ['Acme.Example', 'acme.example.', 'BÜCHER.example', 'xn--bcher-kva.example'],
      resource_id: 'acme',
    });
    t.match(created, {
      status: 201,
      body: {
        resource_id: 'acme',
        disabled: null,
        saml: {
          entity_id: idp.entityId,
          metadata_xml: xml.metadata_xml,
          attribute_mapping: {},
          certificates: [{ not_after: /^2170/ }],
        },
        domains: [{ domain: 'acme.example' }, { domain: 'xn--bcher-kva.example' }],
      },
    });
    const { id } = created.body;
    t.same((await admin('GET', `${PATH}/${id}`)).body, created.body);
    t.same((await admin('GET', `${PATH}/resource_acme`)).body, created.body);
    const listed = await admin('GET', PATH);
    t.notOk('metadata_xml' in listed.body.items[0].saml);
    for (const [query, count] of [
      ['resource_id=acme', 1],
      ['resource_id=a', 0],
      ['resource_id_prefix=ac', 1],
      ['resource_id_prefix=a_', 0],
    ] as const) {
      t.equal((await admin('GET', `${PATH}?${query}`)).body.items.length, count, query);
    }
    const changed = await admin('PUT', `${PATH}/${id}`, {
      name_id_format: 'emailAddress',
      force_authn: true,
      domains: ['new.example'],
    });
    t.match(changed, {
      status: 200,
      body: { saml: { name_id_format: 'emailAddress', force_authn: true }, domains: [{ domain: 'new.example' }] },
    });
    const request = await flow.begin(idp, { domain: 'New.Example' });
    t.match(request.xml, /ForceAuthn="true".*nameid-format:emailAddress/);
    const context = 'urn:oasis:names:tc:SAML:2.0:ac:classes:X509';
    await admin('PUT', `${PATH}/${id}`, { authn_context: context, force_authn: false });
    t.match(
      (await flow.begin(idp, { domain: 'new.example' })).xml,
      `<samlp:RequestedAuthnContext Comparison="exact"><saml:AuthnContextClassRef>${context}<`,
    );
    const uri = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    await admin('PUT', `${PATH}/${id}`, { name_id_format: uri });
    t.match((await flow.begin(idp, { domain: 'new.example' })).xml, uri, 'as clients of supabase/auth send it');
    const again = await admin('PUT', `${PATH}/resource_acme`, { domains: [] });
    t.same(again.body.domains, []);
    t.notOk('name_id_format' in again.body.saml, 'absent resets');
    t.match(await flow.post('/sso', { domain: 'new.example' }), {
      status: 404,
      body: { error_code: 'sso_provider_not_found' },
    });

    await refuses('POST', PATH, xml, 422, 'saml_idp_already_exists', /EntityID \(https:/);
    const other = openFakeIdp('idp.other.example');
    await refuses(
      'PUT',
      `${PATH}/${id}`,
      { metadata_xml: other.metadata() },
      400,
      'saml_entity_id_mismatch',
      /EntityID/,
    );
    await refuses(
      'POST',
      PATH,
      { type: 'saml', metadata_xml: other.metadata(), resource_id: 'acme' },
      422,
      'conflict',
      /resource_id/,
    );
    await admin('PUT', `${PATH}/${id}`, { domains: ['acme.example'] });
    const clash = { type: 'saml', metadata_xml: other.metadata(), domains: ['ACME.example'] };
    await refuses('POST', PATH, clash, 400, 'sso_domain_already_exists', /'acme\.example' is already assigned/);
    t.match(await admin('DELETE', `${PATH}/${id}`), { status: 200, body: { id } });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      t.match(await admin(method, `${PATH}/${id}`, method === 'GET' ? undefined : {}), {
        status: 404,
        body: { error_code: 'sso_provider_not_found' },
      });
    }
    t.equal((await flow.call('GET', PATH)).status, 401);
  });

  await t.test('what is wrong is said', async (t) => {
    const bad = (fields: object) => ({ ...xml, ...fields });
    await refuses('POST', PATH, { ...xml, type: 'oidc' }, 400, 'validation_failed', /Only 'saml'/);
    await refuses('POST', PATH, { type: 'saml' }, 400, 'validation_failed', /Either metadata_xml/);
    await refuses(
      'POST',
      PATH,
      bad({ metadata_url: 'https://a.example' }),
      400,
      'validation_failed',
      /Only one of metadata/,
    );
    const url = (metadata_url: string) => ({ type: 'saml', metadata_url });
    await refuses('POST', PATH, url('nonsense'), 400, 'validation_failed', /not a valid URL/);
    await refuses('POST', PATH, url('http://idp.acme.example/'), 400, 'validation_failed', /not a HTTPS URL/);
    await refuses(
      'POST',
      PATH,
      { type: 'saml', metadata_xml: '<html/>' },
      400,
      'validation_failed',
      /^SAML Metadata is no SAML/,
    );
    const ended = idp.metadata({ attributes: ' validUntil="2020-01-01T00:00:00Z"' });
    await refuses('POST', PATH, { type: 'saml', metadata_xml: ended }, 400, 'validation_failed', /has expired/);
    for (const domain of ['', 'a b', 'https://acme.example', '-a.example', `${'a'.repeat(64)}.example`]) {
      await refuses('POST', PATH, bad({ domains: [domain] }), 400, 'validation_failed', /domains must be names/);
    }
    for (const fields of [
      { name_id_format: 'kerberos' },
      { authn_context: 'no uri' },
      { attribute_mapping: { keys: [] } },
      { attribute_mapping: { other: {} } },
      { attribute_mapping: { keys: { a: { array: 'x' } } } },
      { attribute_mapping: { keys: { a: { target: 'role' } } } },
    ]) {
      await refuses('POST', PATH, bad(fields), 400, 'validation_failed', /must/);
    }
    await refuses('PUT', `${PATH}/no-uuid`, {}, 404, 'sso_provider_not_found', /not found/);
    t.same((await admin('GET', PATH)).body.items, [], 'nothing was stored');
  });

  await t.test('metadata by address, behind the guard', async (t) => {
    const asXml = { 'content-type': 'application/samlmetadata+xml' };
    const at = host.publish('/metadata', { body: idp.metadata(), headers: asXml });
    const created = await admin('POST', PATH, { type: 'saml', metadata_url: at, domains: ['acme.example'] });
    t.match(created, { status: 201, body: { saml: { metadata_url: at, metadata_error: null } } });
    const { id } = created.body;
    const stored = created.body.saml.metadata_xml;

    const lies = [
      ['/html', { body: '<html></html>', headers: { 'content-type': 'text/html' } }, /is no SAML metadata/],
      ['/gone', { status: 404 }, /HTTP 404 error/],
      ['/moved', { status: 302, headers: { location: '/metadata' } }, /HTTP 302 error/],
      ['/large', { body: 'x'.repeat(1_048_577) }, /larger than/],
      ['/5-MB', { body: idp.metadata() + ' '.repeat(5_000_000) }, /larger than/],
    ] as const;
    const isUntouched = async (what: string) =>
      t.equal((await admin('GET', `${PATH}/${id}`)).body.saml.metadata_xml, stored, `${what}: the stored copy stays`);
    // Each takes as long as an answer may; both wait beside the others.
    const slow = ['/hangs', '/drips'].map((path) => host.publish(path, { [path.slice(1)]: true }));
    const waiting = slow.map((metadata_url) => admin('PUT', `${PATH}/${id}`, { metadata_url }));
    for (const [path, answer, text] of lies) {
      const metadata_url = host.publish(path, answer);
      const code = /HTTP|larger/.test(text.source) ? 'saml_metadata_fetch_failed' : 'validation_failed';
      await refuses('PUT', `${PATH}/${id}`, { metadata_url }, 400, code, text);
      await isUntouched(path);
    }
    host.names.set('intranet.example', ['10.0.0.1']);
    host.names.set('partly.example', [PUBLIC_ADDRESS, '192.168.0.1']);
    const reached = host.reached.length;
    for (const metadata_url of [
      'https://intranet.example/m',
      'https://partly.example/m',
      'https://127.0.0.1/m',
      'https://[::1]/m',
      'https://[::ffff:10.0.0.1]/m',
      'https://169.254.169.254/m',
      'https://localhost/m',
    ]) {
      await refuses(
        'PUT',
        `${PATH}/${id}`,
        { metadata_url },
        400,
        'saml_metadata_fetch_failed',
        /not on the public internet/,
      );
      await isUntouched(metadata_url);
    }
    t.equal(host.reached.length, reached, 'none of them was called');
    for (const answer of await Promise.all(waiting)) {
      t.match(answer, {
        status: 400,
        body: { error_code: 'saml_metadata_fetch_failed', msg: /did not answer in time/ },
      });
    }
    await isUntouched('slow');

    // An address that was public when it was stored.
    const move = (url: string) =>
      flow.database.admin.query('update sso_providers set metadata_url = $2 where id = $1', [id, url]);
    for (const url of ['https://intranet.example/m', host.url('/5-MB'), host.url('/html'), host.url('/moved')]) {
      await move(url);
      t.equal((await admin('POST', `${PATH}/${id}/refresh_metadata`)).status, 400, url);
      await isUntouched(url);
      t.match((await admin('GET', `${PATH}/${id}`)).body.saml.metadata_error, /./, 'and why is stored');
    }
    await move(at);

    // The provider changes its key: the first answer is refused, and has the metadata read again.
    idp.changeKey();
    host.publish('/metadata', { body: idp.metadata(), headers: asXml });
    await flow.database.admin.query("update sso_providers set metadata_tried_at = now() - interval '2 minutes'");
    const respond = () => flow.signIn(idp, { domain: 'acme.example' }, { attributes: { mail: freshEmail() } });
    t.equal((await respond()).query.get('error_code'), 'validation_failed');
    await until(async () => (await admin('GET', `${PATH}/${id}`)).body.saml.metadata_xml !== stored);
    t.equal((await respond()).status, 302);

    const asked = host.asked.length;
    const SAMLResponse = openFakeIdp().respond({ ...expectedOf(), attributes: { mail: freshEmail() } });
    t.equal((await flow.postResponse({ SAMLResponse })).status, 303);
    t.equal(host.asked.length, asked, 'at most once a minute');

    host.publish('/metadata', { body: openFakeIdp('idp.else.example').metadata(), headers: asXml });
    const mismatch = await admin('POST', `${PATH}/${id}/refresh_metadata`);
    t.match(mismatch, { status: 400, body: { error_code: 'saml_entity_id_mismatch' } });
    t.match((await admin('GET', `${PATH}/${id}`)).body.saml.metadata_error, /EntityID/);
    host.publish('/metadata', { body: idp.metadata(), headers: asXml });
    const refreshed = await admin('POST', `${PATH}/${id}/refresh_metadata`);
    t.match(refreshed, { status: 200, body: { saml: { metadata_error: null } } });
  });
});

t.test('off: nothing below /sso, and administration works', async (t) => {
  const server = await openTestServer(t);
  for (const [method, path] of [
    ['POST', '/sso'],
    ['GET', '/sso/saml/metadata'],
    ['POST', '/sso/saml/acs'],
  ] as const) {
    t.match(await server.call(method, path, method === 'POST' ? { body: {} } : {}), {
      status: 404,
      body: { error_code: 'saml_provider_disabled', msg: 'SAML 2.0 is disabled' },
    });
  }
  const created = await asAdmin(server)('POST', PATH, { type: 'saml', metadata_xml: openFakeIdp().metadata() });
  t.equal(created.status, 201);
});
