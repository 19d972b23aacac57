/** OpenID Connect providers that members of an organization manage. */
import { asAdmin } from '../support/admin.js';
import { openClientHost } from '../support/client-host.js';
import { actWith } from '../support/organizations.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const host = await openClientHost(t, 'idp.acme.example');
host.names.set('intranet.example', ['10.0.0.5']);
const server = await openTestServer(
  t,
  {
    ORGANIZATIONS_ENABLED: 'true',
    CUSTOM_OAUTH_MAX_PROVIDERS: '1',
    OUTBOUND_PRIVATE_HOSTS: '127.0.0.1,listed.example',
    RATE_LIMIT_ORGANIZATIONS: '1000',
  },
  undefined,
  host.internet,
);
const { as, join, found, addMember, database } = actWith(server);
const admin = asAdmin(server);
const SECRET = 'the secret of the provider';

const issuer = host.url('');
host.publish('/.well-known/openid-configuration', {
  body: {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  },
});
const fields = (more: object = {}) => ({
  ...{ type: 'oidc', name: 'Acme', client_id: 'latchkey', client_secret: SECRET, issuer },
  ...more,
});
const invalid = (msg: RegExp) => ({ status: 400, body: { error_code: 'validation_failed', msg } });

const owner = await join();
const id = await found(owner);
const path = `/organizations/${id}/sso`;

t.test('an owner adds, reads, changes and deletes one', async (t) => {
  const made = await as(
    owner,
    'POST',
    path,
    fields({ identifier: 'custom:google', organization_id: id, email_optional: true }),
  );
  t.match(made, {
    status: 201,
    body: {
      provider_type: 'oidc',
      organization_id: id,
      roles: ['member'],
      issuer,
      email_optional: false,
      enabled: true,
    },
  });
  t.equal(made.body.identifier, `custom:${made.body.id}`, 'no one chooses the name that the whole installation knows');
  const one = `${path}/${made.body.id}`;
  const listed = await as(owner, 'GET', path);
  t.same(listed.body, { providers: [made.body], next_cursor: null });
  t.same((await as(owner, 'GET', one)).body, made.body);
  t.same((await admin('GET', `/admin/custom-providers/${made.body.identifier}`)).body, made.body, 'the same object');
  const changed = await as(owner, 'PUT', one, { name: 'Acme Ltd', roles: ['admin'], email_optional: true });
  t.match(changed, {
    status: 200,
    body: { name: 'Acme Ltd', roles: ['admin'], email_optional: false, client_id: 'latchkey' },
  });
  const away = await server.call('GET', `/authorize?provider=${made.body.identifier}`, {});
  t.equal(away.status, 302);
  t.match(await as(owner, 'POST', `${one}/refresh_metadata`), { status: 404 });
  const gone = await as(owner, 'DELETE', one);
  t.match(gone, { status: 200, body: { id: made.body.id } });
  t.match(await as(owner, 'GET', one), { status: 404, body: { error_code: 'sso_provider_not_found' } });
  for (const { body } of [made, listed, changed, gone]) t.notMatch(JSON.stringify(body), new RegExp(SECRET));
  const { rows } = await database.admin.query(
    `select payload ->> 'action' as action, payload::text as whole from audit_log
     where payload -> 'traits' ->> 'organization_id' = $1 and payload ->> 'action' like 'provider%' order by created_at`,
    [id],
  );
  t.same(
    rows.map(({ action }) => action),
    ['provider_created', 'provider_updated', 'provider_deleted'],
  );
  t.notMatch(rows.map(({ whole }) => whole).join(), new RegExp(SECRET));
});

t.test('POST /sso leads to it where SAML is off', async (t) => {
  const { body } = await as(owner, 'POST', path, fields());
  const sso = (given: object) => server.post('/sso', given);
  const refused = (status: number, error_code: string, msg?: RegExp) => ({
    status,
    body: { error_code, ...(msg && { msg }) },
  });
  t.match((await sso({ organization: id, skip_http_redirect: true })).body.url, `provider=custom%3A${body.id}`);
  for (const given of [{ organization: 'unknown' }, { domain: 'unknown.example' }])
    t.match(await sso(given), refused(404, 'sso_provider_not_found'));
  await as(owner, 'PUT', `${path}/${body.id}`, { enabled: false });
  t.match(await sso({ organization: id }), refused(404, 'sso_provider_disabled'));
  t.match(await sso({ provider_id: id }), refused(404, 'saml_provider_disabled'));
  t.match(
    await sso({ organization: '' }),
    refused(400, 'validation_failed', /^organization must be the id or the slug/),
  );
  t.match(await sso({}), refused(400, 'validation_failed', /provider_id or domain/));
  t.match(await sso({ organization: '', domain: 'unknown.example' }), refused(404, 'sso_provider_not_found'));
  await as(owner, 'DELETE', `${path}/${body.id}`);
});

