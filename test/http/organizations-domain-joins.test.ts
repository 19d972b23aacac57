/** Who has proven an address of a domain of an organization joins it at the next sign-in, where the organization wants that. */
import { randomUUID } from 'node:crypto';
import { asAdmin } from '../support/admin.js';
import { openExternalFlow } from '../support/external-flow.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { actWith, type OrganizationServer, openOrganizationServer, readPayload } from '../support/organizations.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const at = (domain: string): string => freshEmail().replace(/@.*/, `@${domain}`);

/** What an organization has on a server: its domain counts, and its people join by it. */
async function addJoinDomain(server: OrganizationServer, id: string, domain: string, fields: object = {}) {
  const body = { domain, auto_join: true, verified: true, ...fields };
  const added = await asAdmin(server)('POST', `/admin/organizations/${id}/domains`, body);
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  return added.body;
}

/** @returns claims of the access token of a sign-in */
async function signIn({ post }: OrganizationServer, email: string, more: object = {}) {
  const { status, body } = await post('/token?grant_type=password', { email, password, ...more });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return readPayload(body.access_token);
}

/** @returns id of an account whose address an administrator has confirmed */
async function addAccount(server: OrganizationServer, email: string): Promise<string> {
  const { status, body } = await asAdmin(server)('POST', '/admin/users', { email, password, email_confirm: true });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}

