/** The console makes, shows and ends tokens of provisioning, of companies and of organizations. */
import { randomUUID } from 'node:crypto';
import { forgetStepUps, openTestConsole, stepUpAgain } from '../support/console.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { actWith } from '../support/organizations.js';
import { samlSettings } from '../support/saml-flow.js';
import { GROUP, PATCH, USER } from '../support/scim.js';
import { noteSecrets } from '../support/secret-search.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const refusal = (status: number, error_code: string) => ({ status, body: { error_code } });

t.test('provisioning in the console', async (t) => {
  const console = await openTestConsole(t, samlSettings({ ORGANIZATIONS_ENABLED: 'true', SCIM_ENABLED: 'true' }));
  const [admin, support, viewer] = [
    await console.signIn('admin', 'ann'),
    await console.signIn('support', 'sue'),
    await console.signIn('viewer', 'vic'),
  ];
  const { join, found } = actWith(console);
  const provider = await admin.post('/api/sso-providers', { metadata_xml: openFakeIdp().metadata() });
  t.equal(provider.status, 201);
  const organization = await found(await join());

  for (const [place, path, unknown, code] of [
    [
      'a company',
      `/api/sso-providers/${provider.body.id}`,
      `/api/sso-providers/${randomUUID()}`,
      'sso_provider_not_found',
    ],
    [
      'an organization',
      `/api/organizations/${organization}`,
      `/api/organizations/${randomUUID()}`,
      'organization_not_found',
    ],
  ] as const) {
    await t.test(`tokens of ${place}`, async (t) => {
      const all = `${path}/scim-tokens`;
      t.same((await viewer.get(all)).body, { base_url: 'http://localhost:9999/scim/v2', tokens: [] });
      t.match(await support.post(all, { name: 'Okta' }), refusal(403, 'operator_role'));
      await forgetStepUps(console);
      t.match(await admin.post(all, { name: 'Okta' }), refusal(403, 'operator_step_up'));
      await stepUpAgain(admin);
      t.match(await admin.post(all, { expires_at: '2020-01-01T00:00:00Z' }), refusal(400, 'validation_failed'));
      const expires_at = new Date(Date.now() + 86_400_000).toISOString();
      const made = await admin.post(all, { name: 'Okta', expires_at, reason: 'ticket 1' });
      t.match(made, { status: 201, body: { name: 'Okta', last_used_at: null, token: /^lks_/ } });
      const { id, token } = made.body;
      noteSecrets({ secret: token });
      const list = (await viewer.get(all)).body.tokens;
      t.match(list, [{ id, name: 'Okta' }]);
      t.notMatch(JSON.stringify(list), token);
      const call = () => console.call('GET', '/scim/v2/Users?count=0', { bearer: token });
      t.equal((await call()).status, 200);
      t.match(await admin.post(all, {}), { status: 201 });
      t.match(await admin.post(all, {}), refusal(422, 'too_many_scim_tokens'));

      t.match(await support.call('DELETE', `${all}/${id}`), refusal(403, 'operator_role'));
      t.equal((await admin.call('DELETE', `${all}/${id}`, { body: { reason: 'ticket 2' } })).status, 204);
      t.match(await admin.call('DELETE', `${all}/${id}`), refusal(404, 'scim_token_not_found'));
      t.equal((await call()).status, 401);
      t.match(await viewer.get(`${unknown}/scim-tokens`), refusal(404, code));
      t.match(await admin.post(`${unknown}/scim-tokens`, {}), refusal(404, code));
      const { rows } = await console.database.admin.query(
        "select payload from audit_log where payload->>'action' like 'scim_token_%' and payload->'traits'->>'reason' is not null order by created_at desc limit 2",
      );
      t.equal(rows.length, 2);
    });
  }
});

