/** Clients of organizations: who makes them, whom they serve, and the tokens that they get for themselves. */
import { asAdmin } from '../support/admin.js';
import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  postForm,
  REDIRECT_URI,
  redeem,
  refresh,
  type TestClient,
} from '../support/oauth-client.js';
import { beginDevice, decideDevice, pollDevice } from '../support/oauth-device.js';
import { actWith, type Person, readPayload } from '../support/organizations.js';
import { PageBrowser } from '../support/page-browser.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const settings = {
  ORGANIZATIONS_ENABLED: 'true',
  OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
  OAUTH_SERVER_MACHINE_ROLES: 'service_role,anon',
  OAUTH_SERVER_SCOPES: 'documents:write=Write,reports:all=Read all reports',
  OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
  OAUTH_SERVER_AUTHORIZATION_PATH: '',
  PAGES_ENABLED: 'true',
};
const server = actWith(await openTestServer(t, oauthSettings(settings)));
const { as, join, found, addMember, database } = server;
const admin = asAdmin(server);
const machine = { client_name: 'Import', grant_types: ['client_credentials'] };

const owner = await join();
const plain = await join();
const stranger = await join();
const id = await found(owner);
const path = `/organizations/${id}/clients`;
await addMember(id, plain);

const tokenOf = (person: Person) => ({ token: person.access });
const clientOf = (body: Record<string, unknown>): TestClient => ({
  id: body['client_id'] as string,
  secret: body['client_secret'] as string | undefined,
  body,
});
async function make(given: object, person = owner): Promise<TestClient> {
  const { status, body } = await as(person, 'POST', path, given);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return clientOf(body);
}
const askForItself = (client: TestClient, more = {}, where = server) =>
  postForm(where, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret ?? '',
    ...more,
  });

t.test('an owner makes an API key, changes it, and takes it back', async (t) => {
  const made = await as(owner, 'POST', path, { ...machine, organization_roles: ['member'] });
  t.match(made, {
    status: 201,
    body: {
      client_name: 'Import',
      client_type: 'confidential',
      organization_id: id,
      organization_roles: ['member'],
      client_secret: /^[\w-]{43}$/,
      registration_type: 'manual',
    },
  });
  const client = clientOf(made.body);
  const { status, body } = await askForItself(client);
  t.equal(status, 200, JSON.stringify(body));
  const { rows } = await database.admin.query('select slug from organizations where id = $1', [id]);
  t.match(readPayload(body.access_token), {
    sub: client.id,
    role: 'anon',
    org_id: id,
    org_slug: rows[0].slug,
    org_roles: ['member'],
    org_permissions: ['members:read', 'organization:read'],
  });

  const one = `${path}/${client.id}`;
  const { client_secret: _secret, client_secret_expires_at: _never, ...shown } = made.body;
  t.same((await as(owner, 'GET', one)).body, shown);
  t.match((await as(owner, 'GET', path)).body, { clients: [shown], next_cursor: null });
  t.same((await admin('GET', `/admin/oauth/clients/${client.id}`)).body, shown, 'the same object for administrators');
  const changed = await as(owner, 'PATCH', one, {
    client_name: 'Nightly import',
    organization_roles: ['admin', 'admin'],
  });
  t.match(changed, { status: 200, body: { client_name: 'Nightly import', organization_roles: ['admin'] } });
  t.match(readPayload((await askForItself(client)).body.access_token), { org_roles: ['admin'] });

  const renewed = await as(owner, 'POST', `${one}/regenerate_secret`);
  t.equal(renewed.status, 200);
  t.match(await askForItself(client), { status: 401, body: { error: 'invalid_client' } });
  const next = clientOf(renewed.body);
  t.equal((await askForItself(next)).status, 200);
  t.equal((await as(owner, 'DELETE', one)).status, 204);
  t.match(await askForItself(next), { status: 401 });
  t.match(await as(owner, 'GET', one), { status: 404, body: { error_code: 'oauth_client_not_found' } });
  const { rows: audit } = await database.admin.query(
    `select payload ->> 'action' as action from audit_log
     where payload -> 'traits' ->> 'client_id' = $1 and payload -> 'traits' ->> 'organization_id' = $2
     order by created_at`,
    [client.id, id],
  );
  t.same(
    audit.map(({ action }) => action),
    ['oauth_client_registered', 'oauth_client_updated', 'oauth_client_updated', 'oauth_client_deleted'],
  );
});

