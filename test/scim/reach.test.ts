/** What a token does not reach: owners and the more powerful, where its maker is neither; people who have left. */
import { openFakeIdp, PERSISTENT } from '../support/fake-saml-idp.js';
import { GROUP, openScimServer, PATCH, USER } from '../support/scim.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openScimServer(t);
const REDIRECT = 'http://localhost:3000/welcome';
const patch = (path: string, value: unknown) => ({
  schemas: [PATCH],
  Operations: [{ op: 'replace', path, value }],
});
await server.admin('POST', '/admin/organization-roles', {
  name: 'provisioner',
  permissions: ['organization:read', 'members:read', 'scim:manage'],
});

/** A token that a member with no other power has made. */
async function weakToken(organizationId: string) {
  const member = await server.join();
  await server.addMember(organizationId, member, 'provisioner');
  const path = `/organizations/${organizationId}/scim_tokens`;
  const { status, body } = await server.as(member, 'POST', path, { name: 'weak' });
  t.equal(status, 201);
  return server.with(body.token);
}

async function proven(email: string) {
  const { body } = await server.post('/signup', { email, password });
  await server.database.admin.query('update users set proven_email = email where id = $1', [body.user.id]);
  return { id: body.user.id, email, access: body.access_token, refresh: body.refresh_token };
}

t.test('an owner does not come as a person who is not active', async (t) => {
  const owner = await proven('boss@reach.example');
  const { id, scim } = await server.addScimOrganization(owner, 'reach.example');
  const weak = await weakToken(id);
  const body = { schemas: [USER], userName: 'boss', emails: [{ value: owner.email }], active: false };
  t.match(await weak('POST', '/Users', body), { status: 403 });
  t.match(await scim('POST', '/Users', body), { status: 409 }, 'nor the last one by a token of an owner');
  t.equal((await server.as(owner, 'GET', '/user')).status, 200);
  t.match(await weak('POST', '/Users', { ...body, active: true }), { status: 201, body: { id: owner.id } });
});

t.test('who may only provision names no account of those with more power', async (t) => {
  const owner = await server.join();
  const { id, scim } = await server.addScimOrganization(owner, 'names.example');
  const idp = openFakeIdp('names-idp.example');
  const provider = (
    await server.as(owner, 'POST', `/organizations/${id}/sso`, { type: 'saml', metadata_xml: idp.metadata() })
  ).body;
  const mail = 'alice@names.example';
  const landing = await server.signIn(
    idp,
    { provider_id: provider.id, redirect_to: REDIRECT },
    { nameId: { value: mail, format: PERSISTENT }, attributes: { mail } },
  );
  const alice = (await server.call('GET', '/user', { bearer: landing.fragment.get('access_token')! })).body;
  const roles = (names: string[]) =>
    server.as(owner, 'PATCH', `/organizations/${id}/members/${alice.id}`, { roles: names });
  t.equal((await roles(['admin'])).status, 200);
  const weak = await weakToken(id);
  const taking = { schemas: [USER], userName: mail, emails: [{ value: 'thief@names.example' }] };
  t.match(await weak('POST', '/Users', taking), { status: 403, body: { status: '403' } });
  t.equal((await server.admin('GET', `/admin/users/${alice.id}`)).body.email, mail);

  t.match(await scim('POST', '/Users', { ...taking, emails: [{ value: mail }] }), {
    status: 201,
    body: { id: alice.id },
  });
  for (const [path, value] of [
    ['userName', 'thief@names.example'],
    ['emails', [{ value: 'thief@names.example' }]],
  ] as const) {
    t.match(await weak('PATCH', `/Users/${alice.id}`, patch(path, value)), { status: 403 }, path);
  }
  t.equal((await weak('PATCH', `/Users/${alice.id}`, patch('title', 'Head'))).status, 200);
  t.equal((await roles(['member'])).status, 200);
  t.equal((await weak('PATCH', `/Users/${alice.id}`, patch('userName', 'alice2'))).status, 200);
  t.equal((await weak('DELETE', `/Users/${alice.id}`)).status, 204);
  t.equal((await roles(['admin'])).status, 404, 'no member any more');
});

