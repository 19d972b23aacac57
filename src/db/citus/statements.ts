import { fileURLToPath } from 'node:url';
import { loadStatements, ownStatements, type Statement } from '../statements.js';

const DIRECTORY = fileURLToPath(new URL('../../../../sql/citus/', import.meta.url));

const read = new Map<string, ReadonlyMap<string, Statement>>();

/** The statements of sql/queries that a cluster runs too, and those of sql/citus. A batch there is one of a shard. */
export function citusStatements(prefix: string): ReadonlyMap<string, Statement> {
  let all = read.get(prefix);
  if (all === undefined) {
    const own = [...ownStatements(prefix)].filter(([, { batchOf }]) => batchOf === undefined);
    all = new Map([...own, ...loadStatements(DIRECTORY, prefix)]);
    read.set(prefix, all);
  }
  return all;
}
