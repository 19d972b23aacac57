/** The console makes, shows and ends tokens of provisioning, of companies and of organizations. */
import { randomUUID } from 'node:crypto';
import { forgetStepUps, openTestConsole, stepUpAgain } from '../support/console.js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { actWith } from '../support/organizations.js';
import { samlSettings } from '../support/saml-flow.js';
import { noteSecrets } from '../support/secret-search.js';
import { t } from '../support/tap.js';

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

t.test('without provisioning there are none', async (t) => {
  const console = await openTestConsole(t, samlSettings({ ORGANIZATIONS_ENABLED: 'true' }));
  const viewer = await console.signIn('viewer');
  for (const path of ['sso-providers', 'organizations']) {
    t.match(await viewer.get(`/api/${path}/${randomUUID()}/scim-tokens`), refusal(404, 'feature_disabled'));
  }
});