t.test('its addresses are on the public internet, also where administrators may name others', async (t) => {
  for (const [url, reason] of [
    ['http://127.0.0.1:1/', /private or local/],
    ['https://listed.example/', /private or local/],
    ['https://10.0.0.5/', /private or local/],
    ['https://intranet.example/', /private or local/],
    ['https://nowhere.example/', /cannot be resolved/],
    ['http://idp.acme.example/', /https/],
  ] as const) {
    t.match(await as(owner, 'POST', path, fields({ issuer: url })), invalid(reason), url);
    t.match(await as(owner, 'POST', path, fields({ discovery_url: url })), invalid(reason), url);
  }
  const { body } = await as(owner, 'POST', path, fields());
  t.match(await as(owner, 'PUT', `${path}/${body.id}`, { discovery_url: 'http://127.0.0.1:1/' }), invalid(/private/));
  await as(owner, 'DELETE', `${path}/${body.id}`);
  t.match(await as(owner, 'POST', path, { ...fields(), type: 'oauth2' }), { status: 400 });
  t.match(await as(owner, 'POST', path, { type: 'oidc', name: 'x' }), invalid(/required/));
});

t.test('nobody gives what he does not have, or takes the place of those who have more', async (t) => {
  await admin('POST', '/admin/organization-roles', {
    name: 'gatekeeper',
    permissions: ['sso:manage', 'organization:read', 'members:read'],
  });
  const [gatekeeper, plain, stranger] = [await join(), await join(), await join()];
  await addMember(id, gatekeeper, 'gatekeeper');
  await addMember(id, plain);
  const denied = { status: 403, body: { error_code: 'organization_permission_missing' } };
  t.match(await as(plain, 'POST', path, fields()), denied);
  t.match(await as(stranger, 'POST', path, fields()), { status: 404 });
  t.match(await as(gatekeeper, 'POST', path, fields({ roles: ['admin'] })), denied);
  t.match(await as(gatekeeper, 'POST', path, fields({ roles: ['owner'] })), { status: 400 });
  const { body } = await as(gatekeeper, 'POST', path, fields());
  const one = `${path}/${body.id}`;
  await database.admin.query(
    "insert into identities (user_id, provider, provider_id, identity_data) values ($1, $2, 'boss', '{}')",
    [owner.id, body.identifier],
  );
  for (const change of [{ client_id: 'other' }, { client_secret: 'other' }, { attribute_mapping: { sub: 'email' } }]) {
    t.match(await as(gatekeeper, 'PUT', one, change), {
      status: 403,
      body: { error_code: 'organization_permission_missing', msg: /owner/ },
    });
  }
  t.equal((await as(gatekeeper, 'PUT', one, { name: 'Other', enabled: false })).status, 200, 'whose word counts stays');
  t.equal((await as(owner, 'PUT', one, { client_id: 'other' })).status, 200);

  const other = await found(stranger, 'Other');
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const answer = await as(
      stranger,
      method,
      `/organizations/${other}/sso/${body.id}`,
      method === 'PUT' ? { name: 'x' } : undefined,
    );
    t.match(answer, { status: 404, body: { error_code: 'sso_provider_not_found' } }, method);
  }
  await as(owner, 'DELETE', one);
});

t.test('there are 10 of both kinds', async (t) => {
  for (let n = 0; n < 11; n++) {
    const { status, body } = await as(owner, 'POST', path, fields());
    t.match([status, body.error_code], n < 10 ? [201] : [422, 'too_many_sso_providers']);
  }
});

t.test('they use up nothing of what administrators may add', async (t) => {
  // One may be added, and ten of the organization are there.
  const add = (identifier: string) =>
    admin('POST', '/admin/custom-providers', { ...fields({ type: undefined }), provider_type: 'oidc', identifier });
  t.equal((await add('custom:first')).status, 201);
  t.match(await add('custom:second'), { status: 400, body: { error_code: 'over_custom_provider_quota' } });
});
