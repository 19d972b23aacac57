/** Latchkey as a role that owns nothing in the schema of the application. */
import { randomBytes } from 'node:crypto';
import { readApplication, readRow } from '../support/app-schema.js';
import { createTestDatabase } from '../support/database.js';
import { createPeerTables } from '../support/peer-tables.js';
import { spawnServer } from '../support/process.js';
import { runCommand } from '../support/run-command.js';
import { call, freshEmail, password, testEnvironment } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

t.test('a role with the grants of the documentation', async (t) => {
  const { admin, url } = await createTestDatabase(t, { isEmpty: true });
  // Roles are of the whole server.
  const role = `latchkey_${randomBytes(4).toString('hex')}`;
  await createPeerTables(admin);
  await admin.query(`create role ${role} login password '${decodeURIComponent(new URL(url).password)}'`);
  t.teardown(() => admin.query(`drop owned by ${role}; drop role ${role}`).catch(() => undefined));
  await admin.query(`grant usage, create on schema public to ${role}`);
  const own = new URL(url);
  own.username = role;
  const empty = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const migrate = (settings: Record<string, string> = {}) =>
    runCommand(['migrate'], testEnvironment(own.href, { DB_APP_SCHEMA: 'auth', ...settings }), empty);
  t.match(await migrate(), { code: 1, err: /permission denied for/ });

  const { text } = readSource('docs/application-database.md');
  const [, grants] = /^## Rights$.*?^```sql\n(.*?)^```/ms.exec(text)!;
  await admin.query(grants!.replaceAll(' latchkey', ` ${role}`));
  await admin.query('alter table auth.users enable row level security');
  t.match(await migrate(), { code: 1, err: new RegExp(`alter role ${role} bypassrls`) });
  await admin.query(`alter role ${role} bypassrls`);
  t.match(await migrate(), { code: 0, err: 'The schema auth mirrors the accounts (DB_APP_SCHEMA).\n' });
  t.match(await migrate({ DB_APP_SCHEMA_INSERTS: 'true' }), {
    code: 0,
    err: 'The schema auth mirrors the accounts (DB_APP_SCHEMA).\n',
  });

  await admin.query(`alter role ${role} nobypassrls`);
  t.match(await migrate({ DB_APP_SCHEMA_INSERTS: 'true' }), { code: 1, err: /bypassrls/ }, 'at each start');
  await admin.query(`alter role ${role} bypassrls`);
  await admin
    .query(`create function auth.email() returns text language sql stable as $$ select null $$`)
    .catch(() => undefined);
  await admin.query(readApplication('starter'));
  const server = await spawnServer(t, own.href, { DB_APP_SCHEMA: 'auth' });
  const { status, body } = await call(server.url, 'POST', '/signup', {
    body: { email: freshEmail(), password, data: { full_name: 'Ada' } },
  });
  t.equal(status, 200);
  t.match(await readRow(admin, 'select * from public.profiles where id = $1', [body.user.id]), { full_name: 'Ada' });
  await admin.query('delete from auth.users');
  t.equal((await call(server.url, 'GET', '/user', { bearer: body.access_token })).status, 403);
  t.match(await server.stop(), { code: 0 });
  t.match(await migrate({ DB_APP_SCHEMA: '' }), { code: 0, err: /no longer follow/ });
});

t.test('schemas that cannot be the mirror', async (t) => {
  const { admin, url } = await createTestDatabase(t);
  const empty = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const migrate = (settings: Record<string, string>) => runCommand(['migrate'], testEnvironment(url, settings), empty);
  t.match(await migrate({ DB_APP_SCHEMA: 'public' }), {
    code: 1,
    err: /where Latchkey has its own tables\. Set AUTH_DB_NAMESPACE/,
  });
  t.match(await migrate({ DB_APP_SCHEMA: 'Auth' }), { code: 2, err: /lower-case letters/ });
  await createPeerTables(admin);
  await admin.query('alter table auth.users drop column is_anonymous');
  t.match(await migrate({ DB_APP_SCHEMA: 'auth' }), {
    code: 1,
    err: /auth\.users has no is_anonymous: it is of an older release/,
  });
  t.match(await migrate({ DB_APP_SCHEMA: 'app' }), { code: 0 });
  t.match(await migrate({ DB_APP_SCHEMA: 'app', DB_NAMESPACE: 'second' }), { code: 1, err: /of another installation/ });
  t.match(await migrate({ DB_APP_SCHEMA: 'second', DB_NAMESPACE: 'second' }), { code: 0 });
  t.match(await migrate({ DB_APP_SCHEMA: 'third', DB_NAMESPACE: 'second' }), { code: 0 });
  const { rows } = await admin.query(
    `select tgrelid::regclass::text as name from pg_trigger where tgname = 'latchkey_changes' order by 1`,
  );
  t.same(
    rows.map(({ name }) => name),
    ['app.identities', 'app.users', 'third.identities', 'third.users'],
  );
  // Our tables and the mirror in one schema, apart by the prefix.
  t.match(await migrate({ DB_APP_SCHEMA: 'public', DB_NAMESPACE: 'second' }), { code: 1 });
});

t.test('our tables beside those of supabase/auth, in one schema', async (t) => {
  const { admin, url } = await createTestDatabase(t, { isEmpty: true });
  const empty = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  await createPeerTables(admin);
  const inside = `${url}?options=${encodeURIComponent('-c search_path=auth')}`;
  const settings = { DB_APP_SCHEMA: 'auth', DB_NAMESPACE: 'latchkey' };
  t.match(await runCommand(['migrate'], testEnvironment(inside, settings), empty), { code: 0 });
  await admin.query(
    `insert into auth.latchkey_users (id, aud, role, email) values (gen_random_uuid(), 'authenticated', '', 'a@example.com')`,
  );
  t.match(await readRow(admin, 'select email from auth.users'), { email: 'a@example.com' });
});
