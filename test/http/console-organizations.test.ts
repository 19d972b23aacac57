/** The console manages organizations, their members and roles, by the rules for administrators; every deed has its audit entry. */
import { randomUUID } from 'node:crypto';
import { openTestConsole } from '../support/console.js';
import { openDns } from '../support/dns-server.js';
import { actWith } from '../support/organizations.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const refusal = (status: number, error_code: string) => ({ status, body: { error_code } });

t.test('organizations in the console', async (t) => {
  const console = await openTestConsole(t, {
    ORGANIZATIONS_ENABLED: 'true',
    SMTP_MAX_FREQUENCY: '0',
    DNS_SERVERS: await openDns(t, {}),
  });
  const { join, as, found } = actWith(console);
  const [admin, support, viewer] = [
    await console.signIn('admin', 'ann'),
    await console.signIn('support', 'sue'),
    await console.signIn('viewer', 'vic'),
  ];
  const [owner, person] = [await join(), await join()];
  const made = await admin.post('/api/organizations', {
    name: 'Acme Ltd',
    owner_id: owner.id,
    max_members: 2,
    metadata: { plan: 'a' },
    reason: 'ticket 1',
  });
  const { id } = made.body;
  const path = `/api/organizations/${id}`;
  const members = `${path}/members`;

  await t.test('one: created, listed, found, changed', async (t) => {
    t.match(made, {
      status: 201,
      body: { name: 'Acme Ltd', slug: 'acme-ltd', max_members: 2, metadata: { plan: 'a' } },
    });
    t.same((await viewer.get(path)).body, made.body);
    t.match((await viewer.get('/api/organizations')).body, { organizations: [{ id }], next_cursor: null });
    t.match((await viewer.get('/api/organizations?search=acm')).body.organizations, [{ id }]);
    t.same((await viewer.get('/api/organizations?search=x')).body.organizations, []);
    const changed = await support.call('PUT', path, { body: { name: 'Acme', slug: 'acme', reason: 'ticket 2' } });
    t.match(changed, { status: 200, body: { name: 'Acme', slug: 'acme', max_members: 2 } });
    t.match((await support.call('PUT', path, { body: { max_members: -1 } })).body, { max_members: null });
    t.match(await support.call('PUT', path, { body: { slug: 'admin' } }), refusal(400, 'validation_failed'));
    t.match(await viewer.get(`/api/organizations/${randomUUID()}`), refusal(404, 'organization_not_found'));
    t.match(
      await admin.post('/api/organizations', { name: 'x', owner_id: randomUUID() }),
      refusal(404, 'user_not_found'),
    );
  });

  await t.test('its members', async (t) => {
    const added = await support.post(members, { user_id: person.id, roles: ['admin'], reason: 'ticket 3' });
    t.match(added, { status: 201, body: { user: { id: person.id }, roles: ['admin'], via: 'admin' } });
    t.match(await support.post(members, { user_id: person.id }), refusal(409, 'already_a_member'));
    t.match((await viewer.get(members)).body.members, [{ user: { id: owner.id } }, { user: { id: person.id } }]);
    t.match((await viewer.get(`${members}?role=owner`)).body.members, [{ user: { id: owner.id } }]);
    const own = `${members}/${person.id}`;
    t.match(await support.call('PUT', own, { body: { roles: ['member'] } }), {
      status: 200,
      body: { roles: ['member'] },
    });
    t.match(await support.call('DELETE', `${members}/${owner.id}`), refusal(409, 'last_owner'));
    t.match((await viewer.get(`/api/users/${person.id}`)).body, { organizations: 1 });
    t.match((await viewer.get(`/api/users/${person.id}/organizations`)).body, {
      organizations: [{ id, roles: ['member'], via: 'admin' }],
      next_cursor: null,
    });
    t.equal((await support.call('DELETE', own, { body: { reason: 'left' } })).status, 204);
    t.match(await support.call('DELETE', own), refusal(404, 'member_not_found'));
  });

  await t.test('its policies', async (t) => {
    const put = (policies: object) => admin.call('PUT', `${path}/policies`, { body: { policies, reason: 'ticket 5' } });
    t.match(await put({ require_aal2: true, allowed_domains: ['acme.example'] }), {
      status: 200,
      body: { id, policies: { require_aal2: true, require_sso: false, allowed_domains: ['acme.example'] } },
    });
    t.match(await put({ require_anything: true }), refusal(400, 'validation_failed'));
    t.match((await put({ require_aal2: false })).body.policies, {
      require_aal2: false,
      allowed_domains: ['acme.example'],
    });
  });

  await t.test('its invitations', async (t) => {
    const all = `${path}/invitations`;
    const [one, other] = [freshEmail(), freshEmail()];
    const sent = await support.post(all, { emails: [one, owner.email, other], roles: ['admin'], reason: 'ticket 6' });
    t.match(sent, {
      status: 200,
      body: {
        invitations: [
          { email: one, invitation: { roles: ['admin'], invited_by: null } },
          { email: owner.email, error_code: 'already_a_member' },
          { email: other, invitation: { roles: ['admin'] } },
        ],
      },
    });
    const [{ invitation }, , { invitation: newest }] = sent.body.invitations;
    const first = await viewer.get(`${all}?limit=1`);
    t.same(first.body.invitations, [newest]);
    const rest = await viewer.get(`${all}?cursor=${first.body.next_cursor}`);
    t.same(rest.body, { invitations: [invitation], next_cursor: null });
    t.match(await support.post(`${all}/${invitation.id}/resend`, { reason: 'lost' }), { body: { id: invitation.id } });
    t.equal((await support.call('DELETE', `${all}/${invitation.id}`, { body: { reason: 'wrong' } })).status, 204);
    t.match(await support.call('DELETE', `${all}/${invitation.id}`), refusal(404, 'invitation_not_found'));
    t.match(await support.post(all, { emails: [] }), refusal(400, 'validation_failed'));
    t.match(await viewer.get(`/api/organizations/${randomUUID()}/invitations`), refusal(404, 'organization_not_found'));
  });

  await t.test('its domains', async (t) => {
    const all = `${path}/domains`;
    const own = `${all}/acme.example`;
    await as(owner, 'POST', `/organizations/${id}/domains`, { domain: 'acme.example' });
    t.match((await viewer.get(all)).body.domains, [{ domain: 'acme.example', status: 'pending' }]);
    t.match(await admin.post(`${own}/verify`), refusal(422, 'domain_record_missing'));
    const vouched = await admin.call('PUT', own, { body: { verified: true, auto_join: true, reason: 'ticket 7' } });
    t.match(vouched, { status: 200, body: { status: 'verified', auto_join: true, roles: ['member'] } });
    t.match(await admin.post(all, { domain: 'gmail.com' }), refusal(400, 'validation_failed'));
    t.match(await admin.post(all, { domain: 'acme.test', roles: ['owner'] }), refusal(400, 'validation_failed'));
    t.match(await admin.post(all, { domain: 'acme.test', verified: true, reason: 'ticket 8' }), {
      status: 201,
      body: { domain: 'acme.test', status: 'verified' },
    });
    t.equal((await admin.call('DELETE', `${all}/acme.test`, { body: { reason: 'sold' } })).status, 204);
    t.match(await admin.call('DELETE', `${all}/acme.test`), refusal(404, 'domain_not_found'));
  });

  await t.test('its identity providers', async (t) => {
    t.same((await viewer.get(`${path}/sso-providers`)).body, { providers: [], openid: [] });
    await console.database.admin.query(
      `insert into sso_providers (organization_id, entity_id, metadata_xml, metadata)
       values ($1, 'https://acme.example', '', '{"certificates": []}'), (null, 'https://other.example', '', '{"certificates": []}')`,
      [id],
    );
    await console.database.admin.query(
      `insert into custom_providers (id, identifier, provider_type, settings, sealed_secret, organization_id)
       values (gen_random_uuid(), 'custom:acme', 'oidc', '{"name": "Acme", "enabled": true}', 'sealed', $1),
         (gen_random_uuid(), 'custom:other', 'oidc', '{"name": "Other", "enabled": true}', 'sealed', null)`,
      [id],
    );
    const { body } = await viewer.get(`${path}/sso-providers`);
    t.match(body.openid, [{ identifier: 'custom:acme', name: 'Acme', enabled: true, organization_id: id }]);
    t.equal(body.openid.length, 1);
    t.notMatch(JSON.stringify(body), 'sealed');
    t.match(body.providers, [{ organization_id: id, saml: { entity_id: 'https://acme.example' } }]);
    t.equal(body.providers.length, 1, 'no other one');
    t.match(
      await viewer.get(`/api/organizations/${randomUUID()}/sso-providers`),
      refusal(404, 'organization_not_found'),
    );
  });

  await t.test('roles of the installation', async (t) => {
    const all = '/api/organization-roles';
    const editor = { name: 'editor', permissions: ['docs:write'], description: 'Writes' };
    t.match(await admin.post(all, { ...editor, reason: 'ticket 4' }), { status: 201, body: editor });
    t.match(await admin.post(all, editor), refusal(409, 'role_exists'));
    const { body } = await viewer.get(all);
    t.match(body.roles, [{ name: 'owner' }, { name: 'admin' }, { name: 'member' }, { name: 'editor' }]);
    t.ok(body.known_permissions.includes('audit:read'));
    t.match(await admin.call('PUT', `${all}/editor`, { body: { permissions: [] } }), { body: { permissions: [] } });
    await support.post(members, { user_id: person.id, roles: ['editor'] });
    t.match(await admin.call('DELETE', `${all}/editor`), refusal(409, 'role_in_use'));
    t.equal((await admin.call('DELETE', `${all}/editor`, { body: { replace_with: 'member' } })).status, 204);
    t.match((await viewer.get(`${members}?search=${person.email}`)).body.members, [{ roles: ['member'] }]);
  });

  await t.test('what a role may not is refused', async (t) => {
    for (const [who, method, where] of [
      [viewer, 'PUT', path],
      [viewer, 'POST', members],
      [viewer, 'POST', `${path}/invitations`],
      [viewer, 'DELETE', `${path}/invitations/${randomUUID()}`],
      [support, 'PUT', `${path}/policies`],
      [support, 'POST', `${path}/domains`],
      [support, 'PUT', `${path}/domains/acme.example`],
      [support, 'DELETE', `${path}/domains/acme.example`],
      [support, 'POST', `${path}/domains/acme.example/verify`],
      [support, 'POST', '/api/organizations'],
      [support, 'DELETE', path],
      [support, 'POST', '/api/organization-roles'],
    ] as const) {
      t.match(await who.call(method, where, { body: {} }), refusal(403, 'operator_role'), `${method} ${where}`);
    }
  });

  await t.test('every deed says who, in which request, and why', async (t) => {
    const { rows } = await console.database.admin.query(
      `select payload from audit_log where payload #>> '{traits,operator,name}' in ('ann', 'sue')
         and (payload ->> 'action' like 'organization%') order by created_at`,
    );
    const seen = rows.map(({ payload }) => [payload.actor_username, payload.action, payload.traits.reason]);
    t.same(seen, [
      ['ann', 'organization.created', 'ticket 1'],
      ['sue', 'organization.updated', 'ticket 2'],
      ['sue', 'organization.updated', undefined],
      ['sue', 'organization.member_added', 'ticket 3'],
      ['sue', 'organization.member_updated', undefined],
      ['sue', 'organization.member_removed', 'left'],
      ['ann', 'organization.updated', 'ticket 5'],
      ['ann', 'organization.updated', 'ticket 5'],
      ['sue', 'organization.invitation_created', 'ticket 6'],
      ['sue', 'organization.invitation_created', 'ticket 6'],
      ['sue', 'organization.invitation_resent', 'lost'],
      ['sue', 'organization.invitation_revoked', 'wrong'],
      ['ann', 'organization.updated', 'ticket 7'],
      ['ann', 'organization.domain_verified', 'ticket 7'],
      ['ann', 'organization.domain_verified', 'ticket 8'],
      ['ann', 'organization.domain_lost', 'sold'],
      ['ann', 'organization_role_created', 'ticket 4'],
      ['ann', 'organization_role_updated', undefined],
      ['sue', 'organization.member_added', undefined],
      ['ann', 'organization_role_deleted', undefined],
    ]);
    t.ok(rows.every(({ payload }) => payload.traits.request_id));
  });

  await t.test('the account of its only owner', async (t) => {
    const remove = (body: object) =>
      admin.call('DELETE', `/api/users/${lonely.id}`, { body: { typed: lonely.email, ...body } });
    const lonely = await join();
    const ownId = await found(lonely, 'Lonely');
    await support.post(`/api/organizations/${ownId}/members`, { user_id: person.id });
    t.match(await remove({}), refusal(409, 'last_owner'));
    t.match(await remove({ organizations: 'anything' }), refusal(400, 'bad_json'));
    t.equal((await remove({ organizations: 'keep' })).status, 204);
    t.match((await viewer.get(`/api/organizations/${ownId}/members`)).body.members, [{ user: { id: person.id } }]);
    t.equal((await admin.call('DELETE', `/api/organizations/${ownId}`)).status, 204);
  });

  await t.test('deleted; accounts stay', async (t) => {
    const otherId = await found(owner, 'Other');
    t.equal((await admin.call('DELETE', path, { body: { reason: 'gone' } })).status, 204);
    t.match(await viewer.get(path), refusal(404, 'organization_not_found'));
    t.match((await viewer.get('/api/organizations')).body.organizations, [{ id: otherId }]);
    t.equal((await viewer.get(`/api/users/${owner.id}`)).status, 200);
  });
});

t.test('without organizations the console says that they are off', async (t) => {
  const console = await openTestConsole(t);
  const viewer = await console.signIn('viewer');
  const { body } = await console.post('/signup', { email: 'a@example.com', password: 'correct horse battery' });
  for (const path of ['/api/organizations', '/api/organization-roles', `/api/users/${body.user.id}/organizations`]) {
    t.match(await viewer.get(path), refusal(404, 'feature_disabled'), path);
  }
  t.equal((await viewer.get(`/api/users/${body.user.id}`)).body.organizations, null);
});
