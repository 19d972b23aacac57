import { BUILT_IN_PERMISSIONS } from '../../src/server/organizations/role-catalog.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { openOrganizationServer, readPayload } from '../support/organizations.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const NONE = { org_id: undefined, org_slug: undefined, org_roles: undefined, org_permissions: undefined };
const claimsOf = ({ org_id, org_slug, org_roles, org_permissions }: Record<string, unknown>) => ({
  org_id,
  org_slug,
  org_roles,
  org_permissions,
});

t.test('the active organization of a session is in its tokens', async (t) => {
  const server = await openOrganizationServer(t);
  const { as, join, found, refresh, activate, addMember, post, database } = server;
  const signIn = (email: string, more: object = {}) => post('/token?grant_type=password', { email, password, ...more });
  const owner = await join();
  const first = await found(owner, 'Acme & Söhne');
  const ownerClaims = {
    org_id: first,
    org_slug: 'acme-sohne',
    org_roles: ['owner'],
    org_permissions: [...BUILT_IN_PERMISSIONS],
  };

  await t.test('who creates one is not moved into it', async (t) => {
    t.same(claimsOf(await refresh(owner)), NONE);
    const [only] = (await as(owner, 'GET', '/organizations')).body.organizations;
    t.match(only, { id: first, name: 'Acme & Söhne', slug: 'acme-sohne', roles: ['owner'], is_active: false });
  });

  await t.test('activate names it, and a refresh keeps it', async (t) => {
    const before = owner.refresh;
    t.same(claimsOf(await activate(owner, first)), ownerClaims);
    t.not(owner.refresh, before);
    t.equal((await as(owner, 'GET', '/organizations')).body.organizations[0].is_active, true);
    for (let i = 0; i < 3; i++) t.same(claimsOf(await refresh(owner)), ownerClaims);
  });

  await t.test('a new name is in the next token', async (t) => {
    await database.admin.query("update organizations set slug = 'other' where id = $1", [first]);
    t.equal((await refresh(owner))['org_slug'], 'other');
    t.equal((await refresh(owner))['org_slug'], 'other');
    await database.admin.query("update organizations set slug = 'acme-sohne' where id = $1", [first]);
    t.equal((await refresh(owner))['org_slug'], 'acme-sohne');
  });

  await t.test('other roles are in the next token, and none after the end of the membership', async (t) => {
    const person = await join();
    await addMember(first, person);
    t.same(claimsOf(await activate(person, first)), {
      ...ownerClaims,
      org_roles: ['member'],
      org_permissions: ['members:read', 'organization:read'],
    });
    const changed = "update organization_members set roles = '{admin}' where user_id = $1";
    await database.admin.query(changed, [person.id]);
    t.same((await refresh(person))['org_roles'], ['admin']);
    await database.admin.query('delete from organization_members where user_id = $1', [person.id]);
    t.same(claimsOf(await refresh(person)), NONE);
    await addMember(first, person);
    t.same(claimsOf(await refresh(person)), NONE, 'it is not active again by itself');
  });

  await t.test('a refresh with organization_id enters and leaves', async (t) => {
    const second = await found(owner, 'Second');
    t.match(await refresh(owner, second), { org_id: second, org_slug: 'second' });
    t.match(await refresh(owner), { org_id: second });
    t.same(claimsOf(await refresh(owner, '')), NONE);
    t.same(claimsOf(await refresh(owner)), NONE);
    t.same(claimsOf(await refresh(owner, first)), ownerClaims);
    const former = owner.refresh;
    await refresh(owner, second);
    const again = await post('/token?grant_type=refresh_token', { refresh_token: former, organization_id: second });
    t.match(readPayload(again.body.access_token), { org_id: second }, 'the answer was lost');
  });

  await t.test('one that is not the own is refused, and the token stays', async (t) => {
    const stranger = await join();
    const refused = { status: 403, body: { error_code: 'not_a_member' } };
    for (const id of [first, '11111111-1111-4111-8111-111111111111', 'no id']) {
      const body = { refresh_token: stranger.refresh, organization_id: id };
      t.match(await post('/token?grant_type=refresh_token', body), refused, id);
    }
    t.same(claimsOf(await refresh(stranger)), NONE);
    const activated = await as(stranger, 'POST', `/organizations/${first}/activate`);
    t.match(activated, { status: 404, body: { error_code: 'organization_not_found' } });
    t.match(await as(stranger, 'POST', '/organizations/none/activate'), { status: 404 });
  });

  await t.test('DELETE /organizations/active', async (t) => {
    t.match(await refresh(owner, first), { org_id: first });
    const answer = await as(owner, 'DELETE', '/organizations/active');
    t.match(answer, { status: 200, body: { token_type: 'bearer', user: { id: owner.id } } });
    t.same(claimsOf(readPayload(answer.body.access_token)), NONE);
    owner.refresh = answer.body.refresh_token;
    t.same(claimsOf(await refresh(owner)), NONE);
  });

  await t.test('a sign-in', async (t) => {
    const person = await join();
    const sessions = async () =>
      (await database.admin.query('select count(*)::int as n from sessions where user_id = $1', [person.id])).rows[0].n;
    t.same(claimsOf(readPayload((await signIn(person.email)).body.access_token)), NONE, 'no membership');
    await addMember(first, person);
    const only = await signIn(person.email);
    t.match(readPayload(only.body.access_token), { org_id: first, org_roles: ['member'] }, 'the only one');
    t.same(claimsOf(readPayload((await signIn(person.email, { organization_id: '' })).body.access_token)), NONE);
    const mine = await found(person, 'Mine');
    t.same(claimsOf(readPayload((await signIn(person.email)).body.access_token)), NONE, 'two');
    const named = await signIn(person.email, { organization_id: mine });
    t.match(readPayload(named.body.access_token), { org_id: mine, org_roles: ['owner'] });
    const before = await sessions();
    const other = await found(owner, 'Other');
    t.match(await signIn(person.email, { organization_id: other }), {
      status: 403,
      body: { error_code: 'not_a_member' },
    });
    t.equal(await sessions(), before, 'no session');
    const wrong = await signIn(person.email, { organization_id: other, password: 'wrong' });
    t.match(wrong, { status: 400, body: { error_code: 'invalid_credentials' } }, 'the password comes first');
  });

  await t.test('two that change at the same time', async (t) => {
    const person = await join();
    const ids = [await found(person, 'One'), await found(person, 'Two'), await found(person, 'Three')];
    const answers = await Promise.all(ids.map((id) => as(person, 'POST', `/organizations/${id}/activate`)));
    t.same(
      answers.map(({ body }) => readPayload(body.access_token)['org_id']),
      ids,
    );
    const { rows } = await database.admin.query(
      'select jsonb_array_length(memberships) as n from users where id = $1',
      [person.id],
    );
    t.equal(rows[0].n, 3);
  });
});

