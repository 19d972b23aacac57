/**
 * Finds what breaks the previous release while both serve on one schema (REL-08). It was written before this
 * migration: its statements name the tables and columns of their time, insert without newer columns, and
 * must not violate a new constraint.
 */
const HARMFUL: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\bdrop\s+(?:table|column|view|type|function|sequence)\b/, 'drops an object it may still name'],
  [/(?:\balter\s+table\s+\S+|,)\s*drop\s+(?!constraint)/, 'drops an object it may still name'],
  [/\balter\s+column\s+\S+\s+drop\s+default\b/, 'takes away a default that it relies on'],
  [/\brename\b/, 'renames an object it may still name'],
  [/\balter\s+column\s+\S+\s+(?:set\s+data\s+)?type\b/, 'changes the type of a column it reads'],
  [/\bset\s+not\s+null\b/, 'rejects rows it may write'],
  [
    /\badd\s+(?:column\s+)?(?!constraint)\S+\s+(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/,
    'requires a value it does not write',
  ],
  [/\btruncate\b/, 'empties a table it may have filled'],
  [/\braise\b(?!\s+(?:debug|log|info|notice|warning)\b)/, 'raises an error for something it may do'],
];

/** Each rejects rows of an existing table; the previous release does not write to a new one. */
const ON_OLD_TABLES: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\bcreate\s+unique\s+index\s+.*?\son\s+(\S+)/gs, 'makes a value unique that it may write twice'],
  [/\balter\s+table\s+(\S+)\s+add\s+(?:constraint|check|unique|foreign|exclude)\b/g, 'adds a rule it may break'],
  // A trigger that runs after the write cannot change the row, nor reject it without raising.
  [
    /\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+trigger|trigger\s+(?!\S+\s+after\b))\s*.*?\son\s+(\S+)/gs,
    'adds a trigger that may change or reject what it writes',
  ],
];

/**
 * @param sql of one migration
 * @returns one sentence for each statement that breaks the previous release
 */
export function findHarmToOlderRelease(sql: string): string[] {
  const bare = sql
    .replace(/--.*$/gm, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .toLowerCase();
  const made = new Set([...bare.matchAll(/\bcreate\s+(?:unlogged\s+)?table\s+(\S+)/g)].map(([, table]) => table));
  const added = findNullableColumns(bare);
  const faults: string[] = [];
  for (const statement of bare.split(';')) {
    const table = /\balter\s+table\s+(\S+)/.exec(statement)?.[1];
    if (table !== undefined && made.has(table)) continue;
    for (const [pattern, reason] of HARMFUL) if (pattern.test(statement)) faults.push(reason);
    for (const [pattern, reason] of ON_OLD_TABLES) {
      for (const [, name] of statement.matchAll(pattern)) {
        if (!made.has(name) && !isUniqueInNew(statement, added)) faults.push(reason);
      }
    }
  }
  return [...new Set(faults)];
}

/** `table.column` of columns that stay null in rows of the previous release, which does not know them. */
function findNullableColumns(sql: string): ReadonlySet<string> {
  const columns = new Set<string>();
  for (const [, table, changes = ''] of sql.matchAll(/\balter\s+table\s+(\S+)([^;]*)/g)) {
    for (const [, column] of changes.matchAll(/\badd\s+column\s+(\S+)(?![^,;]*\bdefault\b)/g)) {
      columns.add(`${table}.${column}`);
    }
  }
  return columns;
}

/** Nulls are distinct, so a unique index on such columns rejects nothing. */
function isUniqueInNew(statement: string, added: ReadonlySet<string>): boolean {
  const [, table, columns = ''] = /\bcreate\s+unique\s+index\s+.*?\son\s+(\S+)\s*\(([^)]*)\)/s.exec(statement) ?? [];
  if (table === undefined || /\bnulls\s+not\s+distinct\b/.test(statement)) return false;
  return columns.split(',').every((column) => added.has(`${table}.${column.trim()}`));
}
