import { randomUUID } from 'node:crypto';
import { cachedSession } from '../../src/db/account-cache.js';
import { findCaller } from '../../src/db/callers.js';
import { openDatabase } from '../../src/db/pool.js';
import { redeemGeneration } from '../../src/db/sessions.js';
import { loadStatements, QUERIES_DIRECTORY } from '../../src/db/statements.js';
import type { Database } from '../../src/db/types.js';
import { createTestDatabase } from '../support/database.js';
import { chooseSeed, openRandom } from '../support/long-form.js';
import { type Test, t } from '../support/tap.js';

const quiet = (): void => undefined;
const quietLog = { debug: quiet, info: quiet, warn: quiet };

async function openWithCaller(t: Test) {
  const { url, admin } = await createTestDatabase(t);
  const db = openDatabase({ url, maxConnections: 2, prefix: '', preparedStatements: true, log: quietLog });
  t.teardown(() => db.close());
  const id = randomUUID();
  await admin.query(`insert into users (id, aud, email) values ($1, 'authenticated', 'a@example.com')`, [id]);
  const { rows } = await admin.query('insert into sessions (user_id) values ($1) returning id', [id]);
  return { db, admin, id, sessionId: rows[0].id as string };
}

/** A fresh read: a new database object has an empty cache. */
const readAnew = (db: Database, id: string, sessionId: string) =>
  findCaller({ ...db, run: db.run.bind(db) }, id, sessionId);

const redeem = (db: Database, sessionId: string, generation: number) =>
  redeemGeneration(
    db,
    { sessionId, generation },
    { userAgent: null, ip: null },
    {
      bounds: { timeboxSeconds: null, inactivitySeconds: null, singlePerTag: null },
      renewedAt: null,
      oauthClient: null,
    },
    cachedSession(db, sessionId),
  );

t.test('an account that has not changed is not sent again', async (t) => {
  const { db, id, sessionId } = await openWithCaller(t);
  const first = await findCaller(db, id, sessionId);
  const again = await findCaller(db, id, sessionId);
  t.ok(first !== undefined && again !== undefined && first.user === again.user, 'the very same row');
  t.ok(Object.isFrozen(first?.user), 'immutable');
  const [raw] = await db.run<{ version: string; user: unknown }>('users.caller', [id, sessionId]);
  const known = (...values: (string | null)[]) => db.run('users.known_caller', values);
  const changed = [{ has_changed: true }];
  t.same(await known(id, sessionId, raw!.version), [], 'no change');
  t.same(await known(id, null, raw!.version), changed, 'but for no session');
  t.same(await known(id, randomUUID(), raw!.version), changed, 'a session that is not there');
  t.same(await known(randomUUID(), sessionId, raw!.version), changed, 'the session of another user');
  t.same(await known(id, sessionId, `${raw!.version}1`), changed, 'and another version');
  t.same(await db.run('users.caller', [randomUUID(), sessionId]), [], 'an unknown user');
  const batch = await Promise.all([1, 2, 3].map(() => findCaller(db, id, sessionId)));
  t.ok(
    batch.every((caller) => caller?.user === first?.user),
    'nor in a batch',
  );
  t.not((await readAnew(db, id, sessionId))?.user, first?.user, 'each database remembers for itself');
});

t.test('nor by a refresh', async (t) => {
  const { db, admin, id, sessionId } = await openWithCaller(t);
  const first = await redeem(db, sessionId, 0);
  const again = await redeem(db, sessionId, 1);
  t.match(again, { generation: 2, session: { session_id: sessionId, aal: 'aal1', amr: [] } });
  t.ok(first !== undefined && first.session === again?.session && Object.isFrozen(first.session), 'nor the session');
  t.ok(first !== undefined && first.user === again?.user, 'the very same row');
  t.equal((await findCaller(db, id, sessionId))?.user, first?.user, 'which a caller finds, too');
  await admin.query(`update users set phone = '1' where id = $1`, [id]);
  const renewed = await findCaller(db, id, sessionId);
  t.equal(renewed?.user.phone, '1');
  t.equal((await redeem(db, sessionId, 2))?.user, renewed?.user, 'and what a caller has read is known to a refresh');
});