t.test('what only administrators say of a client is not read', async (t) => {
  const given = { role: 'service_role', resources: ['https://api.example.com/'], refresh_token_ttl: 1 };
  const other = await found(stranger, 'Other');
  const client = await make({ ...machine, ...given, organization_id: other });
  t.equal(client.body['organization_id'], id);
  const one = `${path}/${client.id}`;
  await as(owner, 'PATCH', one, { ...given, client_name: 'x', organization_id: other });
  const { body } = await as(owner, 'GET', one);
  for (const name of Object.keys(given)) t.notOk(name in body, name);
  t.equal(body.organization_id, id);
  t.equal(readPayload((await askForItself(client)).body.access_token)['role'], 'anon');
});

t.test('this server calls it at public hosts only', async (t) => {
  const { client_id } = (await as(owner, 'POST', path, machine)).body;
  const hosts = ['https://169.254.169.254', 'https://localhost', 'https://[::1]'];
  for (const host of hosts) {
    for (const given of [{ jwks_uri: `${host}/x` }, { backchannel_logout_uri: `${host}/x` }]) {
      const refusal = { status: 400, body: { msg: /must be at a host on the public internet/ } };
      t.match(await as(owner, 'POST', path, { ...machine, ...given }), refusal, host);
      t.match(await as(owner, 'PATCH', `${path}/${client_id}`, given), refusal, host);
    }
  }
});

t.test('nobody gives a client what he does not have', async (t) => {
  await admin('POST', '/admin/organization-roles', { name: 'keeper', permissions: ['clients:manage', 'members:read'] });
  await admin('POST', '/admin/organization-roles', { name: 'editor', permissions: ['documents:write'] });
  const [keeper, chief] = [await join(), await join()];
  await addMember(id, keeper, 'keeper');
  await addMember(id, chief, 'admin');
  const denied = { status: 403, body: { error_code: 'organization_permission_missing' } };
  const asked = (roles: string[]) => ({ ...machine, organization_roles: roles });
  for (const role of ['member', 'admin', 'owner', 'editor']) {
    t.match(await as(keeper, 'POST', path, asked([role])), denied, role);
  }
  t.match(await as(chief, 'POST', path, asked(['owner'])), denied);
  t.match(await as(chief, 'POST', path, asked(['unknown'])), { status: 404, body: { error_code: 'role_not_found' } });
  t.match(await as(plain, 'POST', path, asked([])), denied);

  const own = await make(asked(['keeper']), keeper);
  t.match(await as(keeper, 'PATCH', `${path}/${own.id}`, { organization_roles: ['admin'] }), denied);
  const strong = await make(asked(['owner']));
  const one = `${path}/${strong.id}`;
  for (const person of [keeper, chief]) {
    t.match(await as(person, 'POST', `${one}/regenerate_secret`), denied, 'its secret would be its roles');
    t.match(await as(person, 'PATCH', one, { client_name: 'x' }), denied);
    t.match(await as(person, 'PATCH', one, { organization_roles: [] }), denied);
    t.match(await as(person, 'DELETE', one), denied, 'owners are removed by owners');
  }
  t.equal((await askForItself(strong)).status, 200, 'its secret is the same');
  t.equal((await as(keeper, 'DELETE', `${path}/${own.id}`)).status, 204);

  const inUse = await make(asked(['editor']));
  const role = '/admin/organization-roles/editor';
  t.match(await admin('DELETE', role), { status: 409, body: { error_code: 'role_in_use' } });
  t.equal((await admin('DELETE', `${role}?replace_with=member`)).status, 204);
  t.match((await as(owner, 'GET', `${path}/${inUse.id}`)).body, { organization_roles: ['member'] });
});

