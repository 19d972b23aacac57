import { randomUUID } from 'node:crypto';
import { AuthAdminApi } from '@supabase/auth-js';
import { createTextSealer } from '../../src/server/sealing/text-sealer.js';
import { adminToken, asAdmin, openAdminServer } from '../support/admin.js';
import { claimsOf, type ExternalFlow, openExternalFlow } from '../support/external-flow.js';
import { credentialsOf } from '../support/fake-providers/index.js';
import { freshEmail, JWT_SECRET, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const PATH = '/admin/custom-providers';
const SECRET = 'a-client-secret-that-nobody-may-see';

function oidcBody(flow: ExternalFlow, more: Record<string, unknown> = {}) {
  const { id: client_id, secret: client_secret } = credentialsOf('google');
  const issuer = flow.providers.issuerOf('google');
  const names = { provider_type: 'oidc', identifier: 'custom:acme', name: 'Acme' };
  return { ...names, client_id, client_secret, issuer, ...more };
}

function oauth2Body(flow: ExternalFlow, more: Record<string, unknown> = {}) {
  const { id: client_id, secret: client_secret } = credentialsOf('keycloak');
  const base = `${flow.providers.urlOf('keycloak')}/protocol/openid-connect`;
  const urls = { authorization_url: `${base}/auth`, token_url: `${base}/token`, userinfo_url: `${base}/userinfo` };
  const names = { provider_type: 'oauth2', identifier: 'custom:plain', name: 'Plain' };
  return { ...names, client_id, client_secret, ...urls, ...more };
}

const openFlow = (t: Parameters<typeof openExternalFlow>[0], more: Record<string, string> = {}) =>
  openExternalFlow(t, ['google', 'keycloak'], { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1', ...more });

t.test('what is refused when a provider is added', async (t) => {
  const flow = await openFlow(t, { CUSTOM_OAUTH_MAX_PROVIDERS: '1' });
  const admin = asAdmin(flow);
  const refuses = async (body: object, reason: RegExp) =>
    t.match(await admin('POST', PATH, body), { status: 400, body: { error_code: 'validation_failed', msg: reason } });
  const good = oidcBody(flow);
  await refuses({ ...good, provider_type: 'saml', identifier: 'x' }, /provider_type must be/);
  await refuses({ ...good, client_secret: ' ' }, /client_secret is required/);
  await refuses({ ...good, issuer: null }, /issuer is required/);
  await refuses({ ...oauth2Body(flow), userinfo_url: '' }, /userinfo_url is required/);
  await refuses({ ...good, identifier: 'acme' }, /must begin with custom:/);
  for (const identifier of ['custom:Acme', 'custom:a_b', 'custom:a-', `custom:${'a'.repeat(44)}`]) {
    await refuses({ ...good, identifier }, /at most 50 characters/);
  }
  await refuses({ ...good, name: 'n'.repeat(101) }, /name must have at most 100/);
  for (const name of ['state', 'Redirect_URI', 'nonce', 'request_uri']) {
    await refuses({ ...good, authorization_params: { [name]: 'x' } }, /authorization_params must not set/);
  }
  await refuses({ ...good, authorization_params: { prompt: 1 } }, /prompt must be a text/);
  for (const name of ['role', 'app_metadata', 'email_verified', 'is_super_admin']) {
    await refuses({ ...good, attribute_mapping: { [name]: 'x' } }, /attribute_mapping must not set/);
  }
  await refuses({ ...good, attribute_mapping: { sub: 7 } }, /must be the name of a claim/);
  await refuses({ ...good, custom_claims_allowlist: ['a', ' '] }, /blank/);
  for (const issuer of [
    'http://login.example.com',
    'https://localhost',
    'https://10.0.0.1',
    'https://[::1]',
    'nothing',
  ]) {
    await refuses({ ...good, issuer }, /issuer must/);
  }
  await refuses({ ...good, issuer: 'https://user:pw@example.com' }, /must not contain a user name/);
  await refuses({ ...good, issuer: 'https://no-such-host.invalid' }, /cannot be resolved/);
  await refuses({ ...good, issuer: `${good.issuer}/` }, /discovery document cannot be used/);
  await refuses({ ...good, issuer: flow.providers.urlOf('github') }, /discovery document cannot be used.*404/);
  await refuses({ ...oauth2Body(flow), token_url: 'https://169.254.169.254/latest' }, /token_url must not point/);

  const both = await Promise.all([admin('POST', PATH, good), admin('POST', PATH, oauth2Body(flow))]);
  t.same(both.map(({ status }) => status).sort(), [201, 400], 'the quota holds for requests at the same time');
  const late = await admin('POST', PATH, { ...good, identifier: 'custom:late' });
  t.match(late, { status: 400, body: { error_code: 'over_custom_provider_quota' } });
  t.equal((await flow.call('GET', PATH, { bearer: 'x.y.z' })).status, 403);
  t.equal((await flow.call('GET', PATH)).status, 401);
});

t.test('list, get, update, delete, with history and without the secret', async (t) => {
  const flow = await openFlow(t);
  const admin = asAdmin(flow);
  const body = oidcBody(flow, { client_secret: SECRET });
  t.equal((await admin('POST', PATH, body)).status, 201);
  t.match(await admin('POST', PATH, body), { status: 400, body: { error_code: 'conflict' } });
  const twice = await Promise.all([1, 2].map(() => admin('POST', PATH, { ...body, identifier: 'custom:twice' })));
  t.same(twice.map(({ status }) => status).sort(), [201, 400]);
  t.equal((await admin('POST', PATH, oauth2Body(flow))).status, 201);

  const client = new AuthAdminApi({ url: flow.url, headers: { Authorization: `Bearer ${adminToken()}` } });
  const listed = await client.customProviders.listProviders();
  t.same(
    listed.data.providers.map(({ identifier }) => identifier),
    ['custom:plain', 'custom:twice', 'custom:acme'],
  );
  const ofType = await client.customProviders.listProviders({ type: 'oauth2' });
  t.same(
    ofType.data.providers.map(({ identifier }) => identifier),
    ['custom:plain'],
  );
  t.equal((await admin('GET', `${PATH}?type=saml`)).status, 400);
  const page = await admin('GET', `${PATH}?limit=2`);
  t.match(page.body.providers, [{ identifier: 'custom:plain' }, { identifier: 'custom:twice' }]);
  const rest = await admin('GET', `${PATH}?cursor=${page.body.next_cursor}`);
  t.match(rest.body, { providers: [{ identifier: 'custom:acme' }], next_cursor: null });
  const ofTypePage = await admin('GET', `${PATH}?type=oidc&limit=1&cursor=${page.body.next_cursor}`);
  t.match(ofTypePage.body, { providers: [{ identifier: 'custom:acme' }], next_cursor: null });
  t.notOk('next_cursor' in (await admin('GET', PATH)).body, 'who asks for no page gets all');
  for (const query of ['limit=0', 'cursor=x'])
    t.match(await admin('GET', `${PATH}?${query}`), { status: 400, body: { error_code: 'validation_failed' } }, query);
  const read = await client.customProviders.getProvider('custom:acme');
  t.match(read.data, {
    acceptable_client_ids: [],
    scopes: ['openid'],
    attribute_mapping: {},
    custom_claims_allowlist: [],
  });
  t.notOk(Object.hasOwn(read.data ?? {}, 'token_url'), 'only addresses that are set');

  const changed = await client.customProviders.updateProvider('custom:acme', {
    name: '',
    client_secret: '',
    enabled: false,
    scopes: ['email'],
    authorization_params: { prompt: 'login' },
    attribute_mapping: { name: 'nickname' },
  });
  t.match(changed.data, {
    name: 'Acme',
    enabled: false,
    scopes: ['openid', 'email'],
    attribute_mapping: { name: 'nickname' },
  });
  const moved = await client.customProviders.updateProvider('custom:acme', { issuer: `${body.issuer}/other` });
  t.match(moved.error, { status: 400 }, 'a new issuer is fetched before it is stored');
  t.match((await client.customProviders.getProvider('custom:acme')).data, { issuer: body.issuer });
  const racing = ['a', 'b', 'c', 'd'].map((name) =>
    admin('PUT', `${PATH}/custom:acme`, { authorization_params: { [name]: '' }, name }),
  );
  t.same(new Set((await Promise.all(racing)).map(({ status }) => status)), new Set([200]));

  t.notOk((await client.customProviders.deleteProvider('custom:acme')).error);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const gone = await admin(method, `${PATH}/custom:acme`, method === 'PUT' ? { name: 'x' } : undefined);
    t.match(gone, {
      status: 404,
      body: { error_code: 'custom_provider_not_found', msg: 'Custom OAuth provider not found' },
    });
  }
  const { rows } = await flow.database.admin.query<{
    payload: { action: string; traits: object; actor_username: string };
  }>("select payload from audit_log where payload ->> 'action' like 'provider_%' order by created_at");
  const actions = rows.map(({ payload }) => payload.action);
  t.same(new Set(actions), new Set(['provider_created', 'provider_updated', 'provider_deleted']));
  const first = rows.find(({ payload }) => payload.action === 'provider_updated')!;
  t.match(first.payload, {
    actor_username: 'service_role',
    traits: { identifier: 'custom:acme', changes: { enabled: { from: true, to: false } } },
  });
  const dump = JSON.stringify([rows, (await flow.database.admin.query('select * from custom_providers')).rows]);
  t.notOk(dump.includes(SECRET), 'the secret is nowhere in clear');
});

t.test('plain OAuth 2.0 with mapping and allow-list; preview and test', async (t) => {
  const flow = await openFlow(t);
  const admin = asAdmin(flow);
  const rules = {
    attribute_mapping: { nickname: 'preferred_username', tier: 3, website: 'no_such_claim', department: 'groups' },
    custom_claims_allowlist: ['groups', 'missing'],
    authorization_params: { prompt: 'login' },
    pkce_enabled: false,
    scopes: ['profile'],
  };
  t.equal((await admin('POST', PATH, oauth2Body(flow, rules))).status, 201);
  const email = freshEmail();
  const as = flow.providers.person('keycloak', { email, subject: 'plain-1', username: 'pl' });
  const browser = flow.openBrowser();
  const { location } = await browser.leave('custom:plain');
  const query = new URL(location).searchParams;
  t.same([query.get('scope'), query.get('prompt'), query.get('code_challenge')], ['profile', 'login', null]);
  const landing = await browser.comeBack(await flow.providers.signIn(location, { as }));
  const { user_metadata } = claimsOf(landing.fragment.get('access_token')) as { user_metadata?: object };
  t.match(user_metadata, { sub: 'plain-1', email, email_verified: true, nickname: 'pl', tier: 3, department: ['a'] });
  t.match(user_metadata, { custom_claims: { groups: ['a'] } });
  t.notOk(Object.hasOwn(user_metadata ?? {}, 'website'), 'a claim that is missing maps to nothing');

  const claims = { id: 12, mail: 'x@example.com', email: 'y@example.com', email_verified: true };
  const seen = await admin('POST', `${PATH}/custom:plain/preview`, { claims, attribute_mapping: { email: 'mail' } });
  t.match(seen, { status: 200, body: { id: '12', email: 'x@example.com', email_verified: false } });
  const asText = { claims: { ...claims, email_verified: 'true' } };
  t.match((await admin('POST', `${PATH}/custom:plain/preview`, asText)).body, { email_verified: true });
  t.match((await admin('POST', `${PATH}/custom:plain/preview`, { claims: {} })).body, { msg: /no usable sub/ });
  t.match((await admin('POST', `${PATH}/custom:plain/test`)).body, { ok: true });
  await admin('PUT', `${PATH}/custom:plain`, { client_secret: SECRET });
  const wrong = await admin('POST', `${PATH}/custom:plain/test`);
  t.match(wrong.body, { ok: false });
  t.notOk(JSON.stringify(wrong.body).includes(SECRET), 'the secret is not shown');
});

t.test('flows end with their provider; the id_token grant works for oidc only', async (t) => {
  const flow = await openFlow(t, {
    EXTERNAL_CUSTOM_ACME_ISSUER: 'https://env.example.com',
    EXTERNAL_CUSTOM_ACME_CLIENT_ID: 'c',
    EXTERNAL_CUSTOM_ACME_SECRET: 's',
  });
  const admin = asAdmin(flow);
  await admin('POST', PATH, oidcBody(flow));
  await admin('POST', PATH, oauth2Body(flow));
  const [email, subject] = [freshEmail(), 'acme-9'];
  const id_token = await flow.providers.idToken('google', { sub: subject, email, email_verified: true });
  const grant = (provider: string) => flow.call('POST', '/token?grant_type=id_token', { body: { provider, id_token } });
  t.match(await grant('custom:acme'), {
    status: 200,
    body: { user: { email, app_metadata: { provider: 'custom:acme' } } },
  });
  t.match(await grant('custom:plain'), { status: 400, body: { msg: /not allowed/ } });

  const browser = flow.openBrowser();
  const { location } = await browser.leave('custom:acme');
  t.ok(location.startsWith(flow.providers.origin), 'the row wins over the settings');
  const answer = await flow.providers.signIn(location, { as: flow.providers.person('google', { email, subject }) });
  t.equal((await admin('DELETE', `${PATH}/custom:acme`)).status, 204);
  const landing = await browser.comeBack(answer);
  t.equal(landing.query.get('error_code'), 'bad_oauth_state', 'the provider of the settings does not get the code');
  t.equal((await grant('custom:acme')).status, 500, 'now the settings count, and their issuer cannot be reached');

  await admin('POST', PATH, { ...oidcBody(flow), identifier: 'custom:gone' });
  const other = flow.openBrowser();
  const left = await other.leave('custom:gone');
  const back = await flow.providers.signIn(left.location, { as: flow.providers.person('google', { email, subject }) });
  await admin('PUT', `${PATH}/custom:gone`, { enabled: false });
  t.match((await other.comeBack(back)).query.get('error_description'), /not enabled/);
  t.equal((await other.leave('custom:gone')).status, 400);
});

t.test(
  'addresses of the own network are refused, unless the settings list them; and the whole can be off',
  async (t) => {
    const { admin } = await openAdminServer(t);
    const urls = {
      authorization_url: 'https://127.0.0.1/a',
      token_url: 'https://127.0.0.1/t',
      userinfo_url: 'https://127.0.0.1/u',
    };
    const body = {
      provider_type: 'oauth2',
      identifier: 'custom:in',
      name: 'In',
      client_id: 'c',
      client_secret: 's',
      ...urls,
    };
    t.match((await admin('POST', PATH, body)).body, { msg: /private or local/ });
    const off = await openAdminServer(t, { CUSTOM_OAUTH_ENABLED: 'false' });
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['GET', `${PATH}/custom:in`],
      ['DELETE', `${PATH}/custom:in`],
    ]) {
      const answer = await off.admin(method!, path!, method === 'POST' ? body : undefined);
      t.match(answer, {
        status: 404,
        body: { error_code: 'feature_disabled', msg: 'Custom OAuth providers are disabled' },
      });
    }
  },
);

