import { fileURLToPath } from 'node:url';
import { loadStatements, ownStatements, type Statement, serverName } from '../statements.js';

const DIRECTORY = fileURLToPath(new URL('../../../../sql/citus/queries/', import.meta.url));

const read = new Map<string, ReadonlyMap<string, Statement>>();

/** The statements of sql/queries that a cluster runs too, and those of sql/citus. A batch there is one of a shard. */
export function citusStatements(prefix: string): ReadonlyMap<string, Statement> {
  let all = read.get(prefix);
  if (all === undefined) {
    const own = [...ownStatements(prefix).values()].filter(({ batchOf }) => batchOf === undefined);
    all = new Map([...own.map((one) => [one.key, withColumns(one)] as const), ...loadStatements(DIRECTORY, prefix)]);
    read.set(prefix, all);
  }
  return all;
}

/**
 * Citus carries the result of a sub-select from node to node, which it cannot do with one of no columns (13.2: "a column definition
 * list is required"). Those of `exists` have none here.
 */
function withColumns(statement: Statement): Statement {
  const text = statement.text.replace(/\(\s*select\s+from\b/g, '(select 1 from');
  return text === statement.text ? statement : { ...statement, text, name: serverName(statement.key, text) };
}
