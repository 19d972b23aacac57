/** examples/postgres-rls: policies that read the claims of organizations, in a real Postgres, as docs/organizations.md has them. */
import { randomBytes } from 'node:crypto';
import { asAdmin } from '../support/admin.js';
import { asRequest, makeRequestRoles } from '../support/app-schema.js';
import { startExample } from '../support/example.js';
import { freePort } from '../support/free-port.js';
import { actWith, type Person, readPayload } from '../support/organizations.js';
import { call, openTestServer } from '../support/server.js';
import { keySetting, makeTestJwk } from '../support/signing-keys.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const schema = readSource('examples/postgres-rls/schema.sql').text;

t.test('docs/organizations/postgres-policies.md shows the policies of the example', async (t) => {
  const { text } = readSource('docs/organizations/postgres-policies.md');
  const section = text.split(/^## /m).find((part) => part.startsWith('Policies of the application'))!;
  const blocks = [...section.matchAll(/^```sql\n(.*?)^```/gms)].map(([, block]) => block!);
  t.equal(blocks.length, 2);
  for (const block of blocks) t.ok(schema.includes(block), block);
});

const settings = {
  ORGANIZATIONS_ENABLED: 'true',
  OAUTH_SERVER_ENABLED: 'true',
  OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
  DB_APP_SCHEMA: 'auth',
  ...keySetting(makeTestJwk('ES256', 'e')),
  // For the token of the administrator.
  JWT_VALID_METHODS: 'ES256,HS256',
};
const server = await openTestServer(t, settings, makeRequestRoles);
const { activate, addMember, as, found, join, refresh } = actWith(server);
const admin = asAdmin(server);
const sql = server.database.admin;

// Roles are of the whole server of Postgres, where another run may have the same name.
const login = `documents_api_${randomBytes(4).toString('hex')}`;
await sql.query(schema.replaceAll('documents_api', login).replace(":'password'", `'example'`));
t.teardown(() => sql.query(`drop owned by ${login}; drop role ${login}`));
const own = new URL(server.database.url);
[own.username, own.password] = [login, 'example'];
const example = startExample(t, 'node examples/postgres-rls/server.js', {
  ISSUER: server.url,
  DATABASE_URL: own.href,
  PORT: String(await freePort()),
});
const documents = await example.line(/Documents at (\S+)/);

const list = ({ access }: Pick<Person, 'access'>) => call(documents, 'GET', '', { bearer: access });
const write = ({ access }: Pick<Person, 'access'>, body: unknown) =>
  call(documents, 'POST', '', { bearer: access, body });
const titles = async (person: Person): Promise<string[]> => {
  const { status, body } = await list(person);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.map(({ title }: { title: string }) => title);
};

const role = await admin('POST', '/admin/organization-roles', { name: 'editor', permissions: ['documents:write'] });
t.equal(role.status, 201);
const [ada, grace, reader, editor] = [await join(), await join(), await join(), await join()];
const [acme, globex] = [await found(ada, 'Acme'), await found(grace, 'Globex')];
await addMember(acme, reader, 'member');
await addMember(acme, editor, 'editor');
for (const person of [ada, reader, editor]) await activate(person, acme);
await activate(grace, globex);

t.test('members read and write the rows of their organization, and no others', async (t) => {
  t.match(await write(ada, { title: 'Plan' }), { status: 201, body: { org_id: acme, author: ada.id, title: 'Plan' } });
  t.match(await write(grace, { title: 'Secret' }), { status: 201, body: { org_id: globex, author: grace.id } });
  t.same(await titles(ada), ['Plan']);
  t.same(await titles(reader), ['Plan']);
  t.same(await titles(grace), ['Secret']);
  t.match(await write(grace, { title: 'Forged', org_id: acme }), { status: 403, body: { code: '42501' } });
  t.match(await write(ada, { title: 'Forged', org_id: globex }), { status: 403, body: { code: '42501' } });
  t.same(await titles(ada), ['Plan']);
});

t.test('org_permissions decides who writes', async (t) => {
  t.match(await write(reader, { title: 'No' }), { status: 403, body: { code: '42501' } });
  t.match(await write(editor, { title: 'Yes' }), { status: 201, body: { org_id: acme, author: editor.id } });
  await as(ada, 'PATCH', `/organizations/${acme}/members/${reader.id}`, { roles: ['editor'] });
  t.match(await write(reader, { title: 'No' }), { status: 403 }, 'the token is the old one');
  await refresh(reader);
  t.match(await write(reader, { title: 'Now' }), { status: 201 });
});

t.test('permissions that are too long for a token: owners write all the same, and others do not', async (t) => {
  const permissions = Array.from({ length: 100 }, (_, n) => `documents:${'x'.repeat(45)}-${n}`);
  const all = [...permissions, 'documents:write'];
  t.equal((await admin('POST', '/admin/organization-roles', { name: 'broad', permissions: all })).status, 201);
  const broad = await join();
  await addMember(acme, broad, 'broad');
  for (const [person, status] of [
    [ada, 201],
    [broad, 403],
  ] as const) {
    const claims = await activate(person, acme);
    t.equal(claims['org_permissions_truncated'], true);
    t.notOk('org_permissions' in claims);
    t.match(await write(person, { title: 'Long' }), { status }, String(claims['org_roles']));
  }
  await admin('DELETE', '/admin/organization-roles/broad?replace_with=member');
  t.notOk('org_permissions_truncated' in (await activate(ada, acme)));
  await sql.query("delete from public.documents where title = 'Long'");
});

t.test('without the server, too: rows are not changed, moved or deleted across organizations', async (t) => {
  const rowsOf = (person: Person, statement: string, values: unknown[] = []) =>
    asRequest(sql, 'authenticated', readPayload(person.access), async () => (await sql.query(statement, values)).rows);
  const everyRow = `update public.documents set title = title || '!' returning org_id`;
  t.same([...new Set((await rowsOf(grace, everyRow)).map(({ org_id }) => org_id))], [globex]);
  t.same(
    [...new Set((await rowsOf(editor, 'delete from public.documents returning org_id')).map((row) => row.org_id))],
    [acme],
  );
  await t.rejects(rowsOf(grace, 'update public.documents set org_id = $1', [acme]), { code: '42501' });
  await t.rejects(rowsOf(grace, `insert into public.documents (title, author) values ('x', $1)`, [ada.id]), {
    code: '42501',
  });
  const member = await join();
  await addMember(globex, member);
  await activate(member, globex);
  t.equal((await rowsOf(member, 'select from public.documents')).length, 1);
  t.same(await rowsOf(member, everyRow), []);
  t.same(await rowsOf(member, 'delete from public.documents returning org_id'), []);
  const asAnyone = (statement: string) => asRequest(sql, 'anon', { role: 'anon' }, () => sql.query(statement));
  t.same((await asAnyone('select from public.documents')).rows, []);
  t.same((await asAnyone('delete from public.documents returning id')).rows, []);
  await t.rejects(asAnyone(`insert into public.documents (title) values ('x')`), { code: '42501' });
});

t.test('who is no member any more has no access with the next token', async (t) => {
  t.same((await titles(editor)).length, 3);
  t.match(await as(ada, 'DELETE', `/organizations/${acme}/members/${editor.id}`), { status: 204 });
  t.equal((await refresh(editor))['org_id'], undefined);
  t.same(await titles(editor), []);
  t.match(await write(editor, { title: 'Late' }), { status: 403 });
  t.match(await write(editor, { title: 'Late', org_id: acme }), { status: 403 });
});

t.test('a machine account reads and writes the rows of its organization, as its roles permit', async (t) => {
  const machineOf = async (person: Person, organization: string, roles: string[]): Promise<Pick<Person, 'access'>> => {
    const { body } = await as(person, 'POST', `/organizations/${organization}/clients`, {
      client_name: 'Nightly import',
      grant_types: ['client_credentials'],
      organization_roles: roles,
    });
    const answer = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${body.client_id}:${body.client_secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return { access: ((await answer.json()) as { access_token: string }).access_token };
  };
  const machine = await machineOf(ada, acme, ['editor']);
  t.match(await write(machine, { title: 'Import' }), { status: 201, body: { org_id: acme, author: null } });
  t.match(await write(machine, { title: 'Forged', org_id: globex }), { status: 403 });
  t.same((await list(machine)).body.length, 4);
  const other = await machineOf(grace, globex, ['member']);
  t.same(
    (await list(other)).body.map(({ org_id }: { org_id: string }) => org_id),
    [globex],
  );
  t.match(await write(other, { title: 'No' }), { status: 403 });
});

t.test('another active organization shows other rows', async (t) => {
  await addMember(globex, ada, 'member');
  await activate(ada, globex);
  t.same(await titles(ada), ['Secret']);
  t.match(await write(ada, { title: 'No' }), { status: 403 });
  await activate(ada, acme);
  t.same((await titles(ada))[0], 'Plan');
});

t.test('only tokens of users count', async (t) => {
  t.match(await list({ access: 'x' }), { status: 401 });
  const [head, payload, signature] = ada.access.split('.');
  const forged = Buffer.from(JSON.stringify({ ...readPayload(ada.access), org_id: globex })).toString('base64url');
  t.match(await list({ access: `${head}.${forged}.${signature}` }), { status: 401 });
  t.match(await list({ access: `${head}.${payload}.${signature}` }), { status: 200 });
  t.match(await call(documents, 'DELETE', '', { bearer: ada.access }), { status: 404 });
});
