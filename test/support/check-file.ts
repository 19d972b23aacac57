/** Rules for files that Biome does not have. */
import ts from 'typescript';
import { lineOf, parseSource, walk } from './parse-source.js';
import type { SourceFile } from './source-tree.js';

/** The one file that may leave out a test, with a reason. */
const SKIPS = 'test/support/not-here.ts';

/** What {@link skipsTests} looks for; parsing takes a hundred times longer. */
const MAY_SKIP = /\b(?:only|skip|todo|pass|plan)\b/;
/** Each with a character class, so that the rule does not match itself. */
const UNFINISHED = /\b(?:TO[D]O|FIX[M]E|XX[X]|HAC[K])\b/;
const MACHINE_PATH = /(?<![\w.:/<>{}-])(?:\/(?:home|Users|root|work|workspace)\/|[A-Z]:\\Users\\)[\w.-]/;
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)+$/;
const MIGRATION = /^\d{5}_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/;

/** @returns one sentence for each line with a marker of unfinished work or a path of one machine */
export function findTextFaults({ path, text }: SourceFile): string[] {
  return text
    .split('\n')
    .flatMap((line, index) => [
      ...(UNFINISHED.test(line) ? [`${path}:${index + 1} has a marker of unfinished work`] : []),
      ...(MACHINE_PATH.test(line) ? [`${path}:${index + 1} has a path of one machine`] : []),
    ]);
}

/** Whether the name of a file is in kebab-case, or `00001_what_it_does.sql` for a migration. */
export function isWellNamed(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (path.startsWith('sql/migrations/') ? MIGRATION : KEBAB).test(name);
}

/** @returns one sentence for each place in a test where tests are left out */
export function findSkippedTests({ path, text }: SourceFile): string[] {
  if (!MAY_SKIP.test(text)) return [];
  const source = parseSource(path, text);
  const faults: string[] = [];
  walk(source, (node) => {
    if (path !== SKIPS && ts.isCallExpression(node) && skipsTests(node))
      faults.push(`${path}:${lineOf(source, node)} leaves out tests`);
  });
  return faults;
}

/**
 * `t.only()`, `t.skip()`, `t.todo()`, options of these names on a call of `test`; `t.pass('not run: …')` and `t.plan(0)`,
 * in place of which {@link SKIPS} has a function.
 */
function skipsTests({ expression: callee, arguments: given }: ts.CallExpression): boolean {
  const words = ['only', 'skip', 'todo'];
  if (!ts.isPropertyAccessExpression(callee)) return false;
  const { name, expression } = callee;
  const first = given[0]?.getText() ?? '';
  if (name.text === 'pass') return /^['"`](?:not run|skip)/i.test(first);
  if (name.text === 'plan') return first === '0';
  const isOnTest = ts.isIdentifier(expression) && /^t\d*$|^tap$|[tT]est$/.test(expression.text);
  if (words.includes(name.text)) return isOnTest || ts.isPropertyAccessExpression(expression);
  if (name.text !== 'test') return false;
  const options = given.filter(ts.isObjectLiteralExpression).flatMap(({ properties }) => [...properties]);
  return options.some((property) => property.name !== undefined && words.includes(property.name.getText()));
}
