import { ownStatements } from '../../src/db/statements.js';
import { createTestDatabase } from '../support/database.js';
import { t } from '../support/tap.js';

/** Postgres compares the plans of so many calls with one for all values, before it keeps that one. */
const TRIED = 5;

t.test('a refresh is not planned anew with each call, also where accounts have many sessions', async (t) => {
  const { admin } = await createTestDatabase(t);
  await admin.query(
    `insert into users (id, aud, role, email, password_hash)
     select gen_random_uuid(), 'authenticated', 'authenticated', n || '@example.com', 'x' from generate_series(1, 1500) n`,
  );
  await admin.query('insert into sessions (user_id) select u.id from users u cross join generate_series(1, 20)');
  await admin.query('vacuum analyze');
  const { rows } = await admin.query('select id from sessions limit 1');
  const { name, text } = ownStatements('').get('sessions.redeem_refresh_token')!;
  for (let generation = 0; generation < 2 * TRIED; generation++) {
    const values = [rows[0].id, generation, 'test', '127.0.0.1', null, null];
    t.equal((await admin.query({ name, text, values })).rows.length, 1);
  }
  const { rows: plans } = await admin.query(
    'select custom_plans::int as custom from pg_prepared_statements where name = $1',
    [name],
  );
  t.same(plans, [{ custom: TRIED }]);
});
