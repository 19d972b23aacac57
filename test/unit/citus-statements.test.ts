/** The statements of a cluster are made from those of a single server: a change of one of these must not leave a patch behind. */
import { COPIED, copyOf } from '../../src/db/citus/copies.js';
import { readPatches } from '../../src/db/citus/patches.js';
import { sessionRoutes } from '../../src/db/citus/routes.js';
import { ShardMap } from '../../src/db/citus/shard-map.js';
import { coordinatorStatements, shardKey, shardStatements } from '../../src/db/citus/statements.js';
import { ownStatements } from '../../src/db/statements.js';
import { t } from '../support/tap.js';

const copies = Object.fromEntries(Object.keys(COPIED).map((table, at) => [table, String(200 + at)]));

t.test('every patch belongs to a statement, and applies', (t) => {
  for (const prefix of ['', 'auth_']) {
    const own = ownStatements(prefix);
    for (const key of readPatches(prefix).keys()) {
      if (key !== '*') t.ok(own.has(key), key);
    }
    t.ok(coordinatorStatements(prefix).size > 0, 'none of them is missing in its statement');
  }
  t.end();
});

t.test('batches are for shards, and names of prepared statements differ', (t) => {
  const statements = [...coordinatorStatements('').values()];
  t.strictSame(
    statements.filter(({ batchOf }) => batchOf !== undefined),
    [],
  );
  const ofShards = ['101', '102'].flatMap((shard) => [
    ...shardStatements('', { shard, records: `9${shard}`, copies }).values(),
  ]);
  const names = [...statements, ...ofShards].map(({ name }) => name);
  t.equal(new Set(names).size, names.length);
  t.end();
});

t.test('a statement of a shard asks its tables only, and makes sure of it', (t) => {
  for (const prefix of ['', 'auth_']) {
    const statements = shardStatements(prefix, { shard: '101', records: '301', copies });
    for (const key of sessionRoutes.keys()) t.ok(statements.has(shardKey(key, '101')), key);
    for (const { key, text, isRead, batchOf } of statements.values()) {
      const tables = [...text.matchAll(/(?:from|join|update|into) "([a-z0-9_]+)"/g)].map(([, name]) => name!);
      const wanted = [
        `${prefix}sessions_101`,
        `${prefix}session_records_301`,
        ...Object.keys(COPIED).map((table) => `${prefix}${copyOf(table)}_${copies[table]}`),
      ];
      t.strictSame(
        tables.filter((table) => !wanted.includes(table)),
        [],
        `${key} names no other table`,
      );
      t.match(text, isRead ? `"${prefix}assert_shard"(101)` : `"${prefix}hold_shard"(101)`, key);
      t.notMatch(text, 'policies_in_force', key);
      if (batchOf !== undefined) t.ok(statements.has(batchOf), `${key} is a batch of another one`);
    }
  }
  t.end();
});

t.test('what leaves a record is for the coordinator where there are no records yet', (t) => {
  const leaving = [...sessionRoutes].filter(([, { leavesRecord }]) => leavesRecord).map(([key]) => key);
  t.ok(leaving.length > 0);
  const statements = shardStatements('', { shard: '101', records: undefined, copies });
  for (const key of leaving) {
    t.notOk(statements.has(shardKey(key, '101')), key);
    t.ok(coordinatorStatements('').has(key));
  }
  t.end();
});

t.test('the tags of sessions are compared by the coordinator, whose sessions are on all nodes', (t) => {
  const { tags: ofRefresh } = sessionRoutes.get('sessions.redeem_refresh_token')!;
  t.equal(ofRefresh!(['id', 1, null, null, null, null]), undefined);
  t.equal(ofRefresh!(['id', 1, null, null, null, '{"timebox_seconds":60}']), undefined);
  t.strictSame(ofRefresh!(['id', 1, null, null, null, '{"timebox_seconds":60,"tags":"web,app"}']), ['web,app', 60]);
  const { tags: ofState } = sessionRoutes.get('sessions.refresh_state')!;
  t.equal(ofState!(['id', 10, null, null, null]), undefined);
  t.strictSame(ofState!(['id', 10, 60, null, 'web,app']), ['web,app', 60]);
  t.end();
});

t.test('the places of the shards', (t) => {
  const copyRows = Object.keys(COPIED).map((table, at) => ({ copy: `auth_${copyOf(table)}`, shard: 200 + at }));
  const halves = [
    { shard: 102, records: 302, lowest: 0, highest: 2 ** 31 - 1, host: 'b', port: 5433 },
    { shard: 101, records: null, lowest: -(2 ** 31), highest: -1, host: 'a', port: 5432 },
  ];
  const map = new ShardMap(halves, copyRows);
  t.strictSame([...map.nodes], ['a:5432', 'b:5433']);
  t.strictSame(map.copies, copies);
  t.throws(() => new ShardMap(halves.slice(1), copyRows), /do not cover/);
  t.throws(() => new ShardMap([], copyRows), /no shards/);
  t.throws(() => new ShardMap(halves, copyRows.slice(1)), /no copy of users/);
  const moved = new ShardMap([halves[0]!, { ...halves[1]!, host: 'c' }], copyRows);
  t.equal(moved.names, map.names, 'the same shards');
  t.not(moved.text, map.text, 'at other places');
  t.strictSame(
    map.shards.map(({ records }) => records),
    [undefined, '302'],
  );
  const distributedAgain = new ShardMap([halves[0]!, { ...halves[1]!, records: 301 }], copyRows);
  t.not(distributedAgain.names, map.names, 'other statements');
  t.end();
});