t.test('ORGANIZATIONS_CLAIM=all lists the memberships', async (t) => {
  const { join, found, refresh, addMember } = await openOrganizationServer(t, {
    ORGANIZATIONS_CLAIM: 'all',
    ORGANIZATIONS_MAX_OWNED: '60',
  });
  const owner = await join();
  t.notOk('organizations' in (await refresh(owner)));
  const ids: string[] = [];
  for (let i = 0; i < 52; i++) ids.push(await found(owner, `Number ${i}`));
  const claims = await refresh(owner);
  t.same(claims['organizations'], Object.fromEntries(ids.slice(-50).map((id) => [id, ['owner']])));
  t.notOk('org_id' in claims);
  t.match(await refresh(owner, ids[0]), { org_id: ids[0] }, 'one that the list does not have');
  const other = await join();
  await addMember(ids[0]!, other, 'member', 'admin');
  t.same((await refresh(other))['organizations'], { [ids[0]!]: ['admin', 'member'] });
});

t.test('the hook sees the claims and may change them, except org_id', async (t) => {
  const other = '11111111-1111-4111-8111-111111111111';
  const receiver = await openHookReceiver(t, ({ body }) => ({
    claims: { ...body.claims, org_id: other, org_roles: ['changed'] },
  }));
  const settings = hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url);
  const { as, join, found, refresh, activate, post } = await openOrganizationServer(t, settings);
  const owner = await join();
  t.notOk('org_id' in readPayload(owner.access), 'without an active one there is none');
  const id = await found(owner);
  t.match(await activate(owner, id), { org_id: id, org_roles: ['changed'] });
  t.match(receiver.calls.at(-1)!.body, { claims: { org_id: id, org_roles: ['owner'], org_slug: 'acme' } });
  t.match(await refresh(owner), { org_id: id });
  t.notOk('org_id' in (await refresh(owner, '')));
  t.match(await refresh(owner, id), { org_id: id });
  const named = { email: owner.email, password, organization_id: id };
  const signedIn = await post('/token?grant_type=password', named);
  t.match(readPayload(signedIn.body.access_token), { org_id: id });
  const calls = receiver.calls.length;
  const refused = await post('/token?grant_type=password', { ...named, organization_id: other });
  t.match(refused, { status: 403, body: { error_code: 'not_a_member' } });
  t.equal(receiver.calls.length, calls, 'the hook is not asked about what is refused');
  t.equal((await as(owner, 'GET', '/organizations')).body.organizations[0].is_active, true);
});

