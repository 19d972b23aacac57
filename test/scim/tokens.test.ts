/** Who may provision: tokens, discovery, refusals before any resource is looked at. */
import { endpoints } from '../../src/server/endpoints/index.js';
import { asAdmin } from '../support/admin.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { openScimServer } from '../support/scim.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const TOKEN = /^lks_[A-Za-z0-9_-]{43}$/;
const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

t.test('switched off: everything is 404, discovery too', async (t) => {
  const off = await openTestServer(t, { ORGANIZATIONS_ENABLED: 'true' });
  const own = endpoints.filter(({ tag, path }) => tag === 'SCIM' || path.includes('scim_'));
  t.ok(own.length >= 11);
  for (const { method, path, caller } of own) {
    const address = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
    const body = method === 'GET' ? undefined : {};
    const answer =
      caller === 'admin' ? await asAdmin(off)(method, address, body) : await off.call(method, address, { body });
    t.equal(answer.status, 404, `${method} ${path}`);
    t.equal(answer.body.error_code ?? answer.headers.get('x-sb-error-code'), 'feature_disabled');
  }
});

t.test('tokens of a provider and of an organization', async (t) => {
  const server = await openScimServer(t);
  const { admin, join, found, as, call, database } = server;
  const { body: provider } = await server.addProvider(openFakeIdp('tokens.example'), { resource_id: 'tokens' });
  const owner = await join();
  const organizationId = await found(owner);
  const places = [
    [
      `/admin/sso/providers/${provider.id}/scim_tokens`,
      (method: string, path: string, body?: unknown) => admin(method, path, body),
    ],
    [
      `/organizations/${organizationId}/scim_tokens`,
      (method: string, path: string, body?: unknown) => as(owner, method, path, body),
    ],
  ] as const;
  for (const [path, ask] of places) {
    const first = await ask('POST', path, { name: 'Entra ID', expires_at: '2999-01-01T00:00:00Z' });
    t.match(first, { status: 201, body: { name: 'Entra ID', token: TOKEN, last_used_at: null } }, path);
    t.equal(new Date(first.body.expires_at).getUTCFullYear(), 2999);
    const second = await ask('POST', path);
    t.match(second, { status: 201, body: { name: '', token: TOKEN, expires_at: null } });
    t.match(await ask('POST', path, {}), { status: 422, body: { error_code: 'too_many_scim_tokens' } });
    const { body: list } = await ask('GET', path);
    t.same(
      list.tokens.map((one: { id: string }) => one.id),
      [first.body.id, second.body.id],
    );
    t.notMatch(JSON.stringify(list), /lks_/, 'they are shown once');
    t.equal((await server.with(second.body.token)('GET', '/Users?count=0')).status, 200);
    const readUsed = async () => (await ask('GET', path)).body.tokens[1].last_used_at;
    await until(async () => (await readUsed()) !== null);
    const used = Date.parse(await readUsed());
    t.ok(used >= Date.parse(second.body.created_at) && used <= Date.now(), 'not before it was made');
    t.equal((await ask('DELETE', `${path}/${first.body.id}`)).status, 204);
    t.equal((await ask('DELETE', `${path}/${first.body.id}`)).status, 404);
    t.equal((await ask('DELETE', `${path}/x`)).status, 404);
    for (const wrong of [{ expires_at: 'soon' }, { expires_at: '2001-01-01T00:00:00Z' }, { name: 'x'.repeat(121) }]) {
      t.equal((await ask('POST', path, wrong)).status, 400, JSON.stringify(wrong));
    }
    const third = await ask('POST', path, {});
    t.equal(third.status, 201, 'there is room again');
    await database.admin.query("update scim_tokens set expires_at = now() - interval '1 s' where id = $1", [
      third.body.id,
    ]);
    t.equal((await ask('POST', path, {})).status, 201, 'one that has expired takes no room');
  }
  const { rows } = await database.admin.query('select token_hash, name from scim_tokens');
  t.equal(rows.length, 4);
  t.ok(rows.every(({ token_hash: hash }) => /^[A-Za-z0-9_-]{43}$/.test(hash)));
  t.equal((await admin('GET', '/admin/sso/providers/resource_tokens/scim_tokens')).body.tokens.length, 2);
  t.equal((await admin('POST', '/admin/sso/providers/00000000-0000-4000-8000-000000000000/scim_tokens')).status, 404);
  const { rows: audit } = await database.admin.query(
    "select count(*)::int as n from audit_log where payload ->> 'action' like 'scim_token_%' group by payload ->> 'action' order by 1",
  );
  t.same(
    audit.map(({ n }) => n),
    [2, 8],
  );
  // Two at a time, however many ask.
  await database.admin.query('delete from scim_tokens');
  const [path] = places[1];
  const racing = await Promise.all(Array.from({ length: 6 }, () => call('POST', path, { bearer: owner.access })));
  t.same(racing.map(({ status }) => status).sort(), [201, 201, 422, 422, 422, 422]);
});

t.test('discovery is open, truthful and without filters', async (t) => {
  const { call } = await openTestServer(t, { SCIM_ENABLED: 'true' });
  const base = 'http://localhost:9999/scim/v2';
  const ask = (path: string) => call('GET', `/scim/v2${path}`);
  const config = await ask('/ServiceProviderConfig');
  t.equal(config.headers.get('content-type'), 'application/scim+json');
  t.match(config.body, {
    patch: { supported: true },
    bulk: { supported: false },
    filter: { supported: true, maxResults: 200 },
    sort: { supported: false },
    etag: { supported: true },
    pagination: { cursor: true, index: true },
    meta: { location: `${base}/ServiceProviderConfig` },
  });
  for (const place of ['/ResourceTypes', '/Schemas']) {
    const { body } = await ask(place);
    t.equal(body.totalResults, body.Resources.length);
    for (const one of body.Resources) {
      t.same((await ask(`${place}/${one.id}`)).body, one);
      t.equal(one.meta.location, `${base}${place}/${one.id}`);
    }
    t.match(await ask(`${place}/Nothing`), { status: 404, body: { schemas: [SCIM_ERROR], status: '404' } });
    t.match(await ask(`${place}?filter=id eq "x"`), { status: 403, body: { schemas: [SCIM_ERROR], status: '403' } });
  }
  const answer = await call('GET', '/scim/v2/Schemas', { headers: { origin: 'https://elsewhere.example' } });
  t.equal(answer.headers.get('access-control-allow-origin'), null, 'other origins read nothing');
  const refused = await call('PUT', '/scim/v2/Schemas', { body: {} });
  t.match(refused, { status: 405, body: { schemas: [SCIM_ERROR], status: '405' } });
});
