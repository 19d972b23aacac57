/** Groups: their members, what tokens say of them, and the roles that they give in an organization. */
import { randomUUID } from 'node:crypto';
import { GROUP, openScimServer, PATCH, type ScimCall, USER } from '../support/scim.js';
import { t } from '../support/tap.js';

const server = await openScimServer(t);
const { database, join, as } = server;

let people = 0;
const addPerson = async (scim: ScimCall): Promise<string> => {
  const { status, body } = await scim('POST', '/Users', { schemas: [USER], userName: `member${people++}` });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
};
const group = (displayName: string, ids: readonly string[] = [], more: object = {}) => ({
  schemas: [GROUP],
  displayName,
  members: ids.map((value) => ({ value })),
  ...more,
});
const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const metadataOf = async (id: string) => (await server.admin('GET', `/admin/users/${id}`)).body.app_metadata;

t.test('made, read, changed and deleted', async (t) => {
  const { scim } = await server.addScimProvider();
  const [ann = '', ben = '', cid = ''] = [await addPerson(scim), await addPerson(scim), await addPerson(scim)];
  const made = await scim('POST', '/Groups', group('Engineers', [ann, ben, ann], { externalId: 'g1' }));
  t.equal(made.status, 201, JSON.stringify(made.body));
  const { id, meta } = made.body;
  t.equal(meta.location, `http://localhost:9999/scim/v2/Groups/${id}`);
  t.match(made.body, { schemas: [GROUP], displayName: 'Engineers', externalId: 'g1', meta: { version: 'W/"1"' } });
  const idsOf = async () => {
    const { body } = await scim('GET', `/Groups/${id}`);
    return (body.members ?? []).map(({ value }: { value: string }) => value).sort();
  };
  t.same(await idsOf(), [ann, ben].sort());
  const { body: named } = await scim('GET', `/Groups/${id}?attributes=members.value,members.display,members.$ref`);
  t.match(named.members[0], { display: /^member/, $ref: /Users/ });
  t.same((await metadataOf(ann)).groups, ['Engineers']);
  t.match((await scim('GET', `/Users/${ann}`)).body.groups, [{ value: id, display: 'Engineers', type: 'direct' }]);

  t.match(await scim('POST', '/Groups', group('ENGINEERS')), { status: 409, body: { scimType: 'uniqueness' } });
  t.equal((await scim('POST', '/Groups', group(''))).status, 400);
  const other = await server.addScimProvider();
  const stranger = await addPerson(other.scim);
  for (const wrong of [stranger, randomUUID(), 'x']) {
    t.match(await scim('POST', '/Groups', group(`With ${wrong}`, [ann, wrong])), {
      status: 400,
      body: { scimType: 'invalidValue' },
    });
    const add = patch(
      { op: 'replace', path: 'displayName', value: 'Never' },
      { op: 'add', path: 'members', value: [{ value: cid }, { value: wrong }] },
    );
    t.equal((await scim('PATCH', `/Groups/${id}`, add)).status, 400);
    t.equal((await scim('PUT', `/Groups/${id}`, group('Never', [wrong]))).status, 400);
  }
  t.match((await scim('GET', `/Groups/${id}`)).body, { displayName: 'Engineers', meta: { version: 'W/"1"' } });
  t.same(await idsOf(), [ann, ben].sort(), 'nothing was written');

  const change = async (...operations: object[]) => {
    const answer = await scim('PATCH', `/Groups/${id}`, patch(...operations));
    t.equal(answer.status, 204, JSON.stringify(answer.body));
  };
  await change({ op: 'Add', path: 'members', value: [{ value: cid }] });
  t.same(await idsOf(), [ann, ben, cid].sort());
  await change({ op: 'Add', path: 'members', value: [{ value: cid }] });
  await change({ op: 'Remove', path: 'members', value: [{ value: randomUUID() }] });
  t.equal(
    (await scim('GET', `/Groups/${id}`)).body.meta.version,
    'W/"2"',
    'what is there or gone already changes nothing',
  );
  await change({ op: 'remove', path: `members[value eq "${ann}"]` });
  await change({ op: 'Remove', path: 'members', value: [{ value: ben }] });
  t.same(await idsOf(), [cid]);
  t.notOk('groups' in (await metadataOf(ann)));
  await change({ op: 'replace', path: 'members', value: [{ value: ann }, { value: ben }] });
  t.same(await idsOf(), [ann, ben].sort());
  await change({ op: 'replace', value: { id, displayName: 'Builders', externalId: 'g2' } });
  t.match((await scim('GET', `/Groups/${id}`)).body, { displayName: 'Builders', externalId: 'g2' });
  t.same((await metadataOf(ann)).groups, ['Builders'], 'renamed in tokens, too');
  await change({ op: 'remove', path: 'members' });
  t.same(await idsOf(), []);
  await change({ op: 'add', path: 'members', value: [{ value: ann }] }, { op: 'remove', path: 'externalId' });
  t.notOk('externalId' in (await scim('GET', `/Groups/${id}`)).body);
  const wrong: [object, string][] = [
    [{ op: 'add', path: 'nothing', value: 1 }, 'invalidPath'],
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    [{ op: 'replace', path: 'displayName', value: '' }, 'invalidValue'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'remove', path: 'displayName' }, 'invalidValue'],
    [{ op: 'remove', path: 'members[display co "x"]' }, 'invalidPath'],
    [{ op: 'move', path: 'members', value: [] }, 'invalidSyntax'],
  ];
  for (const [operation, scimType] of wrong) {
    const answer = await scim('PATCH', `/Groups/${id}`, patch(operation));
    t.match(answer, { status: 400, body: { scimType } }, JSON.stringify(operation));
  }
  const whole = await scim('PUT', `/Groups/${id}`, group('Builders', [ben, cid]));
  t.equal(whole.status, 200);
  t.same(await idsOf(), [ben, cid].sort());
  t.equal((await scim('PUT', `/Groups/${id}`, group('Other'), { 'if-match': 'W/"1"' })).status, 412);
  t.equal((await scim('DELETE', `/Groups/${id}`, undefined, { 'if-match': 'W/"1"' })).status, 412);
  t.equal((await other.scim('DELETE', `/Groups/${id}`)).status, 404);
  t.equal((await other.scim('PATCH', `/Groups/${id}`, patch({ op: 'remove', path: 'members' }))).status, 404);
  await scim('DELETE', `/Users/${ben}`);
  t.same(await idsOf(), [cid], 'whoever is gone is in no group');
  t.equal((await scim('DELETE', `/Groups/${id}`)).status, 204);
  t.equal((await scim('GET', `/Groups/${id}`)).status, 404);
  t.notOk('groups' in (await metadataOf(cid)));
});

