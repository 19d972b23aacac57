import { createRequire } from 'node:module';
import pg from 'pg';
import { Connection, clientConfig } from '../../src/db/connection.js';
import { runPrepared } from '../../src/db/prepared-query.js';
import { parseStatements } from '../../src/db/statements.js';
import type { SqlValue } from '../../src/db/types.js';
import { createTestDatabase } from '../support/database.js';
import { type Test, t } from '../support/tap.js';

t.test('pg is the version whose private members are used', async (t) => {
  const { version } = createRequire(import.meta.url)('pg/package.json') as { version: string };
  t.equal(version, '8.23.1', 'compare prepared-query.ts and getStartupConf() of connection.ts with the new version');
});

async function connect(t: Test, statementTimeoutMs = 3000) {
  const { url, admin } = await createTestDatabase(t);
  const options = { url, connectTimeoutMs: 2000, statementTimeoutMs, sendsTimeouts: statementTimeoutMs > 500 };
  const client = new Connection(clientConfig(options));
  client.on('error', () => undefined);
  await client.connect();
  t.teardown(() => client.end());
  /** Messages of the server to this client. */
  const heard: string[] = [];
  const wire = client as unknown as { connection: { on(event: string, listener: () => void): void } };
  for (const name of ['parseComplete', 'rowDescription', 'commandComplete']) {
    wire.connection.on(name, () => heard.push(name));
  }
  return { client, admin, heard };
}

const statement = (text: string) => parseStatements(`-- name: one\n${text};`, 'test', '')[0]!;

const awkward = ['', ' ', 'NULL', 'null', 'a,b', '{}', '"', '\\', '\\"', "'", 'a"b\\c', 'Käse 🧀', '\n\t', '$1', null];

t.test('values arrive unchanged, alone and in arrays', async (t) => {
  const { client } = await connect(t);
  const one = statement('select $1::text as text, $2::text[] as texts');
  for (const value of awkward) {
    t.same(await runPrepared(client, one, [value, [value]]), [{ text: value, texts: [value] }]);
  }
  t.same(await runPrepared(client, one, [null, awkward]), [{ text: null, texts: awkward }]);
  t.same(await runPrepared(client, one, [undefined as unknown as null, []]), [{ text: null, texts: [] }]);
});

t.test('every type of value and column is parsed as in pg', async (t) => {
  const { client } = await connect(t);
  const text = `select $1::int as int, $2::bigint as bigint, $3::float8 as float, $4::boolean as yes, $5::bytea as bytes,
    $6::timestamptz as at, $7::jsonb as json, $8::float8[] as floats, $9::boolean[] as flags, null as nothing, now() > $6 as late`;
  const values: SqlValue[] = [
    -7,
    2 ** 53 - 1,
    0.1,
    true,
    Buffer.from([0, 1, 255]),
    new Date('2026-02-03T04:05:06.789Z'),
    '{"a":[1,"\\u00e9"]}',
    [1.5, -2, 1e300],
    [true, null, false] as unknown as SqlValue,
  ];
  const { rows } = await client.query(text, values as unknown[]);
  t.match(rows, [
    { int: -7, bigint: 2 ** 53 - 1, at: '2026-02-03T04:05:06.789Z', json: { a: [1, 'é'] }, nothing: null },
  ]);
  for (let i = 0; i < 3; i++) t.same(await runPrepared(client, statement(text), values), rows);
  await t.rejects(runPrepared(client, statement('select $1::timestamptz'), [new Date('no')]), RangeError);
});

t.test('columns are described once per connection', async (t) => {
  const { client, heard } = await connect(t);
  const rows = statement('select generate_series(1, $1::int) as n');
  for (const n of [3, 0, 2]) t.equal((await runPrepared(client, rows, [n])).length, n);
  const none = statement('set local test.nothing = 1');
  for (let i = 0; i < 2; i++) t.same(await runPrepared(client, none, []), []);
  t.same(heard, [
    ...['parseComplete', 'rowDescription', 'commandComplete', 'commandComplete', 'commandComplete'],
    ...['parseComplete', 'commandComplete', 'commandComplete'],
  ]);
});

t.test('columns that change under a prepared statement are an error once, not wrong values', async (t) => {
  const { client, admin } = await connect(t);
  await admin.query('create table changing (a int)');
  await admin.query('insert into changing values (1)');
  const all = statement('select * from changing');
  t.same(await runPrepared(client, all, []), [{ a: 1 }]);
  await admin.query('alter table changing add b text default $$x$$');
  await t.rejects(runPrepared(client, all, []), { code: '0A000' });
});

t.test('an error fails its statement only, and its stack has the caller', async (t) => {
  const { client } = await connect(t);
  const divide = statement('select 1 / $1::int as result');
  const outcomes = [];
  for (const by of [1, 0, 1, 0]) {
    outcomes.push(
      await runPrepared(client, divide, [by]).then(
        () => 'fine',
        (error) => error,
      ),
    );
  }
  t.match(outcomes, ['fine', { code: '22012' }, 'fine', { code: '22012' }]);
  t.match((outcomes[1] as Error).stack, /prepared-query\.test/);
  await t.rejects(runPrepared(client, statement('select from nowhere'), []), { code: '42P01' });
  await t.rejects(runPrepared(client, statement('copy users from stdin'), []), /copy nothing/);
  t.same(await runPrepared(client, divide, [1]), [{ result: 1 }], 'the connection is as good as before');
});

t.test('a value that cannot be parsed is an error, too', async (t) => {
  const { client } = await connect(t);
  const POINT = 600 as Parameters<typeof pg.types.getTypeParser>[0];
  const original = pg.types.getTypeParser(POINT);
  pg.types.setTypeParser(POINT, () => {
    throw new Error('unreadable');
  });
  t.teardown(() => pg.types.setTypeParser(POINT, original));
  await t.rejects(runPrepared(client, statement(`select '(1,2)'::point from generate_series(1, 3)`), []), /unreadable/);
  t.same(await runPrepared(client, statement('select 1 as n'), []), [{ n: 1 }]);
});

t.test('a silent server is waited for up to the time-out of pg', async (t) => {
  const { client } = await connect(t, 200);
  await t.rejects(runPrepared(client, statement('select pg_sleep(1.5)'), []), { message: 'Query read timeout' });
});