t.test('who joined and has left is no person of the scope', async (t) => {
  const owner = await server.join();
  const { id, scim } = await server.addScimOrganization(owner, 'left.example');
  const bob = await proven('bob@left.example');
  const body = { schemas: [USER], userName: 'bob', displayName: 'Bob', emails: [{ value: bob.email }] };
  t.equal((await scim('POST', '/Users', body)).body.id, bob.id);
  const group = (await scim('POST', '/Groups', { schemas: [GROUP], displayName: 'all', members: [{ value: bob.id }] }))
    .body;
  t.equal((await server.as(bob, 'DELETE', `/organizations/${id}/members/${bob.id}`)).status, 204);
  for (const answer of [
    await scim('GET', `/Users/${bob.id}`),
    await scim('PATCH', `/Users/${bob.id}`, patch('active', false)),
    await scim('DELETE', `/Users/${bob.id}`),
  ]) {
    t.equal(answer.status, 404);
  }
  t.notOk((await scim('GET', `/Groups/${group.id}`)).body.members, 'nor a member of a group');
  const { app_metadata: metadata } = (await server.admin('GET', `/admin/users/${bob.id}`)).body;
  t.notOk('scim' in metadata || 'groups' in metadata);
  t.equal((await server.as(bob, 'GET', '/user')).status, 200);
  const back = await scim('POST', '/Users', body);
  t.match(back, { status: 201, body: { id: bob.id } }, 'the identity provider lets him in again');
  // Who is switched off is free again once the organization has removed him.
  t.equal((await scim('PATCH', `/Users/${bob.id}`, patch('active', false))).status, 200);
  const signIn = () => server.post('/token?grant_type=password', { email: bob.email, password });
  t.match(await signIn(), { body: { error_code: 'user_banned' } });
  t.equal((await server.as(owner, 'DELETE', `/organizations/${id}/members/${bob.id}`)).status, 204);
  t.equal((await signIn()).status, 200);
});

t.test('an account that an administrator has deleted softly is no person any more', async (t) => {
  const { scim } = await server.addScimProvider();
  const make = () => scim('POST', '/Users', { schemas: [USER], userName: 'soft' });
  const remove = (id: string) => server.admin('DELETE', `/admin/users/${id}`, { should_soft_delete: true });
  const first = (await make()).body;
  await scim('DELETE', `/Users/${first.id}`);
  t.equal((await remove(first.id)).status, 200);
  const second = await make();
  t.equal(second.status, 201);
  t.not(second.body.id, first.id);
  t.equal((await remove(second.body.id)).status, 200);
  t.equal((await scim('GET', `/Users/${second.body.id}`)).status, 404);
  t.equal((await make()).status, 201);
});

t.test('what the account says of itself follows', async (t) => {
  const { scim } = await server.addScimProvider();
  const metadataOf = async (id: string) => (await server.admin('GET', `/admin/users/${id}`)).body.user_metadata;
  const first = { schemas: [USER], userName: 'meta', displayName: 'Old', emails: [{ value: 'old@meta.example' }] };
  const { id } = (await scim('POST', '/Users', first)).body;
  t.match(await metadataOf(id), { name: 'Old', email: 'old@meta.example' });
  await scim('DELETE', `/Users/${id}`);
  await scim('POST', '/Users', { schemas: [USER], userName: 'meta', emails: [{ value: 'new@meta.example' }] });
  t.match(await metadataOf(id), { name: undefined, email: 'new@meta.example' });
  await scim('PUT', `/Users/${id}`, { schemas: [USER], userName: 'meta' });
  t.notOk('email' in (await metadataOf(id)) || 'email_verified' in (await metadataOf(id)));
});

t.test('who was removed by hand is a member again once switched on', async (t) => {
  const owner = await server.join();
  const { id, scim } = await server.addScimOrganization(owner, 'again.example');
  const { body: person } = await scim('POST', '/Users', {
    schemas: [USER],
    userName: 'again',
    emails: [{ value: 'ann@again.example' }],
  });
  const isMember = async () => {
    const { body } = await server.as(owner, 'GET', `/organizations/${id}/members`);
    return body.members.some((one: { user: { id: string } }) => one.user.id === person.id);
  };
  t.ok(await isMember());
  t.equal((await server.as(owner, 'DELETE', `/organizations/${id}/members/${person.id}`)).status, 204);
  t.equal((await scim('PATCH', `/Users/${person.id}`, patch('title', 'Head'))).status, 200);
  t.notOk(await isMember(), 'another change does not bring him back');
  for (const active of [false, true]) {
    t.match(await scim('PATCH', `/Users/${person.id}`, patch('active', active)), { status: 200, body: { active } });
  }
  t.ok(await isMember());
  // The policies of the organization count for a new address, too.
  const policies = await server.as(owner, 'PATCH', `/organizations/${id}`, {
    policies: { allowed_domains: ['again.example'] },
  });
  t.equal(policies.status, 200);
  const away = await scim('PATCH', `/Users/${person.id}`, patch('emails', [{ value: 'ann@away.example' }]));
  t.equal(away.status, 403);
  t.equal((await scim('PATCH', `/Users/${person.id}`, patch('emails', [{ value: 'bea@again.example' }]))).status, 200);
});

t.test('roles of a group whose name fits in no path are taken back', async (t) => {
  const owner = await server.join();
  const { id } = await server.addScimOrganization(owner, 'slash.example');
  const path = `/organizations/${id}/scim_group_roles`;
  const put = (roles: string[]) => server.as(owner, 'PUT', path, { group: 'A/B', roles });
  t.equal((await put(['admin'])).status, 200);
  t.match(await put([]), { status: 200, body: { group: 'A/B', roles: [] } });
  t.same((await server.as(owner, 'GET', path)).body, { group_roles: [] });
  t.equal((await put([])).status, 404);
});
