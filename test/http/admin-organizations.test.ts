import { randomUUID } from 'node:crypto';
import { asAdmin } from '../support/admin.js';
import { actWith, openOrganizationServer, type Person } from '../support/organizations.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const refusal = (status: number, error_code: string, msg: RegExp = /./) => ({ status, body: { error_code, msg } });
const invalid = refusal(400, 'validation_failed');
const ROLES = '/admin/organization-roles';
const ALL = '/admin/organizations';

t.test('roles of the installation', async (t) => {
  const server = await openOrganizationServer(t);
  const admin = asAdmin(server);
  const { as, join, found, addMember, activate, refresh, database } = server;
  const owner = await join();
  const id = await found(owner);
  const person = await join();
  await addMember(id, person);
  await activate(person, id);
  const path = `/organizations/${id}/members/${person.id}`;

  await t.test('built-in ones are there from the start', async (t) => {
    const { roles } = (await admin('GET', ROLES)).body;
    t.match(roles, [
      { name: 'owner', built_in: true },
      { name: 'admin', built_in: true },
      { name: 'member', built_in: true, permissions: ['members:read', 'organization:read'] },
    ]);
    t.equal(roles.length, 3);
    t.match(await admin('DELETE', `${ROLES}/admin`), invalid);
    t.match(await admin('PUT', `${ROLES}/owner`, { permissions: ['a'] }), invalid);
    t.match(await admin('POST', ROLES, { name: 'admin' }), refusal(409, 'role_exists'));
  });

  await t.test('an own role is given, and in the next token', async (t) => {
    const editor = { name: 'editor', description: 'Writes', permissions: ['docs:write', 'docs:read', 'docs:read'] };
    const created = await admin('POST', ROLES, editor);
    t.match(created, { status: 201, body: { ...editor, permissions: ['docs:read', 'docs:write'], built_in: false } });
    t.match(await admin('POST', ROLES, editor), refusal(409, 'role_exists'));
    t.match(await as(owner, 'PATCH', path, { roles: ['member', 'editor'] }), { status: 200 });
    t.match(await refresh(person), {
      org_roles: ['editor', 'member'],
      org_permissions: ['docs:read', 'docs:write', 'members:read', 'organization:read'],
    });
    t.ok(
      ((await activate(owner, id))['org_permissions'] as string[]).includes('docs:write'),
      'an owner may everything',
    );
    t.match(await admin('PUT', `${ROLES}/editor`, { permissions: ['docs:read'] }), {
      status: 200,
      body: { description: 'Writes', permissions: ['docs:read'] },
    });
    t.match(await refresh(person), { org_permissions: ['docs:read', 'members:read', 'organization:read'] });
  });

  await t.test('a role may have the name of what every object has', async (t) => {
    t.match(await admin('POST', ROLES, { name: 'constructor', permissions: [] }), { status: 201 });
    t.equal((await admin('GET', ROLES)).status, 200);
    t.match(await admin('PUT', `${ROLES}/constructor`, { permissions: ['docs:build'] }), { status: 200 });
    t.match(await as(owner, 'PATCH', path, { roles: ['member', 'constructor'] }), { status: 200 });
    t.ok(((await refresh(person))['org_permissions'] as string[]).includes('docs:build'));
    t.match(await as(owner, 'PATCH', path, { roles: ['member', 'editor'] }), { status: 200 });
    t.equal((await admin('DELETE', `${ROLES}/constructor`)).status, 204);
    t.match(await admin('PUT', `${ROLES}/constructor`, { permissions: [] }), refusal(404, 'role_not_found'));
  });

  await t.test('what another process has changed is followed', async (t) => {
    await database.admin.query(`update organization_roles set permissions = '{docs:sign}' where name = 'editor'`);
    await until(async () => ((await refresh(person))['org_permissions'] as string[]).includes('docs:sign'));
    t.pass('within seconds');
  });

  await t.test('built-in roles may be given more', async (t) => {
    const put = await admin('PUT', `${ROLES}/member`, { permissions: ['billing:read'] });
    t.match(put, { status: 200, body: { permissions: ['billing:read', 'members:read', 'organization:read'] } });
    t.ok(((await refresh(person))['org_permissions'] as string[]).includes('billing:read'));
    await admin('PUT', `${ROLES}/member`, { permissions: [] });
    t.notOk(((await refresh(person))['org_permissions'] as string[]).includes('billing:read'));
  });

  await t.test('nobody gives what he does not have', async (t) => {
    await admin('POST', ROLES, { name: 'manager', permissions: ['members:manage', 'members:read'] });
    const manager = await join();
    await addMember(id, manager, 'manager');
    t.match(
      await as(manager, 'PATCH', path, { roles: ['member', 'admin'] }),
      refusal(403, 'organization_permission_missing'),
    );
    const reader = { roles: ['editor', 'member', 'manager'] };
    t.match(await as(manager, 'PATCH', path, reader), { status: 200 }, 'what the member has already is not given');
    const plain = await join();
    await addMember(id, plain);
    t.match(
      await as(manager, 'PATCH', `/organizations/${id}/members/${plain.id}`, { roles: ['editor'] }),
      refusal(403, 'organization_permission_missing', /docs:sign/),
    );
  });

  await t.test('a role in use is replaced or stays', async (t) => {
    t.match(await admin('DELETE', `${ROLES}/editor`), refusal(409, 'role_in_use'));
    for (const other of ['editor', 'owner', 'nothing']) {
      t.match(await admin('DELETE', `${ROLES}/editor?replace_with=${other}`), invalid, other);
    }
    t.match((await admin('DELETE', `${ROLES}/editor?replace_with=nope`)).body.msg, /a role that there is not/);
    t.equal((await admin('DELETE', `${ROLES}/editor?replace_with=member`)).status, 204);
    t.same((await refresh(person))['org_roles'], ['manager', 'member']);
    t.match(await admin('DELETE', `${ROLES}/editor`), refusal(404, 'role_not_found'));
    t.match(await as(owner, 'PATCH', path, { roles: ['editor'] }), refusal(404, 'role_not_found'));
  });

  await t.test('what gives a role later keeps it, or gives the other one', async (t) => {
    const { rows } = await database.admin.query(
      'insert into scim_scopes (id, organization_id) values ($1, $1) returning id',
      [id],
    );
    t.equal(rows.length, 1);
    const mapping = JSON.stringify([
      { attribute: 'b', value: 'b', roles: ['admin'] },
      { attribute: 'a', value: 'a', roles: ['guide', 'manager', 'member'] },
    ]);
    const replaced = [
      { attribute: 'b', value: 'b', roles: ['admin'] },
      { attribute: 'a', value: 'a', roles: ['manager', 'member'] },
    ];
    const saml = `insert into sso_providers (organization_id, entity_id, metadata_xml, metadata, roles, role_mapping)
      values ($1, gen_random_uuid()::text, '', '{"certificates": []}', $2, $3)`;
    const openid = `insert into custom_providers
        (organization_id, identifier, provider_type, settings, sealed_secret, roles, role_mapping)
      values ($1, 'custom:' || gen_random_uuid(), 'oidc', '{}', '', $2, $3)`;
    const guided = ['guide', 'member'];
    const places: [table: string, add: string, values: unknown[], seen: object][] = [
      [
        'organization_domains',
        `insert into organization_domains (organization_id, domain, roles) values ($1, 'guide.example', $2)`,
        [guided],
        { roles: ['manager', 'member'] },
      ],
      [
        'organization_invitations',
        `insert into organization_invitations (id, organization_id, email, roles, expires_at)
         values (gen_random_uuid(), $1, 'guide@guide.example', $2, now() + interval '1 hour')`,
        [guided],
        { roles: ['manager', 'member'] },
      ],
      [
        'scim_group_roles',
        `insert into scim_group_roles (organization_id, group_key, group_name, roles) values ($1, 'a', 'A', $2)`,
        [guided],
        { roles: ['manager', 'member'] },
      ],
      ['sso_providers', saml, [guided, '[]'], { roles: ['manager', 'member'], role_mapping: [], version: 2 }],
      ['sso_providers', saml, [['member'], mapping], { roles: ['member'], role_mapping: replaced, version: 2 }],
      ['custom_providers', openid, [guided, '[]'], { roles: ['manager', 'member'], role_mapping: [], version: 2 }],
      ['custom_providers', openid, [['member'], mapping], { roles: ['member'], role_mapping: replaced, version: 2 }],
    ];
    for (const [table, add, values, seen] of places) {
      t.equal((await admin('POST', ROLES, { name: 'guide' })).status, 201);
      await database.admin.query(add, [id, ...values]);
      t.match(await admin('DELETE', `${ROLES}/guide`), refusal(409, 'role_in_use'), table);
      t.equal((await admin('DELETE', `${ROLES}/guide?replace_with=manager`)).status, 204);
      const { rows } = await database.admin.query(`delete from ${table} where organization_id = $1 returning *`, [id]);
      t.match(rows, [seen], table);
    }

    t.equal((await admin('POST', ROLES, { name: 'guide' })).status, 201);
    await database.admin.query(
      `with person as (
         insert into scim_users (scope_id, user_id, user_name, user_name_key, active, resource, search, owns_account,
           asked_roles, granted_roles)
         values ($1, $2, 'a', 'a', true, '{}', '{}', false, '{guide,member}', '{guide}')
       )
       insert into scim_tokens (scope_id, name, token_hash, reaches_owners, may_give)
       values ($1, 'a', 'a', false, '{guide,member}')`,
      [id, person.id],
    );
    t.equal((await admin('DELETE', `${ROLES}/guide?replace_with=manager`)).status, 204);
    const { rows: provisioned } = await database.admin.query(
      `select s.asked_roles, s.granted_roles, t.may_give
       from scim_users s join scim_tokens t on t.scope_id = s.scope_id where s.scope_id = $1`,
      [id],
    );
    const given = { asked_roles: ['manager', 'member'], granted_roles: ['manager'], may_give: ['member'] };
    t.match(provisioned, [given], 'a token does not give more than before');
  });

  await t.test('members see which roles there are, and which they may give', async (t) => {
    const manager = await join();
    await addMember(id, manager, 'manager');
    const { status, body } = await as(manager, 'GET', `/organizations/${id}/roles`);
    t.equal(status, 200);
    t.match(body.roles, [
      { name: 'owner', may_give: false },
      { name: 'admin', may_give: false },
      { name: 'member', description: '', permissions: ['members:read', 'organization:read'], may_give: false },
      { name: 'manager', permissions: ['members:manage', 'members:read'], may_give: true },
    ]);
    t.same(Object.keys(body.roles[0]), ['name', 'description', 'permissions', 'may_give']);
    const seen = async (who: Person) =>
      (await as(who, 'GET', `/organizations/${id}/roles`)).body.roles
        .filter(({ may_give }: { may_give: boolean }) => may_give)
        .map(({ name }: { name: string }) => name);
    t.same(await seen(owner), ['owner', 'admin', 'member', 'manager']);
    const plain = await join();
    await addMember(id, plain);
    t.same(await seen(plain), []);
    for (const { name, may_give } of body.roles) {
      const given = await as(manager, 'PATCH', `/organizations/${id}/members/${plain.id}`, { roles: ['member', name] });
      // What the member has already is not given.
      t.equal(given.status === 200, may_give || name === 'member', name);
    }
  });

  await t.test('names and limits', async (t) => {
    for (const body of [
      { name: '' },
      { name: 'Upper' },
      { name: 'a'.repeat(41) },
      { name: 'a', permissions: ['x y'] },
      { name: 'a', permissions: [`a${'b'.repeat(64)}`] },
      { name: 'a', permissions: Array.from({ length: 129 }, (_, i) => `p${i}`) },
      { name: 'a', description: 'x'.repeat(501) },
    ]) {
      t.match(await admin('POST', ROLES, body), invalid, JSON.stringify(body).slice(0, 60));
    }
    const created = await Promise.all(
      Array.from({ length: 63 }, (_, i) =>
        admin('POST', ROLES, {
          name: `r${i}`,
          permissions: Array.from({ length: 9 }, (_, p) => `some.long:r${i}.p${p}`),
        }),
      ),
    );
    t.ok(created.every(({ status }) => status === 201));
    t.match(await admin('POST', ROLES, { name: 'one-more' }), invalid);
    const claims = await activate(owner, id);
    t.equal(claims['org_permissions_truncated'], true, 'more than 4 kB');
    t.notOk('org_permissions' in claims);
    t.match(await as(owner, 'PATCH', `/organizations/${id}`, { name: 'Still' }), { status: 200 }, 'but it counts here');
  });
});

