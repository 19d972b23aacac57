import { randomUUID } from 'node:crypto';
import { findCaller } from '../../src/db/callers.js';
import { openDatabase } from '../../src/db/pool.js';
import { loadStatements, QUERIES_DIRECTORY } from '../../src/db/statements.js';
import { createTestDatabase, readServerMajor } from '../support/database.js';
import { skipHere } from '../support/not-here.js';
import { type Test, t } from '../support/tap.js';

const quiet = (): void => undefined;
const quietLog = { debug: quiet, info: quiet, warn: quiet };

async function openBoth(t: Test, maxConnections: number) {
  const { url, admin } = await createTestDatabase(t);
  const db = openDatabase({ url, maxConnections, prefix: '', preparedStatements: true, log: quietLog });
  t.teardown(() => db.close());
  return { db, admin };
}

t.test('callers read in batches get the same as alone', async (t) => {
  const { db, admin } = await openBoth(t, 4);
  const people: { id: string; sessionId: string; isGone: boolean; isBanned: boolean }[] = [];
  for (let index = 0; index < 40; index++) {
    const id = randomUUID();
    await admin.query(
      `insert into users (id, aud, email, banned_until, deleted_at) values ($1, 'authenticated', $2, $3, $4)`,
      [id, `${id}@example.com`, index % 7 === 0 ? '2999-01-01' : null, index % 11 === 0 ? '2020-01-01' : null],
    );
    await admin.query(
      `insert into identities (user_id, provider, provider_id, identity_data) values ($1::uuid, 'email', $1::text, '{}')`,
      [id],
    );
    const session = await admin.query('insert into sessions (user_id) values ($1) returning id', [id]);
    people.push({ id, sessionId: session.rows[0].id, isGone: index % 11 === 0, isBanned: index % 7 === 0 });
  }
  const questions = Array.from({ length: 400 }, (_, index) => {
    const person = people[(index * 17) % people.length]!;
    const sessionId = [person.sessionId, null, randomUUID()][index % 3]!;
    return index % 13 === 0 ? { person: null, id: randomUUID(), sessionId } : { person, id: person.id, sessionId };
  });
  const answers = await Promise.all(questions.map(({ id, sessionId }) => findCaller(db, id, sessionId)));
  for (const [index, { person, id, sessionId }] of questions.entries()) {
    const answer = answers[index];
    if (person === null || person.isGone) {
      if (answer !== undefined) t.fail(`question ${index}: no user expected`);
      continue;
    }
    t.match(answer, {
      user: { id, identities: [{ user_id: id }], password_hash: undefined, batch_position: undefined },
      is_banned: person.isBanned,
      has_session: sessionId === person.sessionId,
    });
  }
  const alone = await findCaller(db, people[1]!.id, people[1]!.sessionId);
  t.same(
    alone,
    answers[
      questions.findIndex(({ person, sessionId }) => person === people[1] && sessionId === people[1]!.sessionId)
    ] ?? alone,
  );
});

t.test('one invalid question fails alone', async (t) => {
  const { db, admin } = await openBoth(t, 4);
  const id = randomUUID();
  await admin.query(`insert into users (id, aud) values ($1, 'authenticated')`, [id]);
  const results = await Promise.allSettled([
    ...Array.from({ length: 10 }, () => findCaller(db, id, null)),
    findCaller(db, 'not a uuid', null),
    ...Array.from({ length: 10 }, () => findCaller(db, id, null)),
  ]);
  t.equal(results.filter(({ status }) => status === 'rejected').length, 1);
});

t.test('a batch of any size uses the cached plan', async (t) => {
  const { admin } = await createTestDatabase(t);
  if ((await readServerMajor(admin)) < 14) return skipHere(t, 'Postgres 13 does not count plans');
  const batches = [...loadStatements(QUERIES_DIRECTORY, '').values()].filter(({ batchOf }) => batchOf !== undefined);
  t.ok(batches.length >= 2);
  for (const { key, text, parameterCount } of batches) {
    await admin.query(`prepare batch as ${text}`);
    const {
      rows: [{ types }],
    } = await admin.query(`select parameter_types::text[] as types from pg_prepared_statements where name = 'batch'`);
    t.equal(types.length, parameterCount);
    const values = types.map((type: string) => `array[null, null]::${type}`).join(', ');
    for (let i = 0; i < 10; i++) await admin.query(`explain execute batch(${values})`);
    const { rows } = await admin.query(
      `select custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements where name = 'batch'`,
    );
    // Postgres makes a plan of its own for each of the first five (plancache.c, choose_custom_plan).
    t.same(rows, [{ custom: 5, generic: 5 }], key);
    await admin.query('deallocate batch');
  }
});

t.test('a locked session delays no other', async (t) => {
  const { db, admin } = await openBoth(t, 6);
  const userId = randomUUID();
  await admin.query(`insert into users (id, aud) values ($1, 'authenticated')`, [userId]);
  const sessions: string[] = [];
  for (let i = 0; i < 8; i++) {
    const { rows } = await admin.query('insert into sessions (user_id) values ($1) returning id', [userId]);
    sessions.push(rows[0].id);
  }
  const redeem = (id: string, generation = 0) =>
    db.run('sessions.redeem_refresh_token', [id, generation, 'agent', '127.0.0.1', null, null]);
  const held = sessions.slice(0, 4);
  await admin.query('begin');
  await admin.query('select from sessions where id = any($1) for update', [held]);
  const waiting: Promise<unknown[]>[] = [];
  for (const together of [held.slice(0, 2), held.slice(2, 3), held.slice(3)]) {
    waiting.push(...together.map((id) => redeem(id)));
    // So that earlier batches are in flight, and a single caller is alone in its batch.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const id of sessions.slice(4)) t.equal((await redeem(id)).length, 1);
  await admin.query('commit');
  t.equal((await Promise.all(waiting)).flat().length, held.length, 'and theirs are redeemed as soon as it is let go');
});

t.test('an answer that was remembered is given only for the account it was made for, in a batch, too', async (t) => {
  const { db, admin } = await openBoth(t, 1);
  const userId = randomUUID();
  const { rows } = await admin.query(
    `insert into users (id, aud) values ($1, 'authenticated') returning to_json(updated_at) as at`,
    [userId],
  );
  const made = await admin.query(
    'insert into sessions (user_id) select $1::uuid from generate_series(1, 20) returning id',
    [userId],
  );
  /** The first is sent alone; the others wait for its connection, and so become a batch. */
  const redeemAll = (updatedAt: string) =>
    Promise.all(
      made.rows.map(({ id }) =>
        db.run('sessions.redeem_refresh_token', [
          ...[id, 0, 'agent', '127.0.0.1', null],
          JSON.stringify({ account_updated_at: updatedAt }),
        ]),
      ),
    );
  const before = await redeemAll('2020-01-01T00:00:00Z');
  t.equal(before.flat().length, 0, 'the account has changed since');
  const { rows: states } = await admin.query('select generation::int as generation from sessions group by 1');
  t.same(states, [{ generation: 0 }], 'and no token is spent');
  t.equal((await redeemAll(rows[0].at)).flat().length, made.rows.length);
});