t.test('an identity that moves gives both accounts a new version, and a new account is written once', async (t) => {
  const { db, admin, id, sessionId } = await openWithCaller(t);
  const otherId = randomUUID();
  await admin.query(
    `with made as (insert into users (id, aud) values ($1, 'authenticated') returning id)
     insert into identities (user_id, provider, provider_id, identity_data) select id, 'github', '1', '{}' from made`,
    [otherId],
  );
  const { rows } = await admin.query('select ctid::text as place from users where id = $1', [otherId]);
  t.same(rows, [{ place: '(0,2)' }], 'next to the first account, not one further');
  const identities = async () => [
    (await findCaller(db, id, sessionId))?.user.identities.length,
    (await findCaller(db, otherId, null))?.user.identities.length,
  ];
  t.same(await identities(), [0, 1]);
  await admin.query('update identities set user_id = $1', [id]);
  t.same(await identities(), [1, 0]);
  await admin.query('delete from users where id = $1', [otherId]);
  await admin.query('delete from identities');
  t.same(await identities(), [0, undefined]);
});

t.test('every change is in the next answer', async (t) => {
  const { db, admin, id, sessionId } = await openWithCaller(t);
  const { int, pick } = openRandom(chooseSeed(t));
  const changes: Record<string, () => Promise<unknown>> = {
    metadata: () => admin.query('update users set user_metadata = $2 where id = $1', [id, { n: int(1e9) }]),
    'one column, without updated_at': () => admin.query('update users set phone = $2 where id = $1', [id, int(1e9)]),
    ban: () => admin.query(`update users set banned_until = now() + interval '1 day' where id = $1`, [id]),
    unban: () => admin.query('update users set banned_until = null where id = $1', [id]),
    revoke: () => admin.query('update sessions set revoked_at = now() where id = $1', [sessionId]),
    'another level': () =>
      admin.query('update sessions set aal = $2 where id = $1', [sessionId, pick(['aal1', 'aal2'])]),
    'another method': () =>
      admin.query('update sessions set amr = $2 where id = $1', [
        sessionId,
        JSON.stringify([{ method: 'password', timestamp: int(1e9) }]),
      ]),
    'open again': () => admin.query('update sessions set revoked_at = null where id = $1', [sessionId]),
    'add an identity': () =>
      admin.query(`insert into identities (user_id, provider, provider_id, identity_data) values ($1, $2, $2, '{}')`, [
        id,
        randomUUID(),
      ]),
    'change an identity': () =>
      admin.query(
        `update identities set identity_data = $2
         where id = (select id from identities where user_id = $1 order by random() limit 1)`,
        [id, { n: int(1e9) }],
      ),
    'remove an identity': () =>
      admin.query(
        'delete from identities where id = (select id from identities where user_id = $1 order by random() limit 1)',
        [id],
      ),
    'two changes at once': async () => {
      await admin.query('begin');
      await admin.query(`update users set user_metadata = '{"n": 1}' where id = $1`, [id]);
      await admin.query(`update users set user_metadata = '{"n": 2}' where id = $1`, [id]);
      await admin.query('commit');
    },
    'a change that is taken back': async () => {
      await admin.query('begin');
      await admin.query(`update users set user_metadata = '{"n": 3}' where id = $1`, [id]);
      await admin.query('rollback');
    },
    'an organization': () =>
      admin.query(
        `with added as (insert into organizations (name, slug) values ('a', $2) returning id)
         insert into organization_members (organization_id, user_id, roles, via)
         select a.id, $1, array[$3], 'admin' from added a`,
        [id, randomUUID(), pick(['member', 'owner'])],
      ),
    'another active organization': () =>
      admin.query(
        `update sessions s set organization_id = (
           select m.organization_id from organization_members m where m.user_id = s.user_id order by random() limit 1)
         where s.id = $1`,
        [sessionId],
      ),
    'other policies': () =>
      admin.query(
        `update organizations set policies = jsonb_build_object('require_sso', $1::boolean, 'session_hours', 8)
         where id = (select organization_id from sessions)`,
        [pick([true, false])],
      ),
    'another name of the organization': () =>
      admin.query(
        'update organizations set slug = gen_random_uuid()::text where id = (select organization_id from sessions)',
      ),
    'other roles': () =>
      admin.query(
        'update organization_members set roles = array[$1] where organization_id = (select organization_id from sessions)',
        [pick(['member', 'owner', 'admin'])],
      ),
    'no organization': () => admin.query('update sessions set organization_id = null'),
    'the end of a membership': () =>
      admin.query('delete from organization_members where organization_id = (select organization_id from sessions)'),
    'the end of an organization': () =>
      admin.query('delete from organizations where id = (select organization_id from sessions)'),
    'a new table behind it': () => admin.query('vacuum full users'),
    nothing: async () => undefined,
  };
  const names = Object.keys(changes);
  let generation = 0;
  for (let step = 0; step < 300; step++) {
    const name = step < names.length ? names[step]! : pick(names.slice(0, -2));
    await changes[name]!();
    // Either may be the first to see the change.
    let refreshed = step % 2 === 0 ? await redeem(db, sessionId, generation) : undefined;
    const known = await findCaller(db, id, sessionId);
    if (step % 2 === 1) refreshed = await redeem(db, sessionId, generation);
    const fresh = await readAnew(db, id, sessionId);
    if (JSON.stringify(known) !== JSON.stringify(fresh)) t.same(known, fresh, `step ${step}: ${name}`);
    const mayRefresh = fresh?.is_banned === false && fresh.has_session;
    if ((refreshed !== undefined) !== mayRefresh) t.fail(`step ${step}: ${name}: refreshed against ${mayRefresh}`);
    if (refreshed === undefined) continue;
    generation += 1;
    if (JSON.stringify(refreshed.user) !== JSON.stringify(fresh?.user)) t.same(refreshed.user, fresh?.user, name);
    const { rows } = await admin.query(
      `select s.id as session_id, s.aal, s.amr, s.client, (
         select json_build_object('id', o.id, 'slug', o.slug, 'roles', m.roles, 'version', o.xmin::text,
           'policies', policies_in_force(o.id, o.policies))
         from organizations o join organization_members m on m.organization_id = o.id and m.user_id = s.user_id
         where o.id = s.organization_id) as organization
       from sessions s where s.id = $1`,
      [sessionId],
    );
    if (JSON.stringify(refreshed.session) !== JSON.stringify(rows[0])) t.same(refreshed.session, rows[0], name);
  }
  t.pass('300 changes');
  await admin.query('update users set deleted_at = now() where id = $1', [id]);
  t.equal(await findCaller(db, id, sessionId), undefined, 'gone is gone');
});