t.test('organizations for administrators', async (t) => {
  const plain = await openTestServer(t, {
    ORGANIZATIONS_ENABLED: 'true',
    ORGANIZATIONS_CREATION: 'admin',
    WEBHOOKS_EVENTS: '*',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  });
  const server = actWith(plain);
  const admin = asAdmin(server);
  const { as, join } = server;
  const owner = await join();
  const make = async (body: object = {}, person: Person = owner) =>
    admin('POST', ALL, { name: 'Acme', owner_id: person.id, ...body });

  await t.test('only they create them', async (t) => {
    t.match(await as(owner, 'POST', '/organizations', { name: 'x' }), refusal(403, 'organization_creation_disabled'));
    t.match(await as(owner, 'GET', ALL), refusal(403, 'not_admin'));
    const created = await make({ slug: 'acme', max_members: 3 });
    t.match(created, { status: 201, body: { name: 'Acme', slug: 'acme', max_members: 3 } });
    const { id } = created.body;
    t.match((await as(owner, 'GET', '/organizations')).body.organizations, [{ id, roles: ['owner'] }]);
    t.same((await admin('GET', `${ALL}/${id}`)).body, created.body);
    t.match(await admin('PUT', `${ALL}/${id}`, { name: 'Other', max_members: -1 }), {
      status: 200,
      body: { name: 'Other', slug: 'acme', max_members: null },
    });
    t.match(await make({ owner_id: randomUUID() }), refusal(404, 'user_not_found'));
    for (const owner_id of ['x', undefined]) {
      t.match(await make({ owner_id }), refusal(400, 'validation_failed', /^owner_id /));
    }
    const nameless = (await server.post('/signup', {})).body.user.id;
    t.match(await make({ owner_id: nameless }), refusal(403, 'organization_creation_disabled', /anonymous/));
    t.match(await admin('PUT', `${ALL}/${id}`, { max_members: -2 }), invalid);
    t.match(
      await admin('PUT', `${ALL}/${id}`, { slug: randomUUID() }),
      refusal(400, 'validation_failed', /form of an id/),
    );
    t.match(await admin('GET', `${ALL}/${randomUUID()}`), refusal(404, 'organization_not_found'));
    t.equal((await admin('DELETE', `${ALL}/${id}`)).status, 204);
    t.same((await as(owner, 'GET', '/organizations')).body.organizations, []);
  });

  await t.test('members', async (t) => {
    const { id } = (await make({ max_members: 4 })).body;
    const members = `${ALL}/${id}/members`;
    t.match(await admin('POST', members, {}), refusal(400, 'validation_failed', /^user_id /));
    const nameless = (await server.post('/signup', {})).body.user.id;
    t.match(await admin('POST', members, { user_id: nameless }), refusal(400, 'validation_failed', /anonymous/));
    const people = await Promise.all(Array.from({ length: 8 }, () => join()));
    const added = await Promise.all(people.map(({ id: user_id }) => admin('POST', members, { user_id })));
    t.equal(added.filter(({ status }) => status === 201).length, 3, 'the limit holds at once');
    t.match(
      added.find(({ status }) => status !== 201),
      refusal(422, 'too_many_members', /4/),
    );
    const [first] = (await admin('GET', `${members}?search=${people[0]!.email}`)).body.members;
    const known = first ?? added.find(({ status }) => status === 201)!.body;
    t.match(known, { roles: ['member'], via: 'admin' });
    const path = `${members}/${known.user.id}`;
    t.match(await admin('POST', members, { user_id: known.user.id }), refusal(409, 'already_a_member'));
    t.match(await admin('POST', members, { user_id: randomUUID() }), { status: 404 });
    t.match(await admin('PATCH', path, { roles: ['admin'] }), { status: 200, body: { roles: ['admin'] } });
    t.match(await admin('PATCH', `${members}/${owner.id}`, { roles: ['member'] }), refusal(409, 'last_owner'));
    t.match(await admin('DELETE', `${members}/${owner.id}`), refusal(409, 'last_owner'));
    t.equal((await admin('DELETE', path)).status, 204);
    t.match(await admin('DELETE', path), refusal(404, 'member_not_found'));
    const { organizations } = (await admin('GET', `/admin/users/${owner.id}/organizations`)).body;
    t.match(organizations, [{ id, roles: ['owner'], via: 'admin', max_members: 4 }]);
    t.match(await admin('GET', `/admin/users/${randomUUID()}/organizations`), refusal(404, 'user_not_found'));
  });

  await t.test('the list and its search', async (t) => {
    await server.database.admin.query(
      `insert into organizations (name, slug, created_at)
       select case when n % 2 = 0 then 'Zeta ' || n else 'zeta-' || n end, 'zeta-' || n, now() - n * interval '1 second'
       from generate_series(1, 25) n`,
    );
    const collect = async (query: string) => {
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { organizations: { id: string }[]; next_cursor: string | null } = (
          await admin('GET', `${ALL}?limit=4&${query}&cursor=${cursor}`)
        ).body;
        ids.push(...page.organizations.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      t.equal(new Set(ids).size, ids.length, 'each once');
      return ids.length;
    };
    t.equal(await collect('search=zeta'), 25);
    t.equal(await collect('search=ZETA%202'), 4, 'by name');
    t.equal(await collect(''), 26);
    t.match(await admin('GET', `${ALL}?search=a&cursor=x`), invalid);
  });

  await t.test('events and audit entries', async (t) => {
    const events = async () =>
      (await admin('GET', '/admin/events?limit=1000')).body.events.filter(({ type }: { type: string }) =>
        type.startsWith('organization.'),
      );
    await until(async () =>
      (await events()).some(({ type }: { type: string }) => type === 'organization.member_removed'),
    );
    const all = await events();
    const types = new Set(all.map(({ type }: { type: string }) => type));
    t.same([...types].sort(), [
      'organization.created',
      'organization.deleted',
      'organization.member_added',
      'organization.member_removed',
      'organization.member_updated',
      'organization.updated',
    ]);
    const [created] = all;
    t.match(created, {
      type: 'organization.created',
      data: { organization_id: String, name: 'Acme', slug: 'acme', actor: { type: 'admin' } },
    });
    const { rows } = await server.database.admin.query(
      `select distinct payload ->> 'action' as action from audit_log
       where payload -> 'traits' ? 'organization_id' order by action`,
    );
    t.same(
      rows.map(({ action }) => action),
      [...types].sort(),
    );
  });
});
