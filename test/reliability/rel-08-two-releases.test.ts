import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../src/db/migrate.js';
import { ownMigrationsDirectory } from '../../src/db/migration-files.js';
import { adminToken } from '../support/admin.js';
import { findHarmToOlderRelease } from '../support/check-migration.js';
import { createTestDatabase } from '../support/database.js';
import { spawnServer } from '../support/process.js';
import { type Answer, call, freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

/** What the check finds although it cannot happen. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  // The condition of the trigger asks for a member that the release before does not write.
  '00047_audit_addresses.sql': ['adds a trigger that may change or reject what it writes'],
  // It changes accounts that provisioning has ended only, which the release before does not do.
  '00073_scim_people.sql': ['adds a trigger that may change or reject what it writes'],
  // It counts in a column of its own.
  '00077_session_facts.sql': ['adds a trigger that may change or reject what it writes'],
};

t.test('REL-08: every migration leaves the schema usable for the release before', async (t) => {
  // The first one creates everything.
  const later = readdirSync(ownMigrationsDirectory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .slice(1);
  t.ok(later.length > 0);
  for (const file of later) {
    t.same(
      findHarmToOlderRelease(readFileSync(join(ownMigrationsDirectory, file), 'utf8')),
      harmless[file] ?? [],
      file,
    );
  }
});

t.test('REL-08: the check finds harmful changes', async (t) => {
  for (const sql of [
    'drop table /*p*/sessions;',
    'alter table /*p*/users drop column role;',
    'alter table /*p*/users drop role;',
    'alter table /*p*/users add column tenant uuid, drop role;',
    'alter table /*p*/users rename column role to position;',
    'alter table /*p*/users rename to people;',
    'alter table /*p*/users alter column role type varchar(10);',
    'alter table /*p*/users alter column phone set not null;',
    'alter table /*p*/users alter column role drop default;',
    'alter table /*p*/users add column tenant uuid not null;',
    "alter table /*p*/users add nickname text not null check (nickname <> 'default');",
    'create unique index /*p*/users_role_key on /*p*/users (role);',
    'alter table /*p*/users add column tenant text;\ncreate unique index /*p*/key on /*p*/users (tenant, role);',
    "alter table /*p*/users add column tenant text default '';\ncreate unique index /*p*/key on /*p*/users (tenant);",
    'alter table /*p*/users add column t text;\ncreate unique index /*p*/key on /*p*/users (t) nulls not distinct;',
    'alter table /*p*/users add constraint /*p*/users_aud_check check (length(aud) > 3);',
    'truncate /*p*/sessions;',
    'create trigger /*p*/touch before update on /*p*/users for each row execute function touch();',
    'create trigger /*p*/touch instead of update on /*p*/users for each row execute function touch();',
    'create constraint trigger /*p*/touch after update on /*p*/users for each row execute function touch();',
    "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;",
    "create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;",
    'create or replace trigger /*p*/touch before update on /*p*/users for each row execute function touch();',
  ]) {
    t.equal(findHarmToOlderRelease(sql).length, 1, sql);
  }
  for (const sql of [
    'alter table /*p*/users add column tenant uuid;',
    'alter table /*p*/users add column tenant uuid;\ncreate unique index /*p*/key on /*p*/users (tenant) where tenant is not null;',
    "alter table /*p*/users add column tenant text not null default '';",
    'create table /*p*/groups (id uuid primary key, name text not null);\ncreate unique index /*p*/groups_name_key on /*p*/groups (name);',
    'create index /*p*/users_role_idx on /*p*/users (role);',
    'create trigger /*p*/touch after update on /*p*/users for each row execute function touch();',
    '-- drop table, rename: only words\ndrop index /*p*/users_role_idx;',
    'alter table /*p*/users drop constraint /*p*/users_aud_check;',
  ]) {
    t.same(findHarmToOlderRelease(sql), [], sql);
  }
});

/** A plausible next release: columns on every hot table, a table, an index. */
const NEXT = `
alter table /*p*/users add column tenant uuid, add column nickname text not null default 'unknown';
alter table /*p*/sessions add column device text;
alter table /*p*/identities add column label text not null default '';
alter table /*p*/one_time_tokens add column sent_by text;
alter table /*p*/audit_log add column tenant uuid;
create table /*p*/tenants (id uuid primary key, name text not null);
create index /*p*/sessions_device_idx on /*p*/sessions (device);
`;