t.test('off: the endpoints do not exist, and tokens say nothing', async (t) => {
  const { call, post, database } = await openTestServer(t);
  const { body } = await post('/signup', { email: 'a@example.com', password });
  const organization = "insert into organizations (name, slug) values ('a', 'aaa') returning id";
  const { id } = (await database.admin.query(organization)).rows[0];
  await database.admin.query(
    "insert into organization_members (organization_id, user_id, roles, via) values ($1, $2, '{owner}', 'admin')",
    [id, body.user.id],
  );
  const disabled = { status: 404, body: { error_code: 'feature_disabled' } };
  t.match(await call('GET', '/organizations', { bearer: body.access_token }), disabled);
  t.match(await call('POST', `/organizations/${id}/activate`, { bearer: body.access_token }), disabled);
  const again = { refresh_token: body.refresh_token, organization_id: id };
  const refreshed = await post('/token?grant_type=refresh_token', again);
  t.notOk('org_id' in readPayload(refreshed.body.access_token));
  const signedIn = await post('/token?grant_type=password', { email: 'a@example.com', password, organization_id: id });
  t.notOk('org_id' in readPayload(signedIn.body.access_token));
  t.notOk('memberships' in signedIn.body.user);
});

t.test('SESSIONS_CHECK_ACCESS_TOKEN: a token that names an organization which its user has left', async (t) => {
  const server = await openOrganizationServer(t, { SESSIONS_CHECK_ACCESS_TOKEN: 'true' });
  const { as, join, found, activate, refresh, addMember, database } = server;
  const owner = await join();
  const id = await found(owner);
  const [person, other] = [await join(), await join()];
  const end = () => database.admin.query('delete from organization_members where user_id = $1', [person.id]);
  const left = { status: 403, body: { error_code: 'not_a_member' } };
  await addMember(id, person);
  await activate(person, id);
  t.equal((await as(person, 'GET', '/user')).status, 200);
  await database.admin.query("update organization_members set roles = '{admin}' where user_id = $1", [person.id]);
  t.equal((await as(person, 'GET', '/user')).status, 200, 'other roles: the next token has them');
  await as(owner, 'DELETE', `/organizations/${id}/members/${person.id}`);
  t.match(await as(person, 'GET', '/user'), left);
  t.match(await as(person, 'PUT', '/user', { data: {} }), left);
  t.equal((await as(person, 'GET', '/organizations')).status, 200, 'endpoints of organizations ask the database');
  t.equal((await as(person, 'POST', `/organizations/${id}/activate`)).status, 404);
  t.same(claimsOf(await refresh(person)), NONE);
  t.equal((await as(person, 'GET', '/user')).status, 200, 'the next token names none');

  await addMember(id, person);
  await activate(person, id);
  await database.admin.query(
    `with more as (
       insert into organizations (id, name, slug) select gen_random_uuid(), 'Many', 'many-' || n from generate_series(1, 51) n returning id)
     insert into organization_members (organization_id, user_id, roles, via) select id, $1, '{member}', 'admin' from more`,
    [person.id],
  );
  t.equal((await as(person, 'GET', '/user')).status, 200, 'one that the account lists no more is looked up');
  await database.admin.query('delete from organization_members where user_id = $1 and organization_id = $2', [
    ...[person.id, id],
  ]);
  t.match(await as(person, 'GET', '/user'), left);
  await end();
  t.match(await as(person, 'GET', '/user'), left);
  t.equal((await server.call('POST', '/logout', { bearer: person.access })).status, 204, 'signing out goes on');

  await addMember(id, other);
  await activate(other, id);
  await as(owner, 'DELETE', `/organizations/${id}`, { slug: 'acme' });
  t.match(await as(other, 'GET', '/user'), left, 'nor is there the organization');
});
