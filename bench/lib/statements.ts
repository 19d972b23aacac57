import { fileURLToPath } from 'node:url';
import { loadStatements, QUERIES_DIRECTORY, type Statement } from '../../src/db/statements.js';

const ROOT = new URL('../../../', import.meta.url);
let loaded: ReadonlyMap<string, Statement> | undefined;

/** A statement of bench/sql or, failing that, of the server's own sql/queries. @throws when neither has it */
export function statement(key: string): Statement {
  loaded ??= new Map([
    ...loadStatements(QUERIES_DIRECTORY, ''),
    ...loadStatements(fileURLToPath(new URL('bench/sql', ROOT)), ''),
  ]);
  const found = loaded.get(key);
  if (found === undefined) throw new Error(`No statement named ${key}`);
  return found;
}
