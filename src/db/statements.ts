import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** sql/queries of this package. */
export const QUERIES_DIRECTORY = fileURLToPath(new URL('../../../sql/queries/', import.meta.url));

/** One statement of sql/queries, ready to run. */
export interface Statement {
  /** `<file>.<name>`, what callers of `run` say. */
  readonly key: string;
  /** Name for Postgres: unique per prefix and text, at most 63 bytes (longer ones are cut by the server). */
  readonly name: string;
  readonly text: string;
  readonly parameterCount: number;
  /** Declared by a `-- read` line: changes nothing, so it may be repeated when the connection breaks (REL-03). */
  readonly isRead: boolean;
  /**
   * Declared by a `-- batch of other` line: does for arrays of values what `<file>.other` does for one, and says in
   * `batch_position` (from 1) whose each row is.
   */
  readonly batchOf: string | undefined;
  /** Declared by a `-- redo missing` line of a batch: who gets no row from it is run alone. */
  readonly redoesMissing: boolean;
}

const NAMESPACE = /^[a-z_][a-z0-9_]{0,30}$/;
const MARKED_NAME = /\/\*p\*\/([a-z_][a-z0-9_]*)/g;
const MAX_NAME_BYTES = 63;

/**
 * The prefix a namespace puts before every table, index, type and function name (decisions.md 19).
 * @param namespace value of DB_NAMESPACE; empty: none
 * @returns `''` or `<namespace>_`
 * @throws when the namespace could be anything but a plain lower-case name (SEC-75)
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
 * Puts the prefix where a file of sql/ says `/*p*\/name`. The marker is a comment, so the files run unchanged in psql.
 * @throws when the prefix is not one of {@link prefixOf} or a name grows past what Postgres keeps
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
 * @throws when two blocks share a name, a block is empty, or its `$n` have gaps
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

/** The statements of one file's text. */
export function parseStatements(source: string, file: string, prefix: string): Statement[] {
  const [, ...blocks] = source.split(/^-- name:[ \t]*/m);
  return blocks.map((block) => {
    const name = /^[a-z_][a-z0-9_]*(?=\s*$)/m.exec(block.split('\n', 1)[0] ?? '')?.[0];
    if (name === undefined) throw new Error(`sql/${file}.sql: a "-- name:" line needs a lower-case name`);
    const key = `${file}.${name}`;
    const lines = block.split('\n').slice(1);
    // Full-line comments stay in the file: without prepared statements the text travels with every call.
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

// The text's hash is part of the name: behind a bouncer two releases share server connections (REL-08).
function serverName(key: string, text: string): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${key.slice(0, MAX_NAME_BYTES - 9)}:${digest}`;
}
