/** docs/growing/splitting.md lists every statement that needs more than one shard. */

import { loadStatements, QUERIES_DIRECTORY } from '../../src/db/statements.js';
import { distributionKeys, isOneShard } from '../support/shards.js';
import { readSource, readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const page = readSource('docs/growing/splitting.md').text;
const statements = loadStatements(QUERIES_DIRECTORY, '');

t.test('every table has a distribution key, the same here and there', async (t) => {
  const migrations = readTree(['sql/migrations'], '.sql')
    .map(({ text }) => text)
    .join('\n');
  const tables = [...migrations.matchAll(/create (?:unlogged )?table \/\*p\*\/(\w+)/g)].map(([, name]) => name!);
  t.same([...tables, 'migrations'].sort(), Object.keys(distributionKeys).sort());
  for (const [table, key] of Object.entries(distributionKeys)) {
    const said = key === 'everywhere' ? 'a copy everywhere' : `\`${key}\``;
    t.ok(page.includes(`| \`${table}\` | ${said} |`), `${table}: ${said}`);
  }
});

t.test('every statement that uses more than one shard is listed, and no other', async (t) => {
  const listed = [...page.matchAll(/`([a-z-]+\.[a-z_]+)`/g)].map(([, key]) => key!);
  t.same(listed.length, new Set(listed).size, 'each once');
  const wide = [...statements.values()].filter((statement) => !isOneShard(statement)).map(({ key }) => key);
  t.same(listed.sort(), wide.sort());
});

t.test('the check distinguishes them', async (t) => {
  const one = [
    'select 1 from "users" u where u.id = $1',
    'delete from "sessions" s where s.user_id = $1 and s.id = $2',
    'select 1 from "rate_counters" c where c.name = $1 and c.key = $2',
    'insert into "users" (id, email)\nvalues ($1, $2)',
    'with a as (update "users" u set email = $2 where u.id = $1) insert into "audit_log" (payload) values ($3)',
  ];
  const many = [
    'select 1 from "users" u where u.email = $1',
    'update "sessions" s set generation = 1 where s.id = $1',
    'select 1 from "users" u left join "sessions" s on s.id = c.session_id where u.id = $1',
    'delete from "one_time_tokens" t where t.id = $1',
    'select 1 from "users" u, "rate_counters" c where u.id = $1 and c.key = $2',
    'select count(*) from "users" u',
    'select 1 from "audit_log" a',
    'select 1 from "users" u where u.id = $1 and exists (select from "users" o where o.phone = $2)',
  ];
  for (const text of one) t.ok(isOneShard({ text }), text);
  for (const text of many) t.notOk(isOneShard({ text }), text);
});