t.test('found, with and without members', async (t) => {
  const { scim } = await server.addScimProvider();
  const ids = [await addPerson(scim), await addPerson(scim)];
  const names = ['Alpha', 'Beta', 'Gamma'];
  for (const [n, name] of names.entries())
    await scim('POST', '/Groups', group(name, ids.slice(n), { externalId: `x${n}` }));
  const find = async (query: string) => {
    const { status, body } = await scim('GET', `/Groups?${query}`);
    if (status !== 200) return `${status} ${body.scimType}`;
    return body.Resources.map(({ displayName }: { displayName: string }) => displayName).join(' ');
  };
  const filter = (text: string) => find(`filter=${encodeURIComponent(text)}`);
  t.equal(await find(''), 'Alpha Beta Gamma');
  t.equal(await find('startIndex=2&count=1'), 'Beta');
  t.equal(await filter('displayName eq "beta"'), 'Beta');
  t.equal(await filter('externalId eq "x2" or displayName eq "Alpha"'), 'Alpha Gamma');
  t.equal(await filter(`members.value eq "${ids[0]}"`), 'Alpha');
  t.equal(await filter(`members[value eq "${ids[1]}"] and displayName co "a"`), 'Alpha Beta');
  t.equal(await filter(`displayName pr and not (members.value eq "${ids[1]}")`), 'Gamma');
  t.equal(await filter('members.value eq "x"'), '');
  t.equal(await filter('members.value co "a"'), '400 invalidFilter');
  const { body } = await scim('GET', '/Groups?excludedAttributes=members');
  t.ok(body.Resources.every((one: object) => !('members' in one)));

  await t.test('with people in one list', async (t) => {
    const search = async (asked: object) => {
      const { status, body } = await scim('POST', '/.search', asked);
      if (status !== 200) return `${status} ${body.scimType}`;
      const { totalResults, startIndex, Resources } = body;
      const shown = Resources.map(
        (one: { id: string; displayName?: string }) => one.displayName ?? ids.indexOf(one.id),
      );
      return `${totalResults} from ${startIndex}: ${shown.join(' ')}`;
    };
    t.equal(await search({}), '5 from 1: 0 1 Alpha Beta Gamma');
    t.equal(await search({ startIndex: 2, count: 2 }), '5 from 2: 1 Alpha');
    t.equal(await search({ startIndex: 4, count: 9 }), '5 from 4: Beta Gamma');
    t.equal(await search({ count: 0 }), '5 from 1: ');
    t.equal(await search({ filter: 'displayName co "a"' }), '3 from 1: Alpha Beta Gamma');
    t.equal(await search({ filter: `userName pr and id eq "${ids[1]}"` }), '1 from 1: 1', 'groups have no userName');
    t.equal(await search({ filter: 'nothing pr' }), '400 invalidFilter');
    t.equal(await search({ cursor: '' }), '400 invalidCursor');
  });
});

