/** `npm test -- --changed`: which test files a change is tested by, within a minute. */
import { readTree } from '../source-tree.js';
import { type Change, listChange } from './changed-files.js';
import { type Closeness, type Relation, TestIndex } from './closeness.js';
import { costOf, type FileCosts } from './file-costs.js';
import { ImportGraph } from './import-graph.js';

export interface Pick {
  /** Source paths of the test files, the closest first. */
  readonly files: readonly string[];
  /** What was picked, and what else the change may reach. */
  readonly text: string;
}

/** Processor time of what is picked beside the tests of conventions: with these and the build a minute on two cores. */
const BUDGET_SECONDS = 22;
/** What is less close than this part of the closest is left to `npm test`. */
const LEAST_SCORE = 0.1;
const SHOWN = 3;
const SOURCES = /\.(?:tsx?|cjs|sql|json|css|svg)$/;
const CONVENTIONS = 'test/conventions/';
/** What all code is built and run with. */
const WHOLE = /^(?:package(?:-lock)?\.json|tsconfig\.json|src\/web\/tsconfig\.json|src\/dev\/compile\.mjs|\.taprc)$/;

/** @param isAll whether all that the change may reach is picked */
export function pickTests(
  root: string,
  { reference, isAll, costs }: { readonly reference: string; readonly isAll: boolean; readonly costs: FileCosts },
): Pick {
  const graph = new ImportGraph(
    readTree(['src', 'test', 'bench', 'sql', 'bin', 'examples', 'clients']).filter(({ path }) => SOURCES.test(path)),
  );
  return pickFrom(graph, listChange(root, reference), { isAll, costs });
}

/** As {@link pickTests}, of a graph and a change that are known. */
export function pickFrom(
  graph: ImportGraph,
  { base, paths, lines }: Change,
  { isAll, costs }: { readonly isAll: boolean; readonly costs: FileCosts },
): Pick {
  const all = [...graph.files.keys()].filter((path) => path.endsWith('.test.ts'));
  const conventions = all.filter((path) => path.startsWith(CONVENTIONS));
  const index = new TestIndex(
    graph,
    all.filter((path) => !path.startsWith(CONVENTIONS)),
  );
  const ranks = paths.map((path) => ({ path, rank: index.rank(path, lines.get(path)) }));
  const whole = paths.filter((path) => WHOLE.test(path));
  const reached = closest(ranks.flatMap(({ rank }) => rank));
  const isPicked = isAll ? () => true : fitBudget(costs);
  const picked = reached.filter(isPicked);
  const rest = reached.filter((each) => !picked.includes(each));
  const files = isAll && whole.length > 0 ? all : [...new Set([...picked.map(({ file }) => file), ...conventions])];
  const count = (relation: Relation) => picked.filter((each) => each.relation === relation).length;
  const report = [
    `${paths.length} ${paths.length === 1 ? 'file differs' : 'files differ'} from ${base}:`,
    ...ranks.map(({ path, rank }) => `  ${path}: ${describeReach(rank, WHOLE.test(path))}`),
    `Picked ${files.length} of ${all.length} test files: ${count('changed')} that changed, ${count('imports')} that import ` +
      `what changed, ${count('server')} of those that start the whole server, ${conventions.length} of conventions.`,
    ...(isAll ? [] : describeRest(rest, whole)),
  ];
  return { files, text: report.map((line) => `# ${line}\n`).join('') };
}

/** Each test file once, as close as it is to any of the changed files; the closest first. */
function closest(ranks: readonly Closeness[]): Closeness[] {
  const best = new Map<string, Closeness>();
  const order = (each: Closeness): number => each.score + (each.relation === 'changed' ? 1000 : 0);
  for (const each of ranks) {
    const known = best.get(each.file);
    if (known === undefined || order(known) < order(each)) best.set(each.file, each);
  }
  return [...best.values()].sort((a, b) => order(b) - order(a) || a.file.localeCompare(b.file));
}

/** Changed tests, and the closest that fit the time; those that measure time are left to a quiet machine. */
function fitBudget(costs: FileCosts): (each: Closeness) => boolean {
  let left = BUDGET_SECONDS;
  return ({ file, relation, score }) => {
    const cost = costOf(file, costs);
    if (relation !== 'changed' && (cost > left || score < LEAST_SCORE || file.includes('.alone.'))) return false;
    left -= cost;
    return true;
  };
}

function describeReach(rank: readonly Closeness[], isWhole: boolean): string {
  if (isWhole) return 'everything is built and run with it';
  if (rank[0]?.relation === 'changed') return 'a test file';
  const importing = rank.filter(({ relation }) => relation === 'imports').length;
  if (rank.length === 0) return 'no test file uses it, those of conventions excepted';
  return `${importing} test files import it, ${rank.length - importing} more start the whole server`;
}

function describeRest(rest: readonly Closeness[], whole: readonly string[]): string[] {
  if (whole.length > 0) return [`All test files may show what ${whole.join(', ')} changes: npm test`];
  if (rest.length === 0) return ['No other test file reaches the change.'];
  const names = rest.slice(0, SHOWN).map(({ file }) => file);
  return [
    `Not run: ${rest.length} more that may reach it, ${names.join(', ')} first. All: npm test -- --changed --all`,
  ];
}