t.test('it has the scopes that its roles permit, and no role of administrators', async (t) => {
  await admin('POST', '/admin/organization-roles', { name: 'writer', permissions: ['documents:write'] });
  const key = await make({ ...machine, organization_roles: ['writer'] });
  const token = await askForItself(key, { scope: 'documents:write' });
  t.match(readPayload(token.body.access_token), { scope: 'documents:write', role: 'anon' });
  t.match(await askForItself(key, { scope: 'reports:all' }), { status: 400, body: { error: 'invalid_scope' } });
  const wide = await make({ ...machine, scope: 'reports:all documents:write', organization_roles: ['writer'] });
  t.match(readPayload((await askForItself(wide)).body.access_token), { scope: 'documents:write' });
  const internal = await addClient(server, { ...machine, token_endpoint_auth_method: 'client_secret_post' });
  t.match(readPayload((await askForItself(internal, { scope: 'reports:all' })).body.access_token), {
    role: 'service_role',
  });

  const own = { client_id: key.id, client_secret: key.secret! };
  const introspect = async (by: object, access: string) =>
    (await postForm(server, '/oauth/introspect', { ...by, token: access })).body;
  t.match(await introspect(own, token.body.access_token), {
    active: true,
    org_id: id,
    org_roles: ['writer'],
    org_permissions: ['documents:write'],
  });
  const person = await join();
  await addMember(id, person);
  const app = await addClient(server, { token_endpoint_auth_method: 'client_secret_post' });
  const { location } = await authorize(server, { clientId: app.id, parameters: { scope: 'organization' } });
  const back = await consent(server, tokenOf(person), location);
  const { access_token: access } = (await redeem(server, app, back.searchParams.get('code')!)).body;
  const mine = { client_id: app.id, client_secret: app.secret! };
  t.match(await introspect(mine, access), { active: true, org_id: id });
  await as(owner, 'DELETE', `/organizations/${id}/members/${person.id}`);
  const left = await introspect(mine, access);
  t.equal(left.active, true);
  t.notOk('org_id' in left, 'who has left acts for it no more');
});

t.test('clients of others are not there', async (t) => {
  const other = await found(stranger, 'Third');
  const foreign = clientOf((await as(stranger, 'POST', `/organizations/${other}/clients`, machine)).body);
  const free = await addClient(server, { ...machine, token_endpoint_auth_method: 'client_secret_post' });
  for (const clientId of [foreign.id, free.id, 'x']) {
    const one = `${path}/${clientId}`;
    for (const [method, where] of [
      ['GET', one],
      ['PATCH', one],
      ['DELETE', one],
      ['POST', `${one}/regenerate_secret`],
    ] as const) {
      const answer = await as(owner, method, where, method === 'PATCH' ? { client_name: 'x' } : undefined);
      t.match(answer, { status: 404, body: { error_code: 'oauth_client_not_found' } }, `${method} ${where}`);
    }
  }
  t.equal((await askForItself(foreign)).status, 200);
  const { body } = await as(owner, 'GET', path);
  t.notMatch(JSON.stringify(body), foreign.id);
});

t.test('the list has pages, and an end', async (t) => {
  const small = await found(owner, 'Small');
  const list = `/organizations/${small}/clients`;
  for (const client_name of ['a', 'b', 'c']) await as(owner, 'POST', list, { ...machine, client_name });
  const first = (await as(owner, 'GET', `${list}?limit=2`)).body;
  t.match(first.clients, [{ client_name: 'c' }, { client_name: 'b' }]);
  const second = (await as(owner, 'GET', `${list}?limit=2&cursor=${first.next_cursor}`)).body;
  t.match(second, { clients: [{ client_name: 'a' }], next_cursor: null });
  t.match(await as(stranger, 'GET', `${list}?cursor=${first.next_cursor}`), { status: 404 });
  await database.admin.query(
    `insert into oauth_clients (client_type, auth_method, redirect_uris, grant_types, registration, organization_id)
     select 'public', 'none', '{}', '{refresh_token}', 'manual', $1 from generate_series(1, 97)`,
    [small],
  );
  t.match(await as(owner, 'POST', list, machine), { status: 422, body: { error_code: 'too_many_clients' } });
});

