import { loadStatements, parseStatements, QUERIES_DIRECTORY } from '../../src/db/statements.js';
import { createTestDatabase, readServerMajor } from '../support/database.js';
import { findWholeReads } from '../support/explain.js';
import { fillTables, smallTables } from '../support/large-tables.js';
import { pickForm, sameInFull } from '../support/long-form.js';
import { skipHere } from '../support/not-here.js';
import { t } from '../support/tap.js';

/**
 * Of each table: enough for the planner to prefer an index wherever it can use one. The short form has a tenth of that, and ten
 * times the price of reading a table.
 */
const ROWS = pickForm({ short: 5000, full: 50_000, long: 200_000 });
const PRICE = pickForm({ short: 10, full: 1 });

/** Statements that may read a whole table, and why. No unauthenticated request runs one. */
const exceptions: Readonly<Record<string, string>> = {
  'admin-list.newest': 'counts the accounts of an audience for an operator',
  'admin-list.oldest': 'counts the accounts of an audience for an operator',
  'admin-list.matching': 'looks for a substring, for an operator',
  'audit.page': 'counts the entries for an operator',
  'audit.matching': 'looks for a substring, for an operator',
  'oauth-clients.page': 'counts the clients for an operator',
  'outbox.waiting': 'counts the mails that wait, which a quota bounds',
  'prune.count': 'counts what an operator is about to delete',
  'prune.sessions': 'an index on the age of sessions would cost every refresh; every ten minutes, with clean-up only',
  'records.count_active':
    'an index on the last use of sessions would cost every refresh; once an hour, with a console only',
  'records.active_now': 'reads a bounded number of sessions, for an operator',
  'export.count': 'counts the accounts that an operator exports',
  'organization-transfer.count': 'counts what an operator exports',
  'organization-transfer.without_owner': 'counts for an operator, at the end of an import',
  'organization-roles.delete': 'looks who gives the role, for an operator: an index would cost every invitation',
  'organization-roles.replace_in_rules': 'the same, and of people that are provisioned',
  'verify.count': 'counts what an operator has imported',
  'limits.prune': 'an index on the age of counters would cost every request that is counted; every ten minutes',
};

t.test(`REL-28: every statement uses an index, in tables of ${ROWS} rows`, async (t) => {
  const { admin } = await createTestDatabase(t);
  if ((await readServerMajor(admin)) < 14)
    return skipHere(t, 'Postgres 13 chooses the plan of an exists() when it runs it');
  const filled = await fillTables(admin, ROWS);
  await admin.query(`set seq_page_cost = ${PRICE}; set cpu_tuple_cost = ${PRICE / 100}`);

  await t.test('every table is large, or always small', async (t) => {
    const { rows } = await admin.query<{ name: string }>(
      "select table_name::text as name from information_schema.tables where table_schema = 'public'",
    );
    t.same(rows.map(({ name }) => name).sort(), [...filled, ...Object.keys(smallTables)].sort());
  });

  await t.test('statements', async (t) => {
    const statements = [...loadStatements(QUERIES_DIRECTORY, '').values()];
    for (const statement of statements) {
      const found = await findWholeReads(admin, statement, filled);
      if (!(statement.key in exceptions)) t.same(found, [], statement.key);
      // At a higher price an exception may use an index.
      else if (PRICE === 1) t.not(found.length, 0, `${statement.key} is an exception for a reason`);
    }
    const keys = new Set(statements.map(({ key }) => key));
    t.same(
      Object.keys(exceptions).filter((key) => !keys.has(key)),
      [],
      'no exception is left over',
    );
  });

  await t.test('cascading deletes', async (t) => {
    const { rows } = await admin.query<{ key: string; has_index: boolean }>(`
      select c.conname::text as key, exists (
        select from pg_index i
        where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]
          and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ 'IS NOT NULL')
      ) as has_index
      from pg_constraint c where c.contype = 'f'`);
    t.ok(rows.length >= 6);
    for (const { key, has_index } of rows) t.ok(has_index, key);
  });

  await t.test('the check fails when it should', async (t) => {
    const [scan, whole, limited] = parseStatements(
      `-- name: scan
select id from one_time_tokens where wrong_tries = $1;
-- name: whole
select count(*) from (select created_at from flow_states order by created_at desc offset 0) f;
-- name: limited
select id from one_time_tokens where recipient = $1 order by created_at limit 1;
`,
      'test',
      '',
    );
    t.same(await findWholeReads(admin, scan!, filled), ['one_time_tokens']);
    t.equal((await findWholeReads(admin, whole!, filled)).length, 1);
    t.same(await findWholeReads(admin, limited!, filled), []);
    await admin.query('drop index one_time_tokens_recipient_idx');
    t.same(await findWholeReads(admin, limited!, filled), ['one_time_tokens']);
  });
});

t.test('REL-28: a refresh changes no indexed column, so it stays a heap-only update', sameInFull, async (t) => {
  const { admin } = await createTestDatabase(t);
  const { rows } = await admin.query<{ definition: string }>(
    "select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'sessions'::regclass",
  );
  t.ok(rows.length >= 2);
  for (const { definition } of rows) {
    t.notMatch(definition, /generation|refreshed_at|user_agent|\bip\b/, definition);
  }
  const counters = await admin.query<{ definition: string }>(
    "select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'rate_counters'::regclass",
  );
  t.equal(counters.rows.length, 1, 'and a count none but its key');
});
