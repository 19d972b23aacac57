/**
 * Globs with the separators `.` and `/` (docs/decisions.md, Redirect patterns; SEC-35). A pattern becomes an NFA whose
 * active states are simulated together. There is no backtracking: time is bounded by text length × pattern length.
 */

/** @returns whether the whole text matches */
export type Matcher = (text: string) => boolean;

export class GlobError extends Error {
  /** @param message completes a sentence that begins with the pattern */
  constructor(message: string) {
    super(message);
    this.name = 'GlobError';
  }
}

type Step =
  | { readonly kind: 'literal'; readonly code: number }
  /** One character, among `codes` or not among them. */
  | { readonly kind: 'one'; readonly codes: ReadonlySet<number>; readonly isExcluding: boolean }
  /** Any number of characters; `isDeep`: also separators. `isOnEveryPath`: not inside braces. */
  | { readonly kind: 'run'; readonly isDeep: boolean; readonly isOnEveryPath: boolean }
  /** Continues at each of these steps without consuming a character. */
  | { readonly kind: 'fork'; to: readonly number[] };

const DOT = 0x2e;
const SLASH = 0x2f;
const separators: ReadonlySet<number> = new Set([DOT, SLASH]);

/**
 * `*` a run without separators · `**` any run · `?` one character except separators · `[abc]` `[!abc]` `[a-z]` one
 * character · `{a,b}` alternatives · `\x` the character x. Anchored at both ends; case-sensitive.
 * @throws GlobError
 */
export function compileGlob(pattern: string): Matcher {
  const steps = parseGlob(pattern);
  const end = steps.length;
  return (text) => run(steps, end, text);
}

/** Whether a pattern matches only itself. */
export const isLiteral = (pattern: string): boolean => !/[*?[\]{}\\]/.test(pattern);

function parseGlob(pattern: string): Step[] {
  const steps: Step[] = [];
  /** Open braces: position of the fork, starts of its alternatives, and the jumps at their ends. */
  const open: { fork: number; starts: number[]; jumps: number[] }[] = [];
  const jump = (to: readonly number[]): number => steps.push({ kind: 'fork', to }) - 1;
  const setTargets = (at: number, to: readonly number[]): void => {
    (steps[at] as { to: readonly number[] }).to = to;
  };
  let at = 0;
  while (at < pattern.length) {
    const character = pattern[at]!;
    const brace = open.at(-1);
    at++;
    if (character === '*') {
      const isDeep = pattern[at] === '*';
      while (pattern[at] === '*') at++;
      steps.push({ kind: 'run', isDeep, isOnEveryPath: brace === undefined });
    } else if (character === '?') steps.push({ kind: 'one', codes: separators, isExcluding: true });
    else if (character === '[') {
      const close = pattern.indexOf(']', at);
      if (close < 0) throw new GlobError('holds a [ that is not closed');
      steps.push(parseClass(pattern.slice(at, close)));
      at = close + 1;
    } else if (character === '{') {
      open.push({ fork: jump([]), starts: [steps.length], jumps: [] });
    } else if (character === ',' && brace !== undefined) {
      brace.jumps.push(jump([]));
      brace.starts.push(steps.length);
    } else if (character === '}' && brace !== undefined) {
      setTargets(brace.fork, brace.starts);
      for (const end of brace.jumps) setTargets(end, [steps.length]);
      open.pop();
    } else if (character === '}' || character === ']') throw new GlobError(`holds a ${character} that was not opened`);
    else {
      if (character === '\\' && at === pattern.length) throw new GlobError('ends in a backslash');
      const code = character === '\\' ? pattern.charCodeAt(at++) : character.charCodeAt(0);
      steps.push({ kind: 'literal', code });
    }
  }
  if (open.length > 0) throw new GlobError('holds a { that is not closed');
  return steps;
}

/** @param inner text between the brackets: a list or one range; ! at its start negates it */
function parseClass(inner: string): Step {
  const isExcluding = inner.startsWith('!');
  const body = isExcluding ? inner.slice(1) : inner;
  if (body === '') throw new GlobError('holds brackets with nothing in them');
  const range = /^(.)-(.)$/s.exec(body);
  if (range === null) {
    if (body.includes('-')) throw new GlobError('mixes a range and other characters in one pair of brackets');
    return { kind: 'one', codes: new Set([...body].map((c) => c.charCodeAt(0))), isExcluding };
  }
  const [first, last] = [range[1]!.charCodeAt(0), range[2]!.charCodeAt(0)];
  if (first > last) throw new GlobError(`holds the range ${body}, which runs backwards`);
  return { kind: 'one', codes: new Set(Array.from({ length: last - first + 1 }, (_, i) => first + i)), isExcluding };
}

function run(steps: readonly Step[], end: number, text: string): boolean {
  /** Per state, the round that entered it last: a state is entered once per round. */
  const entered = new Int32Array(end + 1).fill(-1);
  let active = new Int32Array(end + 1);
  let next = new Int32Array(end + 1);
  let count = 0;
  /** States before a `**` that is on every path are dropped once it is active: it covers whatever they could match. */
  let floor = -1;

  /** Adds a state to `next`, with those reached from it without consuming a character. */
  function enter(from: number, round: number): void {
    for (let state = from; ; state++) {
      if (state < floor || entered[state] === round) return;
      entered[state] = round;
      const step = steps[state];
      if (step?.kind === 'fork') {
        for (const to of step.to) enter(to, round);
        return;
      }
      next[count++] = state;
      if (step?.kind !== 'run') return;
      if (step.isDeep && step.isOnEveryPath) floor = state;
    }
  }

  enter(0, 0);
  for (let at = 0; at < text.length && count > 0; at++) {
    // `**` at the end of the pattern matches the rest.
    if (floor >= 0 && floor === end - 1 && entered[end] === at) return true;
    const code = text.charCodeAt(at);
    const activeCount = count;
    [active, next] = [next, active];
    count = 0;
    for (let i = 0; i < activeCount; i++) {
      const state = active[i]!;
      const step = steps[state];
      if (step === undefined || state < floor || step.kind === 'fork') continue;
      if (step.kind === 'run') {
        if (step.isDeep || (code !== DOT && code !== SLASH)) enter(state, at + 1);
      } else if (step.kind === 'literal' ? step.code === code : step.codes.has(code) !== step.isExcluding) {
        enter(state + 1, at + 1);
      }
    }
  }
  return count > 0 && entered[end] === text.length;
}
