/** The SQL of docs/application-database.md runs as it is written. */
import { openAdminServer } from '../support/admin.js';
import { makeRequestRoles, readRow } from '../support/app-schema.js';
import { freshEmail, password } from '../support/server.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const blocksOf = (heading: string): string[] => {
  const { text } = readSource('docs/application-database.md');
  const section = text.split(/^## /m).find((part) => part.startsWith(heading))!;
  return [...section.matchAll(/^```sql\n(.*?)^```/gms)].map(([, block]) => block!);
};

t.test('profiles, policies, and what the application writes', async (t) => {
  const { audit, call, database, post } = await openAdminServer(t, { DB_APP_SCHEMA: 'auth' }, makeRequestRoles);
  const sql = database.admin;
  const [profiles] = blocksOf('A profile for each account');
  const [policy, request] = blocksOf('Row-level security');
  await sql.query(profiles! + policy!);
  await sql.query('grant select on public.profiles to authenticated');
  const signUp = async (full_name: string) =>
    (await post('/signup', { email: freshEmail(), password, data: { full_name } })).body;
  const [ada, grace] = [await signUp('Ada'), await signUp('Grace')];

  await sql.query(`begin; ${request!.replace('"sub": "…"', `"sub": "${ada.user.id}"`)}`);
  const { rows } = await sql.query('select id, full_name from public.profiles');
  await sql.query('rollback');
  t.same(rows, [{ id: ada.user.id, full_name: 'Ada' }]);

  const { text } = readSource('docs/application-database.md');
  const [, columns] = /^\| `update auth\.users set (raw_app_meta_data) = …`, `raw_user_meta_data`, `role` \|/m.exec(
    text,
  )!;
  await sql.query(`update auth.users set ${columns} = ${columns} || '{"plan": "gold"}' where id = $1`, [grace.user.id]);
  t.match((await call('GET', '/user', { bearer: grace.access_token })).body, { app_metadata: { plan: 'gold' } });
  await sql.query('delete from auth.users where id = $1', [grace.user.id]);
  t.equal(await readRow(sql, 'select 1 from public.profiles where id = $1', [grace.user.id]), undefined);
  t.match(await audit('user_deleted'), [{ log_type: 'database' }]);
});