t.test('an address of a domain', async (t) => {
  const server = await openOrganizationServer(t, { ORGANIZATIONS_MAX_OWNED: '100' });
  const { as, call, join, found, post, addMember, database } = server;
  const admin = asAdmin(server);
  const owner = await join();
  const id = await found(owner);
  const path = `/organizations/${id}`;
  const membersOf = async (organizationId: string) => {
    const { rows } = await database.admin.query(
      'select user_id, roles, via from organization_members where organization_id = $1',
      [organizationId],
    );
    return new Map(rows.map(({ user_id, roles, via }) => [user_id, { roles, via }]));
  };

  await t.test('what everybody may register is refused', async (t) => {
    for (const domain of ['co.uk', 'github.io', 'com.br', 'kawasaki.jp', 's3.amazonaws.com', 'GITHUB.io.', 'com']) {
      const refused = { status: 400, body: { error_code: 'validation_failed' } };
      t.match(await as(owner, 'POST', `${path}/domains`, { domain }), refused, domain);
      t.match(await admin('POST', `/admin${path}/domains`, { domain, verified: true }), refused, domain);
    }
    for (const domain of ['acme.co.uk', 'acme.github.io', 'sub.acme.example']) {
      const added = await as(owner, 'POST', `${path}/domains`, { domain });
      t.match(added, { status: 201, body: { domain, auto_join: false, roles: ['member'], status: 'pending' } });
      t.equal((await as(owner, 'DELETE', `${path}/domains/${domain}`)).status, 204);
    }
  });

  await t.test('joins with the roles of the domain, once it counts', async (t) => {
    const email = at('acme.example');
    const userId = await addAccount(server, email);
    t.equal((await as(owner, 'POST', `${path}/domains`, { domain: 'acme.example', auto_join: true })).status, 201);
    t.notOk('org_id' in (await signIn(server, email)), 'it is pending');
    const counted = await admin('PATCH', `/admin${path}/domains/acme.example`, { verified: true });
    t.match(counted, { status: 200, body: { status: 'verified', auto_join: true } });
    const claims = await signIn(server, email);
    t.match(claims, { sub: userId, org_id: id, org_roles: ['member'] }, 'and it is active, as the only one');
    t.same((await membersOf(id)).get(userId), { roles: ['member'], via: 'domain' });
    t.match(await signIn(server, email), { org_id: id });
    t.equal((await membersOf(id)).size, 2, 'once');
    const named = at('ACME.example');
    await addAccount(server, named);
    t.match(await signIn(server, named, { organization_id: id }), { org_id: id }, 'a sign-in may name it at once');
    const { rows } = await database.admin.query(
      `select payload -> 'traits' as traits from audit_log
       where payload ->> 'action' = 'organization.member_added' and payload -> 'traits' ->> 'user_id' = $1`,
      [userId],
    );
    t.same(rows, [{ traits: { organization_id: id, user_id: userId, roles: ['member'], via: 'domain' } }]);
    const apart = at('sub.acme.example');
    await addAccount(server, apart);
    t.notOk('org_id' in (await signIn(server, apart)), 'a domain below it is another one');
  });

  await t.test('only once it is proven', async (t) => {
    const email = at('acme.example');
    const { body } = await post('/signup', { email, password });
    t.notOk('org_id' in readPayload(body.access_token), 'autoconfirm proves nothing');
    t.notOk('org_id' in (await signIn(server, email)));
    const { body: link } = await admin('POST', '/admin/generate_link', { type: 'magiclink', email });
    const proven = await post('/verify', { type: 'magiclink', token_hash: link.hashed_token });
    t.match(readPayload(proven.body.access_token), { org_id: id, org_roles: ['member'] }, 'the link proves it');
  });

  await t.test('several sign-ins at once join once', async (t) => {
    const email = at('acme.example');
    const userId = await addAccount(server, email);
    const claims = await Promise.all([1, 2, 3, 4].map(() => signIn(server, email)));
    t.ok(claims.some(({ org_id }) => org_id === id));
    t.same((await membersOf(id)).get(userId), { roles: ['member'], via: 'domain' });
  });

  await t.test('who left or was removed stays out, until invited or added', async (t) => {
    const [left, removed] = [at('acme.example'), at('acme.example')];
    const [leftId, removedId] = [await addAccount(server, left), await addAccount(server, removed)];
    const { body } = await post('/token?grant_type=password', { email: left, password });
    await signIn(server, removed);
    t.equal((await call('DELETE', `${path}/members/${leftId}`, { bearer: body.access_token })).status, 204);
    t.equal((await as(owner, 'DELETE', `${path}/members/${removedId}`)).status, 204);
    for (const email of [left, removed]) t.notOk('org_id' in (await signIn(server, email)), email);
    t.equal((await admin('POST', `/admin${path}/members`, { user_id: removedId })).status, 201);
    t.match(await signIn(server, removed), { org_id: id });
    const { rows } = await database.admin.query('select user_id from organization_former_members');
    t.same(rows, [{ user_id: leftId }], 'a member is none who has left');
  });

  await t.test('policies and limits hold, and the sign-in goes on', async (t) => {
    const full = await found(owner, 'Full');
    await addJoinDomain(server, full, 'full.example');
    await admin('PUT', `/admin/organizations/${full}`, { max_members: 1 });
    const email = at('full.example');
    await addAccount(server, email);
    t.notOk('org_id' in (await signIn(server, email)), 'it is full');
    await admin('PUT', `/admin/organizations/${full}`, {
      max_members: 0,
      policies: { allowed_domains: ['other.example'] },
    });
    t.notOk('org_id' in (await signIn(server, email)), 'the address is not allowed');
    await admin('PUT', `/admin/organizations/${full}`, { policies: { allowed_domains: [], require_aal2: true } });
    t.notOk('org_id' in (await signIn(server, email)), 'joins, and is not active');
    t.equal((await membersOf(full)).size, 2);
  });

  await t.test('roles that are gone let no one join', async (t) => {
    const own = await found(owner, 'Roles');
    t.equal((await admin('POST', '/admin/organization-roles', { name: 'reader' })).status, 201);
    await addJoinDomain(server, own, 'roles.example', { roles: ['reader'] });
    const email = at('roles.example');
    const userId = await addAccount(server, email);
    t.match(await admin('DELETE', '/admin/organization-roles/reader'), { status: 409 });
    // As it was possible before.
    await database.admin.query("delete from organization_roles where name = 'reader'");
    await admin('POST', '/admin/organization-roles', { name: 'other' });
    t.notOk('org_id' in (await signIn(server, email)));
    const changed = await as(owner, 'PATCH', `/organizations/${own}/domains/roles.example`, {
      roles: ['member', 'admin'],
    });
    t.match(changed, { status: 200, body: { roles: ['admin', 'member'], auto_join: true } });
    t.match(await signIn(server, email), { org_id: own, org_roles: ['admin', 'member'] });
    t.same((await membersOf(own)).get(userId), { roles: ['admin', 'member'], via: 'domain' });
  });

  await t.test('a domain gives no role above that of who sets it', async (t) => {
    const own = await found(owner, 'Giving');
    const mine = `/organizations/${own}/domains`;
    const [manager, keeper] = [await join(), await join()];
    t.equal(
      (await admin('POST', '/admin/organization-roles', { name: 'keeper', permissions: ['domains:manage'] })).status,
      201,
    );
    await admin('POST', '/admin/organization-roles', { name: 'deleter', permissions: ['organization:delete'] });
    await addMember(own, manager, 'admin');
    await addMember(own, keeper, 'keeper');
    const missing = { status: 403, body: { error_code: 'organization_permission_missing' } };
    const domain = 'giving.example';
    t.match(await as(manager, 'POST', mine, { domain, roles: ['deleter'] }), missing);
    t.match(await as(keeper, 'POST', mine, { domain, auto_join: true }), missing, 'to let join needs members:manage');
    t.match(await as(keeper, 'POST', mine, { domain, roles: ['member'] }), missing);
    t.equal((await as(keeper, 'POST', mine, { domain })).status, 201);
    t.match(await as(keeper, 'PATCH', `${mine}/${domain}`, { auto_join: true }), missing);
    t.match(await as(manager, 'PATCH', `${mine}/${domain}`, { roles: ['deleter'] }), missing);
    t.equal((await as(owner, 'PATCH', `${mine}/${domain}`, { roles: ['deleter'] })).status, 200);
    t.match(await as(manager, 'PATCH', `${mine}/${domain}`, { auto_join: true }), missing, 'that would give it');
    t.equal((await as(owner, 'PATCH', `${mine}/${domain}`, { auto_join: true })).status, 200);
    t.equal(
      (await as(keeper, 'PATCH', `${mine}/${domain}`, { auto_join: false })).status,
      200,
      'less is always possible',
    );
    for (const roles of [['owner'], ['member', 'owner']]) {
      t.match(await as(owner, 'PATCH', `${mine}/${domain}`, { roles }), { status: 400 }, 'no one becomes an owner so');
      t.match(await admin('PATCH', `/admin${mine}/${domain}`, { roles }), { status: 400 });
    }
    t.match(await as(owner, 'PATCH', `${mine}/${domain}`, { roles: ['unknown'] }), { status: 404 });
    t.match(await as(owner, 'PATCH', `${mine}/${domain}`, { roles: [] }), { status: 400 });
    t.match(await as(owner, 'PATCH', `${mine}/none.example`, { auto_join: true }), { status: 404 });
    const ignored = await as(owner, 'PATCH', `${mine}/${domain}`, { verified: true });
    t.match(ignored, { status: 200, body: { status: 'pending' } }, 'a member does not vouch');
    const other = await found(await join(), 'Other');
    t.match(await as(owner, 'PATCH', `/organizations/${other}/domains/${domain}`, { auto_join: true }), {
      status: 404,
    });
  });

  await t.test('administrators', async (t) => {
    const own = await found(owner, 'Administered');
    const mine = `/admin/organizations/${own}/domains`;
    t.same((await admin('GET', mine)).body, { domains: [], next_cursor: null });
    t.match(await admin('POST', mine, { domain: 'ACME.example', verified: true }), {
      status: 409,
      body: { error_code: 'domain_taken' },
    });
    t.same((await admin('GET', mine)).body.domains, [], 'nothing was added');
    const added = await admin('POST', mine, {
      domain: 'kept.example',
      verified: true,
      auto_join: true,
      roles: ['admin'],
    });
    t.match(added, { status: 201, body: { status: 'verified', auto_join: true, roles: ['admin'] } });
    t.match((await as(owner, 'GET', `/organizations/${own}`)).body.domains, [
      { domain: 'kept.example', status: 'verified' },
    ]);
    t.match(await admin('PATCH', `${mine}/kept.example`, { verified: false }), { body: { status: 'pending' } });
    t.match(await admin('PATCH', `${mine}/kept.example`, { verified: true, auto_join: false }), {
      body: { status: 'verified', auto_join: false },
    });
    t.equal((await admin('DELETE', `${mine}/kept.example`)).status, 204);
    t.equal((await admin('DELETE', `${mine}/kept.example`)).status, 404);
    t.equal((await admin('GET', `/admin/organizations/${randomUUID()}/domains`)).status, 404);
    const { rows } = await database.admin.query(
      `select payload ->> 'action' as action from audit_log where payload -> 'traits' ->> 'domain' = 'kept.example'
       order by created_at`,
    );
    t.same(
      rows.map(({ action }) => action.replace('organization.', '')),
      ['domain_verified', 'updated', 'domain_lost', 'updated', 'domain_verified', 'domain_lost'],
    );
  });
});

