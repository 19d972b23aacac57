/** Triggers of the application that do what no trigger ought to: the client learns what was meant for it, and the server goes on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asAdmin } from '../support/admin.js';
import { readRow } from '../support/app-schema.js';
import { openTestConsole } from '../support/console.js';
import { backendsOf } from '../support/database.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

/** The name says what to do: `raise CODE text`, `set setting value`, `run statement`. */
const TRIGGERS = `
  create function public.act() returns trigger language plpgsql as $$
  declare
    wish text := coalesce(new.raw_user_meta_data ->> 'full_name', '');
    words text[] := regexp_match(wish, '^(raise|set) (\\S+) ?(.*)$', 's');
  begin
    if words[1] = 'raise' then
      raise exception using errcode = words[2], message = replace(words[3], '{long}', repeat('ä', 1000000));
    elsif words[1] = 'set' then
      perform set_config(words[2], words[3], false);
    elsif wish like 'run %' then
      execute substr(wish, 5);
    end if;
    return new;
  end $$;
  create trigger act after insert or update on auth.users for each row execute function public.act();

  create function public.act_late() returns trigger language plpgsql as $$
  begin
    if new.raw_user_meta_data ->> 'full_name' = 'late' then raise exception 'Too late'; end if;
    if new.raw_user_meta_data ->> 'full_name' = 'late fault' then perform 1 / 0; end if;
    return null;
  end $$;
  create constraint trigger act_late after insert or update on auth.users deferrable initially deferred
    for each row execute function public.act_late();
  create table public.invoices (user_id uuid references auth.users deferrable initially deferred)`;

t.test('hostile triggers', async (t) => {
  const logFile = join(t.testdir({}), 'server.log');
  const server = await openTestConsole(t, { DB_APP_SCHEMA: 'auth', LOG_FILE: logFile, LOG_LEVEL: 'info' });
  const { call, database, post } = server;
  const sql = database.admin;
  await sql.query(TRIGGERS);
  const signUp = (full_name: string) => post('/signup', { email: freshEmail(), password, data: { full_name } });
  const saving = { status: 500, body: { error_code: 'unexpected_failure', msg: 'Database error saving new user' } };

  await t.test('texts of any kind and size', async (t) => {
    const text = 'esc \u001b[31m red \r\n "quoted" <b>';
    t.match(await signUp(`raise P0001 ${text}`), { status: 500, body: { msg: text } });
    t.match(await signUp('raise P0001'), saving, 'an empty text tells nothing');
    const { body } = await signUp('raise PT422 {long}');
    t.equal(Buffer.byteLength(body.msg), 1024, 'as that of a hook');
    t.match(await signUp('raise 22000 {long}'), saving);
  });

  await t.test('a SQLSTATE that means something else', async (t) => {
    // Time, connection, shutdown, slots, standby, prepared statement, deadlock.
    for (const code of ['57014', '55P03', '08006', '57P01', '53300', '25006', '26000', '42P05', '40P01', '42501']) {
      t.match(await signUp(`raise ${code} Connection terminated`), saving, code);
    }
  });

  await t.test('others who sign up at the same moment', async (t) => {
    const names = Array.from({ length: 16 }, (_, at) => (at % 4 === 0 ? 'raise 22000 no' : 'Ada'));
    const statuses = (await Promise.all(names.map(signUp))).map(({ status }) => status);
    t.same(
      statuses,
      names.map((name) => (name === 'Ada' ? 200 : 500)),
    );
  });

  await t.test('what stays in the session ends with its connection', async (t) => {
    const changes = [
      'set search_path nowhere',
      'set role pg_monitor',
      'run create temporary table users (id int); create temporary table sessions (id int)',
    ];
    for (const change of changes) {
      await signUp(change);
      const { status } = await signUp('Ada');
      t.equal(status, 200, change);
    }
    await signUp('set statement_timeout 1');
    const before = await backendsOf(database);
    // It ends with its first statement, which may be anybody's: several at once, so that it gets one.
    await until(async () => {
      await Promise.all(Array.from({ length: 8 }, () => signUp('Ada')));
      const now = await backendsOf(database);
      return before.some((pid) => !now.includes(pid));
    });
    t.equal((await signUp('Ada')).status, 200);
  });

  await t.test('what waits for the end of the transaction', async (t) => {
    t.match(await signUp('late'), { status: 500, body: { msg: 'Too late' } });
    t.match(await signUp('late fault'), saving);
    const { user, access_token: bearer } = (await signUp('Ada')).body;
    const change = await call('PUT', '/user', { bearer, body: { data: { full_name: 'late' } } });
    t.match(change, { status: 500, body: { msg: 'Too late' } });
    await sql.query('insert into public.invoices values ($1)', [user.id]);
    t.match(await asAdmin(server)('DELETE', `/admin/users/${user.id}`), {
      status: 500,
      body: { msg: 'Database error deleting user' },
    });
  });

  await t.test('the console names trigger and table', async (t) => {
    const browser = await server.signIn('viewer');
    const reasonOf = async (name: string) => {
      // Refusals are written together, those of the tests above perhaps only now.
      const since = new Date();
      await signUp(name);
      const find = () => readRow(sql, 'select request_id from refusals where created_at >= $1', [since]);
      await until(async () => (await find()) !== undefined);
      const { request_id } = await find();
      return (await browser.get(`/api/requests/${request_id}`)).body.refusals[0];
    };
    const refused = await reasonOf('raise PT403 Not here');
    t.match(refused, {
      status: 403,
      reason: /^It came from trigger act on auth\.users: function (public\.)?act: PT403$/,
    });
    const broken = await reasonOf('run insert into public.invoices (nothing) values (1)');
    t.match(broken, { reason: /trigger act on auth\.users: .*42703$/, advice: /latchkey check app-schema/ });
    t.match(await reasonOf('late fault'), { reason: /trigger act_late on auth\.users: .*22012$/ });
  });

  await t.test('the log has it in lines of a moderate size', async (t) => {
    const read = () => readFileSync(logFile, 'utf8');
    await until(() => /42703/.test(read()));
    t.match(read(), /trigger act on auth\.users: function (public\.)?act: 22000: ä+"/);
    t.match(read(), /trigger act_late on auth\.users: [^"]*22012: division by zero/);
    t.match(read(), /table public\.invoices: constraint invoices_user_id_fkey: 23503/);
    t.notMatch(read(), /prepared statements got lost/);
    t.ok(
      read()
        .split('\n')
        .every(({ length }) => length < 20_000),
    );
  });
});
