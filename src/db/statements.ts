import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** sql/queries of this package. */
export const QUERIES_DIRECTORY = fileURLToPath(new URL('../../../sql/queries/', import.meta.url));

/** One statement of sql/queries, ready to run. */
export interface Statement {
  /** `<file>.<name>`, the argument of `run`. */
  readonly key: string;
  /**
   * Name of the prepared statement: unique per prefix and text, at most 63 bytes (the server truncates longer ones).
   */
  readonly name: string;
  readonly text: string;
  readonly parameterCount: number;
  /** Declared by `-- read`: changes nothing, so it may be repeated when the connection breaks (REL-03). */
  readonly isRead: boolean;
  /**
   * Declared by `-- batch of other`: does for arrays of values what `<file>.other` does for one. `batch_position` (from
   * 1) gives the caller of each row.
   */
  readonly batchOf: string | undefined;
  /** Declared by `-- redo missing` in a batch: a caller without a row is run singly. */
  readonly redoesMissing: boolean;
}

const NAMESPACE = /^[a-z_][a-z0-9_]{0,30}$/;
const MARKED_NAME = /\/\*p\*\/([a-z_][a-z0-9_]*)/g;
const MAX_NAME_BYTES = 63;

/**
 * The prefix of every table, index, type and function name (docs/decisions.md, Namespace).
 * @param namespace value of DB_NAMESPACE; empty: none
 * @returns `''` or `<namespace>_`
 * @throws Error when the namespace is not a plain lower-case name (SEC-75)
 */
export function prefixOf(namespace: string): string {
  if (namespace === '') return '';
  if (!NAMESPACE.test(namespace)) {
    throw new Error(
      'AUTH_DB_NAMESPACE must be a lower-case name of at most 31 letters, digits and underscores that does not begin with a digit, for example: auth',
    );
  }
  return `${namespace}_`;
}

/**
 * Replaces the marker in `/*p*\/name` by the prefix. The marker is a comment, so the files run unchanged in psql.
 * @throws Error when the prefix is not one of {@link prefixOf}, or a name becomes too long for Postgres
 */
export function applyPrefix(sql: string, prefix: string): string {
  if (prefix !== '' && !NAMESPACE.test(prefix.slice(0, -1))) throw new Error('The table prefix is not a plain name.');
  return sql.replace(MARKED_NAME, (_, name: string) => {
    if (prefix.length + name.length > MAX_NAME_BYTES) {
      throw new Error(`AUTH_DB_NAMESPACE is too long: ${prefix}${name} has more than ${MAX_NAME_BYTES} bytes.`);
    }
    return `"${prefix}${name}"`;
  });
}

/**
 * Reads every `.sql` file of a directory.
 * @param directory of files whose statements begin with `-- name: some_name`
 * @param prefix from {@link prefixOf}
 * @returns statements by `<file without .sql>.<name>`
 * @throws Error when two statements share a name, one is empty, or its `$n` have gaps
 */
export function loadStatements(directory: string, prefix: string): ReadonlyMap<string, Statement> {
  const statements = new Map<string, Statement>();
  for (const file of readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()) {
    for (const statement of parseStatements(
      readFileSync(join(directory, file), 'utf8'),
      basename(file, '.sql'),
      prefix,
    )) {
      if (statements.has(statement.key)) throw new Error(`sql: ${statement.key} is there twice`);
      statements.set(statement.key, statement);
    }
  }
  return statements;
}

/** By prefix. A process may open several databases: a replica, too, and in tests one for each server. */
const own = new Map<string, ReadonlyMap<string, Statement>>();

/** The statements of {@link QUERIES_DIRECTORY}, which are read once a process. @throws like {@link loadStatements} */
export function ownStatements(prefix: string): ReadonlyMap<string, Statement> {
  const statements = own.get(prefix) ?? loadStatements(QUERIES_DIRECTORY, prefix);
  own.set(prefix, statements);
  return statements;
}

/** The statements of one file's text. */
export function parseStatements(source: string, file: string, prefix: string): Statement[] {
  const [, ...blocks] = source.split(/^-- name:[ \t]*/m);
  return blocks.map((block) => {
    const name = /^[a-z_][a-z0-9_]*(?=\s*$)/m.exec(block.split('\n', 1)[0] ?? '')?.[0];
    if (name === undefined) throw new Error(`sql/${file}.sql: a "-- name:" line needs a lower-case name`);
    const key = `${file}.${name}`;
    const lines = block.split('\n').slice(1);
    // Full-line comments are dropped: without prepared statements the text is sent with every call.
    const body = lines.filter((line) => !/^\s*--/.test(line)).join('\n');
    const text = applyPrefix(body.trim().replace(/;$/, ''), prefix);
    if (text === '') throw new Error(`sql/${file}.sql: ${name} has no statement`);
    const isRead = lines.some((line) => /^-- read\s*$/.test(line));
    const single = lines.map((line) => /^-- batch of ([a-z_]+)\s*$/.exec(line)?.[1]).find(Boolean);
    return {
      key,
      name: serverName(`${prefix}${key}`, text),
      text,
      parameterCount: countParameters(text, key),
      isRead,
      batchOf: single && `${file}.${single}`,
      redoesMissing: lines.some((line) => /^-- redo missing\s*$/.test(line)),
    };
  });
}

function countParameters(text: string, key: string): number {
  const numbers = new Set([...text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
  const highest = Math.max(0, ...numbers);
  if (highest !== numbers.size) throw new Error(`sql: ${key} skips a parameter below $${highest}`);
  return highest;
}

// The name contains a hash of the text, since two releases may share server connections behind a pooler (REL-08).
export function serverName(key: string, text: string): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${key.slice(0, MAX_NAME_BYTES - 9)}:${digest}`;
}