t.test('the last calls of each scope: what they changed, and why they failed', async (t) => {
  const console = await openTestConsole(t, samlSettings({ ORGANIZATIONS_ENABLED: 'true', SCIM_ENABLED: 'true' }));
  const [admin, viewer] = [await console.signIn('admin'), await console.signIn('viewer')];
  const provider = await admin.post('/api/sso-providers', { metadata_xml: openFakeIdp().metadata() });
  const path = `/api/sso-providers/${provider.body.id}`;
  const { token } = (await admin.post(`${path}/scim-tokens`, { name: 'Okta' })).body;
  noteSecrets({ secret: token });
  const scim = (method: string, at: string, body?: unknown) =>
    console.call(method, `/scim/v2${at}`, { bearer: token, ...(body !== undefined && { body }) });
  const callsOf = async (browser = viewer) => (await browser.get(`${path}/scim-calls`)).body.calls;
  t.same((await viewer.get(`${path}/scim-calls`)).body, { is_recording: true, calls: [] });

  const email = 'ada@private.example';
  const made = await scim('POST', '/Users', {
    schemas: [USER],
    userName: email,
    name: { givenName: 'Ada' },
    active: true,
  });
  t.equal(made.status, 201);
  const id: string = made.body.id;
  await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}`);
  const operations = [
    { op: 'Replace', path: 'active', value: 'False' },
    { op: 'add', path: 'emails[type eq "work"].value', value: email },
    { op: 'add', value: { nickName: email } },
  ];
  t.equal((await scim('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: operations })).status, 200);
  t.equal((await scim('POST', '/Users', { schemas: [USER], userName: email })).status, 409);
  await scim('GET', `/Users/${email}`);
  await scim('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: [{ op: 'jump', value: { active: false } }] });
  await console.call('GET', '/scim/v2/Users', { bearer: `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}` });
  await until(async () => (await callsOf()).length >= 6);
  const calls = await callsOf();
  t.match(calls, [
    {
      method: 'PATCH',
      status: 400,
      scim_type: 'invalidSyntax',
      detail: 'op must be add, remove or replace',
      changes: [],
    },
    { method: 'GET', path: '/Users/…', status: 404, scim_type: null, resource_id: null },
    { method: 'POST', status: 409, scim_type: 'uniqueness', detail: /userName/, changes: ['userName'] },
    {
      method: 'PATCH',
      path: `/Users/${id}`,
      status: 200,
      changes: ['replace active false', 'add emails[type eq "…"].value', 'add nickName'],
      resource_id: id,
    },
    { method: 'GET', path: '/Users?filter=userName eq "…"', status: 200, detail: null, resource_id: null },
    {
      method: 'POST',
      path: '/Users',
      status: 201,
      token_name: 'Okta',
      changes: ['userName', 'name', 'active true'],
      resource_id: id,
    },
  ]);
  t.equal(calls.length, 6, 'a call without a token belongs to no scope');
  t.notMatch(JSON.stringify(calls), email);
  t.match(await viewer.get(`/api/sso-providers/${randomUUID()}/scim-calls`), refusal(404, 'sso_provider_not_found'));

  const group = { schemas: [GROUP], displayName: 'Engineers', members: [{ value: id }] };
  t.equal((await scim('POST', '/Groups', group)).status, 201);
  const { body: shown } = await viewer.get(`/api/users/${id}`);
  t.match(shown.provisioned, [
    { provider_id: provider.body.id, organization_id: null, user_name: email, active: false, groups: ['Engineers'] },
  ]);
  t.ok(shown.companies[`sso:${provider.body.id}`]);

  await console.database.admin.query(
    `insert into scim_calls (scope_id, called_at, request_id, token_name, method, path, status, changes)
     select $1, now() - interval '1 hour', n, '', 'GET', '/Users', 200, '{}' from generate_series(1, 300) n`,
    [provider.body.id],
  );
  await scim('DELETE', `/Users/${id}`);
  const stored = async () =>
    (await console.database.admin.query('select method from scim_calls order by called_at desc')).rows;
  await until(async () => (await stored())[0].method === 'DELETE' && (await stored()).length <= 200);
  t.equal((await stored()).length, 200);
  t.equal((await admin.call('DELETE', path)).status, 204);
  t.same(await stored(), [], 'they go with the provider');
});

t.test('without provisioning there are none', async (t) => {
  const console = await openTestConsole(t, samlSettings({ ORGANIZATIONS_ENABLED: 'true' }));
  const viewer = await console.signIn('viewer');
  for (const path of ['sso-providers', 'organizations']) {
    t.match(await viewer.get(`/api/${path}/${randomUUID()}/scim-tokens`), refusal(404, 'feature_disabled'));
  }
});
