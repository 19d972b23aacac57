/** What a cluster says otherwise in a statement (sql/citus/patches.sql). */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { applyPrefix, type Statement, serverName } from '../statements.js';

const FILE = fileURLToPath(new URL('../../../../sql/citus/patches.sql', import.meta.url));

export interface Patch {
  readonly find: string;
  readonly replace: string;
}

const read = new Map<string, ReadonlyMap<string, readonly Patch[]>>();

/** @returns the patches of each statement, by its key */
export function readPatches(prefix: string): ReadonlyMap<string, readonly Patch[]> {
  let patches = read.get(prefix);
  if (patches === undefined) {
    patches = parsePatches(prefix);
    read.set(prefix, patches);
  }
  return patches;
}

function parsePatches(prefix: string): ReadonlyMap<string, readonly Patch[]> {
  const [, ...blocks] = applyPrefix(readFileSync(FILE, 'utf8'), prefix).split(/^-- in: /m);
  return new Map(
    blocks.flatMap((block) => {
      const [head = '', ...parts] = block.split(/^-- find:\n/m);
      const patches = parts.map((part) => {
        const [find = '', replace = ''] = part.split(/^-- replace:\n/m);
        return { find: find.trimEnd(), replace: replace.trimEnd() };
      });
      // Some statements say the same.
      return head
        .trim()
        .split(' ')
        .map((key) => [key, patches] as const);
    }),
  );
}

/** Key of the patches of all statements, which need not be in each. */
const ALL = '*';

/** @throws Error when a part is not there once */
export function patched(statement: Statement, prefix: string): Statement {
  const patches = readPatches(prefix);
  let { text } = statement;
  for (const { find, replace } of patches.get(ALL) ?? []) text = text.replaceAll(find, replace);
  for (const { find, replace } of patches.get(statement.key) ?? []) {
    const [before, after, ...more] = text.split(find);
    if (before === undefined || after === undefined || more.length > 0) {
      throw new Error(`sql/citus/patches.sql: a part to find is not there once in ${statement.key}: ${find}`);
    }
    text = before + replace + after;
  }
  return text === statement.text
    ? statement
    : { ...statement, text, name: serverName(`${prefix}${statement.key}`, text) };
}