t.test('such a client serves members only', async (t) => {
  const app = await make({
    client_name: 'Intranet',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
  });
  const { location } = await authorize(server, { clientId: app.id, parameters: { scope: 'openid email' } });
  const request = `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
  const refused = { status: 403, body: { error_code: 'not_a_member' } };
  t.match(await as(stranger, 'GET', request), refused);
  t.match(await as(stranger, 'POST', `${request}/consent`, { action: 'approve' }), refused);
  const { body } = await as(stranger, 'POST', `${request}/consent`, { action: 'deny' });
  t.match(new URL(body.redirect_url).searchParams.get('error'), 'access_denied');

  const asked = await authorize(server, { clientId: app.id, parameters: { scope: 'openid email' } });
  const back = await consent(server, tokenOf(plain), asked.location);
  const tokens = (await redeem(server, app, back.searchParams.get('code')!)).body;
  t.match(readPayload(tokens.access_token), { org_id: id, org_roles: ['member'], client_id: app.id });
  const again = await refresh(server, app, tokens.refresh_token);
  t.match(readPayload(again.body.access_token), { org_id: id });

  const leaving = await authorize(server, { clientId: app.id });
  const code = (await consent(server, tokenOf(plain), leaving.location)).searchParams.get('code')!;
  t.equal((await as(owner, 'DELETE', `/organizations/${id}/members/${plain.id}`)).status, 204);
  const ended = { status: 400, body: { error: 'invalid_grant', error_code: 'not_a_member' } };
  t.match(await redeem(server, app, code), ended, 'between approval and exchange');
  t.match(await refresh(server, app, again.body.refresh_token), ended, 'the session goes on no more');
  const later = await authorize(server, { clientId: app.id });
  const silent = `/oauth/authorizations/${later.location.searchParams.get('authorization_id')}`;
  t.match(await as(plain, 'GET', silent), refused, 'nor by the remembered consent');
  await addMember(id, plain);
  t.match(await refresh(server, app, again.body.refresh_token), ended, 'who joins again signs in again');
});

t.test('the page says so, and sends the browser back', async (t) => {
  const app = await make({ client_name: 'Wiki', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' });
  const { location } = await authorize(server, { clientId: app.id });
  const browser = new PageBrowser(server.url);
  await browser.open(location.pathname + location.search);
  const sign = { address: stranger.email, password, action: 'password' };
  await browser.send(browser.form('/ui/sign-in'), sign);
  t.equal(browser.status, 403);
  t.equal(browser.title, 'Not for this account');
  t.match(browser.html, stranger.email);
  t.ok(browser.link('Use another account'));
  await browser.send(browser.form('/ui/consent'), { action: 'deny' });
  t.equal(new URL(browser.onward).searchParams.get('error'), 'access_denied');
});

t.test('a device of such a client', async (t) => {
  const app = await make({
    client_name: 'Screen',
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
    token_endpoint_auth_method: 'none',
  });
  const begun = await beginDevice(server, app);
  const refused = { status: 403, body: { error_code: 'not_a_member' } };
  t.match(await as(stranger, 'GET', `/oauth/device/${begun['user_code']}`), refused);
  t.match(await decideDevice(server, tokenOf(stranger), begun['user_code']!), refused);
  t.match(await decideDevice(server, tokenOf(plain), begun['user_code']!), { status: 200 });
  const { body } = await pollDevice(server, app, begun['device_code']!);
  t.match(readPayload(body.access_token), { org_id: id });
  t.match(await decideDevice(server, tokenOf(stranger), (await beginDevice(server, app))['user_code']!, 'deny'), {
    status: 200,
  });
});

t.test('an error leads to such a client by a page', async (t) => {
  const app = await make({ client_name: 'Wiki', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' });
  const { location } = await authorize(server, { clientId: app.id, parameters: { scope: 'nonsense' } });
  t.equal(location.pathname, '/ui/refused', 'everybody can found an organization');
});

t.test('administrators say which organization a client serves', async (t) => {
  const client = await addClient(server, {
    ...machine,
    token_endpoint_auth_method: 'client_secret_post',
    organization_id: id,
  });
  t.equal((await as(owner, 'GET', `${path}/${client.id}`)).status, 200);
  const one = `/admin/oauth/clients/${client.id}`;
  t.match(await admin('PUT', one, { organization_roles: ['admin'] }), {
    status: 200,
    body: { organization_roles: ['admin'] },
  });
  const nowhere = '00000000-0000-4000-8000-000000000000';
  for (const [given, status] of [
    [{ organization_id: nowhere }, 404],
    [{ organization_id: 'x' }, 400],
    [{ organization_roles: ['unknown'] }, 404],
    [{ organization_id: '', organization_roles: ['admin'] }, 400],
  ] as const) {
    t.equal((await admin('PUT', one, given)).status, status, JSON.stringify(given));
  }
  t.equal((await admin('POST', '/admin/oauth/clients', { ...machine, organization_roles: ['admin'] })).status, 400);
  const freed = await admin('PUT', one, { organization_id: '' });
  t.notOk('organization_id' in freed.body);
  t.notOk('org_id' in readPayload((await askForItself(client)).body.access_token));
  t.equal((await as(owner, 'GET', `${path}/${client.id}`)).status, 404);
  const itself = await server.call('POST', '/oauth/clients/register', {
    body: { redirect_uris: [REDIRECT_URI], organization_id: id },
  });
  t.notOk('organization_id' in itself.body, 'a client that registers itself does not');
});

t.test('deleting an organization ends its clients', async (t) => {
  const short = await found(owner, 'Short');
  const list = `/organizations/${short}/clients`;
  const key = clientOf((await as(owner, 'POST', list, machine)).body);
  const app = clientOf(
    (await as(owner, 'POST', list, { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' })).body,
  );
  const { location } = await authorize(server, { clientId: app.id });
  const back = await consent(server, tokenOf(owner), location);
  const tokens = (await redeem(server, app, back.searchParams.get('code')!)).body;
  const { body: issued } = await askForItself(key);
  t.equal((await admin('DELETE', `/admin/organizations/${short}`)).status, 204);
  t.match(await askForItself(key), { status: 401, body: { error: 'invalid_client' } });
  t.match(await refresh(server, app, tokens.refresh_token), { status: 401, body: { error: 'invalid_client' } });
  t.match(await server.call('GET', '/oauth/userinfo', { bearer: tokens.access_token }), { status: 401 });
  const rs = await make({ ...machine, token_endpoint_auth_method: 'client_secret_post' });
  const asked = await postForm(server, '/oauth/introspect', {
    client_id: rs.id,
    client_secret: rs.secret!,
    token: issued.access_token,
  });
  t.same(asked.body, { active: false });
  const { rows } = await database.admin.query(
    `select (select count(*)::int from oauth_clients where organization_id = $1 and deleted_at is null) as clients,
       (select count(*)::int from sessions where oauth_client_id = $2) as sessions,
       (select count(*)::int from oauth_consents where client_id = $2) as consents`,
    [short, app.id],
  );
  t.same(rows, [{ clients: 0, sessions: 0, consents: 0 }]);
});

t.test('organizations off: no such clients, and none that is left gets a token for itself', async (t) => {
  const off = await openTestServer(t, oauthSettings({ ...settings, ORGANIZATIONS_ENABLED: 'false' }));
  const given = { ...machine, token_endpoint_auth_method: 'client_secret_post' };
  const refused = await asAdmin(off)('POST', '/admin/oauth/clients', { ...given, organization_id: id });
  t.match(refused, { status: 400, body: { error_code: 'validation_failed' } });
  const client = await addClient(off, given);
  await off.database.admin.query('update oauth_clients set organization_id = gen_random_uuid() where id = $1', [
    client.id,
  ]);
  const { access_token: bearer } = (await off.post('/signup', { email: 'a@example.com', password })).body;
  t.match(await off.call('GET', path, { bearer }), { status: 404, body: { error_code: 'feature_disabled' } });
  const asked = await postForm(off, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret!,
  });
  t.match(asked, { status: 400, body: { error: 'unauthorized_client' } });
});
