/**
 * What the release before cannot live with while both serve on one schema (REL-08). It was written before this
 * migration: its statements name the tables and columns they knew, insert without the columns they did not know, and
 * must not meet a rule that their rows may break.
 */
const HARMFUL: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\bdrop\s+(?:table|column|view|type|function|sequence)\b/, 'drops what it may still name'],
  [/(?:\balter\s+table\s+\S+|,)\s*drop\s+(?!constraint)/, 'drops what it may still name'],
  [/\balter\s+column\s+\S+\s+drop\s+default\b/, 'takes away a default that it relies on'],
  [/\brename\b/, 'renames what it may still name'],
  [/\balter\s+column\s+\S+\s+(?:set\s+data\s+)?type\b/, 'changes the type of a column it reads'],
  [/\bset\s+not\s+null\b/, 'refuses rows it may write'],
  [
    /\badd\s+(?:column\s+)?(?!constraint)\S+\s+(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/,
    'wants a value it does not give',
  ],
  [/\btruncate\b/, 'empties what it may have filled'],
  [/\braise\b(?!\s+(?:debug|log|info|notice|warning)\b)/, 'refuses what it may do'],
];

/** Each of them refuses rows on a table that was there before; on one that is new nobody else writes. */
const ON_OLD_TABLES: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\bcreate\s+unique\s+index\s+.*?\son\s+(\S+)/gs, 'makes unique what it may write twice'],
  [/\balter\s+table\s+(\S+)\s+add\s+(?:constraint|check|unique|foreign|exclude)\b/g, 'adds a rule it may break'],
  // One that runs after the row is written cannot change it, nor refuse it without raising.
  [
    /\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+trigger|trigger\s+(?!\S+\s+after\b))\s*.*?\son\s+(\S+)/gs,
    'adds a trigger that may change or refuse what it writes',
  ],
];

/**
 * @param sql of one migration
 * @returns one sentence for each thing that the release before cannot live with
 */
export function findHarmToOlderRelease(sql: string): string[] {
  const bare = sql
    .replace(/--.*$/gm, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .toLowerCase();
  const made = new Set([...bare.matchAll(/\bcreate\s+(?:unlogged\s+)?table\s+(\S+)/g)].map(([, table]) => table));
  const faults: string[] = [];
  for (const statement of bare.split(';')) {
    const table = /\balter\s+table\s+(\S+)/.exec(statement)?.[1];
    if (table !== undefined && made.has(table)) continue;
    for (const [pattern, reason] of HARMFUL) if (pattern.test(statement)) faults.push(reason);
    for (const [pattern, reason] of ON_OLD_TABLES) {
      for (const [, name] of statement.matchAll(pattern)) if (!made.has(name)) faults.push(reason);
    }
  }
  return [...new Set(faults)];
}