t.test('after a change of the server secret the client secrets are sealed with the new one', async (t) => {
  const before = await openFlow(t);
  await asAdmin(before)('POST', PATH, oidcBody(before));
  const sealed = async () =>
    (await before.database.admin.query('select sealed_secret from custom_providers')).rows[0].sealed_secret as string;
  const old = await sealed();
  const secrets = { jwtPreviousSecrets: [] as string[], jwtPreviousSecretsValidUntil: null };
  const purpose = 'latchkey custom provider secrets v1';
  const rotated = createTextSealer(
    { ...secrets, jwtSecret: 'another secret of the server, 32 bytes', jwtPreviousSecrets: [JWT_SECRET] },
    purpose,
  );
  const { id } = (await before.database.admin.query('select id from custom_providers')).rows[0];
  const renewed = rotated.renew(id, old)!;
  t.equal(rotated.renew(id, renewed), null, 'once is enough');
  const later = createTextSealer({ ...secrets, jwtSecret: 'another secret of the server, 32 bytes' }, purpose);
  t.equal(later.open(id, old), null);
  t.equal(later.open(id, renewed), credentialsOf('google').secret);

  // More than are read at once.
  const sealer = createTextSealer({ ...secrets, jwtSecret: JWT_SECRET }, purpose);
  const others = Array.from({ length: 120 }, () => randomUUID());
  await before.database.admin.query(
    `insert into custom_providers (id, identifier, provider_type, settings, sealed_secret)
     select o.id, 'custom:' || o.id, 'oidc', '{}', o.sealed from unnest($1::uuid[], $2::text[]) as o (id, sealed)`,
    [others, others.map((one) => sealer.seal(one, 'secret'))],
  );
  const sealedBefore = async () =>
    (await before.database.admin.query('select id, sealed_secret from custom_providers')).rows.filter(
      (row) => later.open(row.id, row.sealed_secret) === null,
    ).length;
  t.equal(await sealedBefore(), 121);

  await openTestServer(t, {
    DB_DATABASE_URL: before.database.url,
    JWT_SECRET: 'another secret of the server, 32 bytes',
    JWT_PREVIOUS_SECRETS: JWT_SECRET,
  });
  await until(async () => (await sealedBefore()) === 0);
  const { rows } = await before.database.admin.query('select sealed_secret from custom_providers where id = $1', [id]);
  t.equal(later.open(id, rows[0].sealed_secret), credentialsOf('google').secret, 'a server does it when it starts');
});
