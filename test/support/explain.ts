import type pg from 'pg';
import type { Statement } from '../../src/db/statements.js';

/** As much of a node of EXPLAIN (FORMAT JSON) as is looked at. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Plans a statement as the server plans it for keeps: without knowing the values.
 * @param tables the large ones
 * @returns which of them it reads from one end to the other: row by row, or an index of theirs that it gives no condition.
 *   An index that is read in its order up to a limit is none of these
 */
export async function findWholeReads(
  admin: pg.Client,
  statement: Statement,
  tables: readonly string[],
): Promise<readonly string[]> {
  const name = admin.escapeIdentifier(statement.name);
  const values = Array.from({ length: statement.parameterCount }, () => 'null').join(', ');
  await admin.query(`set plan_cache_mode = force_generic_plan; prepare ${name} as ${statement.text}`);
  const { rows } = await admin.query(`explain (format json) execute ${name}${values === '' ? '' : `(${values})`}`);
  await admin.query(`deallocate ${name}; reset plan_cache_mode`);
  const found: string[] = [];
  const visit = (node: PlanNode, isLimited: boolean): void => {
    const table = node['Relation Name'];
    const isSequential = node['Node Type'] === 'Seq Scan' && table !== undefined && tables.includes(table);
    const isWholeIndex =
      /^(Index|Index Only|Bitmap Index) Scan$/.test(node['Node Type']) &&
      node['Index Cond'] === undefined &&
      !isLimited;
    if (isSequential) found.push(table);
    else if (isWholeIndex) found.push(node['Index Name']!);
    for (const child of node.Plans ?? []) visit(child, isLimited || node['Node Type'] === 'Limit');
  };
  visit(rows[0]['QUERY PLAN'][0].Plan, false);
  return found;
}