t.test('the number of sessions does not matter', async (t) => {
  const { admin } = await createTestDatabase(t);
  await admin.query(
    `insert into users (id, aud, email) select gen_random_uuid(), 'authenticated', n || '@example.com' from generate_series(1, 20000) n`,
  );
  // In the order of the index, so that Postgres takes it for the cheaper one.
  await admin.query('insert into sessions (user_id) select id from users order by id');
  await admin.query('vacuum analyze');
  const { rows: some } = await admin.query('select id from users limit 1');
  const userId = some[0].id;
  const { rows: many } = await admin.query(
    'insert into sessions (user_id) select $1 from generate_series(1, 500) returning id',
    [userId],
  );
  const sessionId = many.at(-1).id;
  const statements = loadStatements(QUERIES_DIRECTORY, '');
  const values = {
    'users.caller': `'${userId}', '${sessionId}'`,
    'users.callers': `array['${userId}']::uuid[], array['${sessionId}']::uuid[]`,
    'users.known_caller': `'${userId}', '${sessionId}', '1'`,
    'users.known_callers': `array['${userId}']::uuid[], array['${sessionId}']::uuid[], array['1']::text[]`,
  };
  await admin.query('set plan_cache_mode = force_generic_plan');
  for (const [key, given] of Object.entries(values)) {
    await admin.query(`prepare one as ${statements.get(key)!.text}`);
    const { rows } = await admin.query(`explain (analyze, format json) execute one(${given})`);
    const lookedAt = [...JSON.stringify(rows).matchAll(/"(?:Actual Rows|Rows Removed by [A-Za-z ]+)":([\d.]+)/g)];
    t.ok(lookedAt.length > 3, `${key} was explained`);
    t.ok(Math.max(...lookedAt.map(([, count]) => Number(count))) < 10, 'no node has looked at all sessions');
    await admin.query('deallocate one');
  }
});