t.test('roles of an organization by group, never above those of who says so', async (t) => {
  const owner = await join();
  const { id, scim } = await server.addScimOrganization(owner, 'roles.example');
  for (const [name, permissions] of [
    ['developer', ['organization:read', 'members:read']],
    ['provisioner', ['organization:read', 'members:read', 'scim:manage']],
  ] as const) {
    await server.admin('POST', '/admin/organization-roles', { name, permissions });
  }
  const path = `/organizations/${id}/scim_group_roles`;
  const put = (person: typeof owner, body: object) => as(person, 'PUT', path, body);
  const weak = await join();
  await server.addMember(id, weak, 'provisioner');
  t.match(await put(owner, { group: 'Engineers', roles: ['developer'] }), {
    status: 200,
    body: { roles: ['developer'] },
  });
  t.match(await put(weak, { group: 'Staff', roles: ['admin'] }), {
    status: 403,
    body: { error_code: 'organization_permission_missing' },
  });
  t.equal((await put(owner, { group: 'Bosses', roles: ['owner'] })).status, 400);
  t.equal((await put(owner, { group: 'Engineers', roles: ['nobody'] })).status, 404);
  t.same((await as(owner, 'GET', path)).body, { group_roles: [{ group: 'Engineers', roles: ['developer'] }] });
  const rolesOf = async (userId: string) => {
    const { rows } = await database.admin.query(
      'select roles from organization_members where organization_id = $1 and user_id = $2',
      [id, userId],
    );
    return rows[0]?.roles.join(' ');
  };
  const ann = await addPerson(scim);
  t.equal(await rolesOf(ann), 'member');
  const { body: made } = await scim('POST', '/Groups', group('ENGINEERS', [ann]));
  t.equal(await rolesOf(ann), 'developer member');
  await put(owner, { group: 'engineers', roles: ['admin'] });
  t.equal(await rolesOf(ann), 'admin member', 'the mapping changes');
  await database.admin.query(
    `update organization_members set roles = '{admin,member,provisioner}' where organization_id = $1 and user_id = $2`,
    [id, ann],
  );
  await scim('PATCH', `/Groups/${made.id}`, patch({ op: 'remove', path: 'members' }));
  t.equal(await rolesOf(ann), 'member provisioner', 'what the member has by other means stays');
  await scim('PATCH', `/Groups/${made.id}`, patch({ op: 'add', path: 'members', value: [{ value: ann }] }));
  t.equal(await rolesOf(ann), 'admin member provisioner');
  t.equal((await as(owner, 'DELETE', `${path}/Engineers`)).status, 204);
  t.equal((await as(owner, 'DELETE', `${path}/Engineers`)).status, 404);
  t.equal(await rolesOf(ann), 'member provisioner');

  // Roles that the identity provider names for a person.
  const give = patch({
    op: 'add',
    path: 'roles',
    value: [{ value: 'developer' }, { value: 'owner' }, { value: 'else' }],
  });
  t.equal((await scim('PATCH', `/Users/${ann}`, give)).body.roles.length, 3, 'kept');
  t.equal(await rolesOf(ann), 'developer member provisioner', 'given where there is such a role, and never owner');
  await scim('PATCH', `/Users/${ann}`, patch({ op: 'remove', path: 'roles' }));
  t.equal(await rolesOf(ann), 'member provisioner');
  const { body: token } = await as(weak, 'POST', `/organizations/${id}/scim_tokens`, {});
  const low = await server.with(token.token)(
    'PATCH',
    `/Users/${ann}`,
    patch({ op: 'add', path: 'roles', value: 'admin' }),
  );
  t.equal(low.status, 200);
  t.equal(await rolesOf(ann), 'member provisioner', 'a token gives no more than its maker could');
});
