/** The schema of the application after its parts were dropped, disabled or renamed. */
import { readRow } from '../support/app-schema.js';
import { createTestDatabase } from '../support/database.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('a start makes again what is not there', async (t) => {
  const { admin, url } = await createTestDatabase(t);
  const empty = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const run = (schema: string, ...args: string[]) =>
    runCommand(args, testEnvironment(url, { DB_APP_SCHEMA: schema }), empty);
  const made = { code: 0, err: 'The schema auth mirrors the accounts (DB_APP_SCHEMA).\n' };
  const well = { code: 0, out: /The schema is well/ };
  const insert = (email: string) =>
    admin.query(`insert into users (id, aud, role, email) values (gen_random_uuid(), 'authenticated', '', $1)`, [
      email,
    ]);
  t.match(await run('auth', 'migrate'), made);
  t.match(await run('auth', 'migrate'), { code: 0, err: '' });
  await insert('first@example.com');

  await t.test('functions and triggers', async (t) => {
    await admin.query('drop function auth.uid()');
    t.match(await run('auth', 'check', 'app-schema'), { code: 1, out: /Functions are missing: auth\.uid\(\)/ });
    t.match(await run('auth', 'migrate'), made);
    await admin.query('drop trigger latchkey_deletions on auth.users');
    await admin.query('alter table auth.identities disable trigger latchkey_changes');
    t.match(await run('auth', 'check', 'app-schema'), {
      code: 1,
      out: /takes no writes: latchkey_changes on auth\.identities, latchkey_deletions on auth\.users\. latchkey migrate/,
    });
    t.match(await run('auth', 'migrate'), made);
    await admin.query('drop trigger users_mirror_changed on users');
    t.match(await run('auth', 'migrate'), made);
    await admin.query('drop view app_schema_users cascade');
    t.match(await run('auth', 'migrate'), made);
    t.match(await run('auth', 'check', 'app-schema'), well);
  });

  await t.test('a schema that was renamed', async (t) => {
    await admin.query('alter schema auth rename to elsewhere');
    await t.rejects(insert('second@example.com'), { code: /^(42P01|3F000)$/ });
    t.match(await run('auth', 'check', 'app-schema'), {
      code: 1,
      err: /does not mirror the accounts yet: run latchkey migrate/,
    });
    t.match(await run('auth', 'migrate'), made);
    t.match(await run('auth', 'check', 'app-schema'), well);
    await insert('second@example.com');
    t.match(await readRow(admin, 'select count(*)::int from auth.users'), { count: 2 });
    t.match(
      await readRow(admin, 'select count(*)::int from elsewhere.users'),
      { count: 1 },
      'the old one is left alone',
    );
    await admin.query('delete from elsewhere.users');
    t.match(await readRow(admin, 'select count(*)::int from users'), { count: 2 });
  });

  await t.test('tables that were dropped', async (t) => {
    await admin.query('drop table auth.users cascade');
    t.match(await run('auth', 'migrate'), made);
    t.match(await run('auth', 'check', 'app-schema'), well);
  });

  await t.test('an absent text is no difference', async (t) => {
    await admin.query('alter table auth.users disable trigger latchkey_changes');
    await admin.query('update auth.users set role = null, email_change = null');
    await admin.query('alter table auth.users enable trigger latchkey_changes');
    t.match(await run('auth', 'check', 'app-schema'), well);
  });

  await t.test('a view of the application keeps that of the sessions', async (t) => {
    await admin.query('create view public.devices as select user_id, user_agent from auth.sessions');
    const { code, err } = await run('', 'migrate');
    t.equal(code, 0);
    t.equal(
      err,
      'The tables users and identities of the schema auth no longer follow the accounts (DB_APP_SCHEMA).\nThe view auth.sessions stays, since something of the application reads it.\n',
    );
    t.match(await run('auth', 'migrate'), made);
  });
});