t.test('a provider that has not verified the address, and a change that is not confirmed', async (t) => {
  const flow = await openExternalFlow(t, ['gitlab'], {
    ORGANIZATIONS_ENABLED: 'true',
    MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'true',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
  });
  const server = actWith(flow);
  const ownerId = await addAccount(server, freshEmail());
  const { body } = await asAdmin(server)('POST', '/admin/organizations', { name: 'Acme', owner_id: ownerId });
  await addJoinDomain(server, body.id, 'acme.example');

  const email = at('acme.example');
  const claim = flow.providers.person('gitlab', { email, isVerified: false, subject: 4711 });
  const landing = await flow.signIn('gitlab', { as: claim });
  t.notOk('org_id' in readPayload(landing.fragment.get('access_token')!), 'anybody may say so');
  const proof = flow.providers.person('gitlab', { email: at('acme.example'), subject: 4712 });
  const verified = await flow.signIn('gitlab', { as: proof });
  t.match(readPayload(verified.fragment.get('access_token')!), { org_id: body.id, org_roles: ['member'] });

  const former = freshEmail();
  const wanted = at('acme.example');
  await addAccount(server, former);
  const signedIn = await flow.post('/token?grant_type=password', { email: former, password });
  const bearer = signedIn.body.access_token;
  t.equal((await flow.call('PUT', '/user', { bearer, body: { email: wanted } })).status, 200);
  t.notOk('org_id' in (await signIn(server, former)), 'the change is not confirmed');
  await flow.follow((await flow.nextMail(wanted)).link!);
  t.match(await signIn(server, wanted), { org_id: body.id });
});

t.test('a hook decides the claims, and is asked about the organization', async (t) => {
  const receiver = await openHookReceiver(t, ({ body }) => ({ claims: { ...body.claims, seen: body.claims.org_id } }));
  const server = await openOrganizationServer(t, hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url));
  const id = await server.found(await server.join());
  await addJoinDomain(server, id, 'acme.example');
  const email = at('acme.example');
  const userId = await addAccount(server, email);
  t.match(await signIn(server, email), { org_id: id, seen: id });
  const { rows } = await server.database.admin.query('select via from organization_members where user_id = $1', [
    userId,
  ]);
  t.same(rows, [{ via: 'domain' }]);
});
