/** kill -9 during what an operator does to a hundred accounts: each deed and its audit entry are both there, or neither is. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { loadConfig } from '../../src/server/config/load.js';
import { ConsoleBrowser, inviteOperator, signInByLink } from '../support/console-browser.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { pickForm } from '../support/long-form.js';
import { type ServerProcess, spawnServer } from '../support/process.js';
import { cross, pickRows } from '../support/rows.js';
import { testEnvironment } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('a server that is killed again and again; the same of other work: rel-14-kill');

/**
 * Where the process is killed: while the audit entry waits for a lock, while the change does, or at any moment. In the first
 * two its connections end as well, as in a machine that fails: what was sent and not committed is not done.
 */
type Moment = 'audit' | 'change' | 'any';
const MOMENTS: readonly Moment[] = pickForm({
  short: ['audit', 'change'],
  long: ['audit', 'change', ...Array.from({ length: 6 }, () => 'any' as const)],
});
/** The most that a request may name. */
const PEOPLE = 100;

interface Deed {
  readonly path: string;
  readonly body: (people: readonly Person[]) => object;
  /** Ids of those to whom it has been done. */
  readonly done: string;
  /** What it changes. */
  readonly table: 'users' | 'sessions';
  /** Of its audit entry. */
  readonly action: string;
}

interface Person {
  readonly id: string;
  readonly email: string;
}

const ids = (people: readonly Person[]): string[] => people.map(({ id }) => id);
const bulk = (action: string): Pick<Deed, 'path' | 'body'> => ({
  path: '/api/users/bulk',
  body: (people) => ({ action, ids: ids(people), reason: 'kill' }),
});
const deeds: Readonly<Record<string, Deed>> = {
  ban: {
    ...bulk('ban'),
    done: 'select id from users where banned_until > now()',
    table: 'users',
    action: 'user_modified',
  },
  confirm: {
    ...bulk('confirm'),
    done: 'select id from users where email_confirmed_at is not null',
    table: 'users',
    action: 'user_modified',
  },
  'sign out': {
    ...bulk('sign_out'),
    done: 'select u.id from unnest($1::uuid[]) u (id) where not exists (select from sessions s where s.user_id = u.id and s.revoked_at is null)',
    table: 'sessions',
    action: 'logout',
  },
  delete: {
    path: '/api/users/bulk-delete',
    body: (people) => ({ users: people.map(({ id, email }) => ({ id, typed: email })), reason: 'kill' }),
    done: 'select u.id from unnest($1::uuid[]) u (id) where not exists (select from users where users.id = u.id)',
    table: 'users',
    action: 'user_deleted',
  },
};

/** To confirm is as to ban: a change of the account. */
const DEEDS = Object.entries(deeds).filter(([name]) => pickForm({ short: name !== 'confirm', full: true }));

async function addPeople(admin: pg.Client): Promise<Person[]> {
  const { rows } = await admin.query<Person>(
    `with people as (
      insert into users (id, aud, role, email)
      select gen_random_uuid(), 'authenticated', 'authenticated', gen_random_uuid() || '@example.com'
      from generate_series(1, $1::int)
      returning id, email
    ), opened as (
      insert into sessions (id, user_id) select gen_random_uuid(), id from people
    )
    select id, email from people`,
    [PEOPLE],
  );
  return rows;
}

/** Of those people, sorted. */
async function readIds(admin: pg.Client, sql: string, people: readonly Person[]): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>(
    `with wanted as (select $1::uuid[] as ids) select d.id from (${sql}) d, wanted w where d.id = any(w.ids) order by 1`,
    [ids(people)],
  );
  return rows.map(({ id }) => id);
}

const OTHERS = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
const count = async (admin: pg.Client, condition: string): Promise<number> =>
  (await admin.query<{ n: number }>(`select count(*)::int as n ${OTHERS} ${condition}`)).rows[0]!.n;

/** Kills the server in the middle of a deed. @returns when none of its statements runs any more */
async function killAt(moment: Moment, table: string, server: ServerProcess, admin: pg.Client): Promise<void> {
  if (moment === 'any') {
    await pause(Math.random() * 20);
    await server.stop('SIGKILL');
  } else {
    await admin.query(`begin; lock table ${moment === 'audit' ? 'audit_log' : table} in share mode`);
    await until(async () => (await count(admin, "and wait_event_type = 'Lock'")) > 0);
    await server.stop('SIGKILL');
    await admin.query(`select pg_terminate_backend(pid) ${OTHERS}`);
    await admin.query('rollback');
  }
  await until(async () => (await count(admin, '')) === 0);
}

t.test('kill -9 during a deed to a hundred accounts', async (t) => {
  const { url, admin } = await createTestDatabase(t);
  const consolePort = await freePort();
  const settings = { CONSOLE_PORT: String(consolePort) };
  const { config } = loadConfig({ environment: testEnvironment(url, settings), file: null });
  const { link } = await inviteOperator(config, 'ann', 'owner');
  const browser = new ConsoleBrowser(consolePort);
  const cases = pickRows(cross(MOMENTS, DEEDS), [([moment]) => moment, ([, deed]) => deed]);
  for (const [moment, [name, { path, body, done, table, action }]] of cases) {
    const people = await addPeople(admin);
    const server = await spawnServer(t, url, settings);
    if (browser.cookie === '') await signInByLink(browser, link);
    await admin.query('update operator_sessions set proven_at = now()');
    const answer = browser.post(path, body(people)).catch(() => 'cut');
    const enough = 1 + Math.floor(Math.random() * 30);
    await until(async () => (await readIds(admin, done, people)).length >= enough);
    await killAt(moment, table, server, admin);
    if (moment !== 'any') t.equal(await answer, 'cut');

    const changed = await readIds(admin, done, people);
    const audited = await readIds(
      admin,
      `select (payload -> 'traits' ->> 'user_id')::uuid as id from audit_log
          where payload ->> 'action' = '${action}' and payload -> 'traits' -> 'operator' ->> 'name' = 'ann'`,
      people,
    );
    t.ok(changed.length >= enough, `${name}: ${changed.length} of ${PEOPLE}`);
    t.same(audited, changed, `${name}, ${moment}: an audit entry for each that was changed, and for no other`);
  }
});
