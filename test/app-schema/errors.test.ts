/** What triggers, foreign keys and time limits of the application do to a request (docs/application-database.md). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAdminServer } from '../support/admin.js';
import { readApplication, readRow } from '../support/app-schema.js';
import { untilServed } from '../support/served.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

t.test('errors of the application', async (t) => {
  const logFile = join(t.testdir({}), 'server.log');
  const server = await openAdminServer(t, {
    DB_APP_SCHEMA: 'auth',
    DB_STATEMENT_TIMEOUT: '1s',
    LOG_LEVEL: 'info',
    LOG_FILE: logFile,
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  });
  const { admin, call, post, database } = server;
  const sql = database.admin;
  await sql.query(readApplication('starter'));
  const signUp = (name: string) => post('/signup', { email: freshEmail(), password, data: { full_name: name } });
  const countUsers = async () => (await readRow(sql, 'select count(*)::int as count from users')).count;
  const readLog = () => readFileSync(logFile, 'utf8');

  await t.test('a sign-up', async (t) => {
    const before = await countUsers();
    t.match(await signUp('refused'), {
      status: 500,
      body: { code: 500, error_code: 'unexpected_failure', msg: 'No such names here' },
    });
    t.match(await signUp('PT403'), { status: 403, body: { code: 403, msg: 'Short and stout' } });
    for (const name of ['broken', 'nested', 'twin', 'gone', 'PT200']) {
      t.match(await signUp(name), { status: 500, body: { msg: 'Database error saving new user' } }, name);
    }
    t.match(await signUp('slow'), { status: 503 });
    t.equal(await countUsers(), before);
    t.equal(await readRow(sql, 'select 1 from public.profiles'), undefined);
    const anonymous = await post('/signup', { data: { full_name: 'refused' } });
    t.match(anonymous, { status: 500, body: { msg: 'No such names here' } });
    const made = await admin('POST', '/admin/users', { email: freshEmail(), user_metadata: { full_name: 'broken' } });
    t.match(made, { status: 500, body: { msg: 'Database error saving new user' } });
  });

  await t.test('the shape of the dated API', async (t) => {
    const { status, body } = await call('POST', '/signup', {
      body: { email: freshEmail(), password, data: { full_name: 'refused' } },
      headers: { 'x-supabase-api-version': '2024-01-01' },
    });
    t.match({ status, body }, { status: 500, body: { code: 'unexpected_failure', message: 'No such names here' } });
  });

  await t.test('a change', async (t) => {
    const { body } = await signUp('Ada');
    const change = (name: string) =>
      call('PUT', '/user', { bearer: body.access_token, body: { data: { full_name: name } } });
    t.match(await change('refused'), { status: 500, body: { msg: 'Not that name' } });
    t.match(await change('broken'), { status: 500, body: { msg: 'Error updating user' } });
    t.match((await call('GET', '/user', { bearer: body.access_token })).body, { user_metadata: { full_name: 'Ada' } });
  });

  await t.test('a deletion', async (t) => {
    const { body } = await signUp('Ada');
    await sql.query('insert into public.invoices (user_id) values ($1)', [body.user.id]);
    const refused = { status: 500, body: { msg: 'Database error deleting user' } };
    t.match(await admin('DELETE', `/admin/users/${body.user.id}`), refused);
    t.match(await call('GET', '/user', { bearer: body.access_token }), { status: 200 });
    const other = await signUp('stays');
    t.match(await admin('DELETE', `/admin/users/${other.body.user.id}`), refused);
    await sql.query('delete from public.invoices');
    t.match(await admin('DELETE', `/admin/users/${body.user.id}`), { status: 200 });
    t.equal(await readRow(sql, 'select 1 from public.profiles where id = $1', [body.user.id]), undefined);
  });

  await t.test('a trigger that writes 10,000 rows, and one that writes the account', async (t) => {
    // On a busy machine they can take longer than the second that the statement has.
    const { status, body } = await untilServed(() => signUp('many'));
    t.equal(status, 200);
    t.match(await readRow(sql, 'select count(*)::int from public.notes where user_id = $1', [body.user.id]), {
      count: 10_000,
    });
    const tagged = await signUp('tagged');
    t.match((await call('GET', '/user', { bearer: tagged.body.access_token })).body, {
      app_metadata: { plan: 'free', provider: 'email' },
    });
  });

  await t.test('the log says where it came from, the client does not learn it', async (t) => {
    // The last of them. Lines are buffered.
    await until(() => readLog().includes('invoices_user_id_fkey'));
    const log = readLog();
    t.match(
      log,
      /trigger on_auth_user_created on auth\.users: function public\.handle_new_user: P0001: No such names here/,
    );
    t.match(log, /trigger on_auth_user_created on auth\.users: [^"]*22012: division by zero/);
    t.match(log, /trigger on_auth_user_created on auth\.users: function [\w.]*fail_deeply: [^"]*22023: Deep inside/);
    t.match(log, /trigger on_auth_user_updated on auth\.users: [^"]*22012/);
    t.match(log, /table crm\.twins: constraint users_email_key: 23505/);
    t.match(log, /table public\.invoices: constraint invoices_user_id_fkey: 23(503|001)/);
    t.match(log, /LKM01: A trigger on auth\.users kept out the account/);
  });
});
