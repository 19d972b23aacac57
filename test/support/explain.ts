import type pg from 'pg';
import type { Statement } from '../../src/db/statements.js';

/** A node of EXPLAIN (FORMAT JSON), reduced to what is checked. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Makes the generic plan of a statement, which does not depend on the values.
 * @param tables the large ones
 * @returns which of them it reads completely: by a sequential scan, or by an index scan without a condition.
 *   An ordered index scan with a limit does not count
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
