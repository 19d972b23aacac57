/** The statements of a cluster: those of the coordinator, and those of one shard. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { applyPrefix, loadStatements, ownStatements, type Statement, serverName } from '../statements.js';
import { COPIED, copyOf } from './copies.js';
import { patched } from './patches.js';
import { joinsCopies, sessionRoutes } from './routes.js';

const DIRECTORY = fileURLToPath(new URL('../../../../sql/citus/queries/', import.meta.url));
const SHARD_DIRECTORY = fileURLToPath(new URL('../../../../sql/citus/shard-queries/', import.meta.url));

/** In the place of a function, which could not look at tables in a part of a statement that Citus sends to a node. */
const POLICIES = readFileSync(
  fileURLToPath(new URL('../../../../sql/citus/policies-in-force.sql', import.meta.url)),
  'utf8',
)
  .replace(/^--.*\n/gm, '')
  .trim();

const read = new Map<string, ReadonlyMap<string, Statement>>();

/**
 * What the coordinator runs: the statements of sql/queries, or in their place those of the same name in sql/citus. There are no batches:
 * they are for one shard.
 */
export function coordinatorStatements(prefix: string): ReadonlyMap<string, Statement> {
  let all = read.get(prefix);
  if (all === undefined) {
    const own = [...ownStatements(prefix).values()].filter(({ batchOf }) => batchOf === undefined);
    const adapted = own.map((one) => {
      const text = patched(one, prefix);
      return joinsCopies.has(one.key) ? withCopies(text, prefix) : withColumns(text);
    });
    all = new Map([...adapted.map((one) => [one.key, one] as const), ...loadStatements(DIRECTORY, prefix)]);
    read.set(prefix, all);
  }
  return all;
}

const readOfShards = new Map<string, ReadonlyMap<string, Statement>>();

/** The statements that only shards have. */
function ofShards(prefix: string): ReadonlyMap<string, Statement> {
  const statements = readOfShards.get(prefix) ?? loadStatements(SHARD_DIRECTORY, prefix);
  readOfShards.set(prefix, statements);
  return statements;
}

/** What a shard of Citus is called on its node. */
export interface ShardNames {
  /** Of the sessions. */
  readonly shard: string;
  /** Of session_records; undefined: there is none, and what leaves a record is for the coordinator. */
  readonly records: string | undefined;
  /** The only shard of each copy, by the table. */
  readonly copies: Readonly<Record<string, string>>;
}

/** Key of a statement for one shard. */
export const shardKey = (key: string, shard: string): string => `${key}@${shard}`;

/**
 * The statements that ask for one session, and their batches, as the node of a shard runs them: on the tables of the shard, which Postgres
 * plans once, and Citus does not look at. So each of them makes sure first that the shard is still there (sql/citus/shards.sql).
 */
export function shardStatements(
  prefix: string,
  { shard, records, copies }: ShardNames,
): ReadonlyMap<string, Statement> {
  const found = new Map<string, Statement>();
  const shared = [...ownStatements(prefix).values()].flatMap((statement) => {
    const route = sessionRoutes.get(statement.batchOf ?? statement.key);
    return route === undefined || route.leavesRecord ? [] : [patched(statement, prefix)];
  });
  const own = records === undefined ? [] : ofShards(prefix).values();
  for (const statement of [...shared, ...own]) {
    const guard = `"${prefix}${statement.isRead ? 'assert_shard' : 'hold_shard'}"(${shard})`;
    let text = withPolicies(statement.text, prefix).replaceAll('/*s*/', `(select ${guard}) and`);
    text = text.replaceAll(`"${prefix}sessions"`, `"${prefix}sessions_${shard}"`);
    text = text.replaceAll(`"${prefix}session_records"`, `"${prefix}session_records_${records}"`);
    for (const table of Object.keys(COPIED)) {
      text = text.replaceAll(`"${prefix}${table}"`, `"${prefix}${copyOf(table)}_${copies[table]}"`);
    }
    const key = shardKey(statement.key, shard);
    found.set(key, {
      ...statement,
      key,
      text,
      name: serverName(`${prefix}${key}`, text),
      batchOf: statement.batchOf && shardKey(statement.batchOf, shard),
    });
  }
  return found;
}

/** The policies of an organization, without the function. */
const withPolicies = (text: string, prefix: string): string =>
  text.replaceAll(`"${prefix}policies_in_force"(o.id, o.policies)`, applyPrefix(POLICIES, prefix));

/** Of one session at any node: Citus finds its shard, and joins the copies there. */
function withCopies(statement: Statement, prefix: string): Statement {
  const text = Object.keys(COPIED).reduce(
    (text, table) => text.replaceAll(`"${prefix}${table}"`, `"${prefix}${copyOf(table)}"`),
    withPolicies(statement.text, prefix),
  );
  return { ...statement, text, name: serverName(`${prefix}${statement.key}`, text) };
}

/**
 * Citus carries the result of a sub-select from node to node, which it cannot do with one of no columns (13.2: "a column definition
 * list is required"). Those of `exists` have none here.
 */
function withColumns(statement: Statement): Statement {
  const text = statement.text.replace(/\(\s*select\s+from\b/g, '(select 1 from');
  return text === statement.text ? statement : { ...statement, text, name: serverName(statement.key, text) };
}
