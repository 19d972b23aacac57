/** What groups give, and what the end of a person ends, goes no further than the token may reach. */
import { GROUP, openScimServer, PATCH, USER } from '../support/scim.js';
import { t } from '../support/tap.js';

const server = await openScimServer(t, { SCIM_DELETE: 'remove' });
const operations = (...given: readonly object[]) => ({ schemas: [PATCH], Operations: given });
await server.admin('POST', '/admin/organization-roles', {
  name: 'provisioner',
  permissions: ['organization:read', 'members:read', 'scim:manage'],
});

t.test('a token fills no group whose roles its maker could not give', async (t) => {
  const owner = await server.join();
  const { id, scim } = await server.addScimOrganization(owner, 'groups.example');
  const maker = await server.join();
  await server.addMember(id, maker, 'provisioner');
  const made = await server.as(maker, 'POST', `/organizations/${id}/scim_tokens`, { name: 'weak' });
  const weak = server.with(made.body.token);
  const map = (group: string, roles: readonly string[]) =>
    server.as(owner, 'PUT', `/organizations/${id}/scim_group_roles`, { group, roles });
  await map('Bosses', ['admin']);
  await map('Staff', ['member']);
  const person = (await weak('POST', '/Users', { schemas: [USER], userName: 'p' })).body.id;
  const other = (await weak('POST', '/Users', { schemas: [USER], userName: 'q' })).body.id;
  const rolesOf = async (user: string) => {
    const text = 'select roles from organization_members where organization_id = $1 and user_id = $2';
    return (await server.database.admin.query(text, [id, user])).rows[0]?.roles;
  };
  const group = (displayName: string, members: readonly string[]) => ({
    schemas: [GROUP],
    displayName,
    members: members.map((value) => ({ value })),
  });
  t.match(await weak('POST', '/Groups', group('bosses', [person])), { status: 403, body: { status: '403' } });
  t.equal((await weak('POST', '/Groups', group('staff', [person]))).status, 201);
  const plain = (await weak('POST', '/Groups', group('plain', [person]))).body.id;
  const rename = operations({ op: 'replace', path: 'displayName', value: 'BOSSES' });
  t.equal((await weak('PATCH', `/Groups/${plain}`, rename)).status, 403);
  t.equal((await weak('PUT', `/Groups/${plain}`, group('Bosses', [person]))).status, 403);
  t.same(await rolesOf(person), ['member']);

  const bosses = (await scim('POST', '/Groups', group('bosses', [other]))).body.id;
  t.same(await rolesOf(other), ['admin', 'member']);
  const add = operations({ op: 'add', path: 'members', value: [{ value: person }] });
  t.equal((await weak('PATCH', `/Groups/${bosses}`, add)).status, 403);
  t.equal((await weak('PUT', `/Groups/${bosses}`, group('bosses', [other, person]))).status, 403);
  t.equal((await weak('PUT', `/Groups/${bosses}`, group('bosses', [other]))).status, 200, 'no one comes');
  t.same(await rolesOf(person), ['member']);
  t.equal((await scim('PATCH', `/Groups/${bosses}`, add)).status, 204);
  t.same(await rolesOf(person), ['admin', 'member']);
  t.equal((await weak('PUT', `/Groups/${bosses}`, group('bosses', []))).status, 200, 'roles go');
  t.same(await rolesOf(person), ['member']);
});

t.test('no other organization ends with the account of its only owner', async (t) => {
  const owner = await server.join();
  const { scim } = await server.addScimOrganization(owner, 'sole.example');
  const person = (await scim('POST', '/Users', { schemas: [USER], userName: 'sole' })).body.id;
  const other = await server.found(await server.join());
  const { admin } = server.database;
  await admin.query('update organization_members set user_id = $1 where organization_id = $2', [person, other]);
  t.equal((await scim('DELETE', `/Users/${person}`)).status, 204);
  t.equal((await scim('GET', `/Users/${person}`)).status, 404);
  t.equal((await server.admin('GET', `/admin/organizations/${other}`)).status, 200);
  const { body } = await server.admin('GET', `/admin/users/${person}`);
  t.match(body.banned_until, /^9999/);
});

t.test('an account stays while another provider has it', async (t) => {
  const one = await server.addScimProvider();
  const two = await server.addScimProvider();
  const person = (await one.scim('POST', '/Users', { schemas: [USER], userName: 'twice' })).body.id;
  await server.database.admin.query(
    `insert into scim_users (scope_id, user_id, user_name, user_name_key, active, resource, search, owns_account)
     select $2, user_id, user_name, user_name_key, true, resource, search, true from scim_users where user_id = $1`,
    [person, two.id],
  );
  t.equal((await one.scim('DELETE', `/Users/${person}`)).status, 204);
  t.equal((await two.scim('GET', `/Users/${person}`)).status, 200);
  t.notOk((await server.admin('GET', `/admin/users/${person}`)).body.banned_until);
  t.equal((await two.scim('DELETE', `/Users/${person}`)).status, 204);
  t.equal((await server.admin('GET', `/admin/users/${person}`)).status, 404);
});

t.test('changes of whole groups at once, and people who are deleted meanwhile', async (t) => {
  const { scim } = await server.addScimProvider();
  const make = async (userName: string) =>
    (await scim('POST', '/Users', { schemas: [USER], userName })).body.id as string;
  const people = await Promise.all(Array.from({ length: 12 }, (_, at) => make(`p${at}`)));
  const groups = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => {
      return (await scim('POST', '/Groups', { schemas: [GROUP], displayName: name })).body.id as string;
    }),
  );
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      groups.map((group, at) => {
        const list = people.filter((_, index) => (index + at + round) % 3 !== 0);
        const value = (at % 2 === 0 ? list : list.toReversed()).map((id) => ({ value: id }));
        return scim('PATCH', `/Groups/${group}`, operations({ op: 'replace', path: 'members', value }));
      }),
    );
    t.same(new Set(answers.map(({ status }) => status)), new Set([204]));
  }
  const value = people.map((id) => ({ value: id }));
  await Promise.all([
    ...people.map((id) => scim('DELETE', `/Users/${id}`)),
    ...value.map((one) =>
      scim('PATCH', `/Groups/${groups[0]}`, operations({ op: 'add', path: 'members', value: [one] })),
    ),
  ]);
  const { rows } = await server.database.admin.query('select user_id from scim_group_members where user_id = any($1)', [
    people,
  ]);
  t.same(rows, [], 'who is deleted is in no group');
});