t.test('REL-08: the older release serves during and after a migration of the next one', async (t) => {
  t.same(findHarmToOlderRelease(NEXT), [], 'a migration of the kind that is allowed');
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  const first = await spawnServer(t, databaseUrl);
  const answers: Answer[] = [];
  const ask = async (url: string, ...args: Parameters<typeof call> extends [string, ...infer R] ? R : never) => {
    const answer = await call(url, ...args);
    answers.push(answer);
    return answer;
  };

  /** Each step on one server or the other; all its statements are prepared after it. */
  async function walk(here: string, there: string): Promise<void> {
    const email = freshEmail();
    const { body: made } = await ask(here, 'POST', '/signup', { body: { email, password, data: { plan: 'pro' } } });
    const { body: other } = await ask(there, 'POST', '/token?grant_type=password', { body: { email, password } });
    const { body: next } = await ask(there, 'POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: made.refresh_token },
    });
    await ask(here, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token: next.refresh_token } });
    const changed = await ask(here, 'PUT', '/user', { bearer: other.access_token, body: { data: { plan: 'free' } } });
    const seen = await ask(there, 'GET', '/user', { bearer: made.access_token });
    t.equal(seen.body.user_metadata.plan, 'free', 'what one wrote the other reads');
    t.same(Object.keys(changed.body), Object.keys(seen.body));
    t.notOk('nickname' in seen.body, 'a column it does not know stays inside');
    const bearer = adminToken();
    await ask(there, 'PUT', `/admin/users/${made.user.id}`, { bearer, body: { role: 'tester' } });
    await ask(here, 'GET', '/admin/users', { bearer });
    await ask(there, 'POST', '/logout', { bearer: other.access_token });
    const refused = await call(here, 'POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: next.refresh_token },
    });
    t.equal(refused.status, 400, 'signed out on one is signed out on the other');
    await ask(here, 'DELETE', `/admin/users/${made.user.id}`, { bearer });
  }

  await walk(first.url, first.url);
  const directory = t.testdir({});
  cpSync(ownMigrationsDirectory, directory, { recursive: true });
  const number = String(readdirSync(directory).length + 1).padStart(5, '0');
  writeFileSync(join(directory, `${number}_next.sql`), NEXT);
  let isOver = false;
  const load = (async () => {
    while (!isOver) await walk(first.url, first.url);
  })();
  await pause(100);
  t.equal((await migrate({ url: databaseUrl, prefix: '', directory })).applied.length, 1, 'under load');
  await pause(300);
  isOver = true;
  await load;

  t.equal((await call(first.url, 'GET', '/health/ready')).status, 200);
  const second = await openTestServer(t, {}, () => databaseUrl);
  t.equal((await call(second.url, 'GET', '/health/ready')).status, 200, 'rolled back: it starts on the newer schema');
  for (let times = 0; times < 3; times++) {
    await walk(first.url, second.url);
    await walk(second.url, first.url);
  }
  const bad = answers
    .filter(({ status }) => ![200, 204].includes(status))
    .map(({ status, body }) => ({ status, body }));
  t.same(bad, [], `none of ${answers.length} requests failed`);
  const { rows } = await admin.query('select count(*)::int as left from users');
  t.equal(rows[0].left, 0, 'every account was deleted by one of the two');
});

t.test('REL-08: a migration that meets a deadlock is run again', async (t) => {
  const { url, admin } = await createTestDatabase(t);
  const directory = t.testdir({});
  cpSync(ownMigrationsDirectory, directory, { recursive: true });
  const number = String(readdirSync(directory).length + 1).padStart(5, '0');
  writeFileSync(join(directory, `${number}_next.sql`), NEXT);
  // The other side waits longer, so that Postgres cancels the migration.
  await admin.query("set deadlock_timeout = '1h'; begin; lock table sessions in access share mode");
  const migrating = migrate({ url, prefix: '', directory });
  const isWaiting = async () => {
    const { rows } = await admin.query(
      "select from pg_locks where not granted and relation = 'sessions'::regclass and database = (select oid from pg_database where datname = current_database())",
    );
    return rows.length > 0;
  };
  while (!(await isWaiting())) await pause(10);
  await admin.query('lock table users in access share mode');
  await admin.query('commit');
  t.equal((await migrating).applied.length, 1);
});
