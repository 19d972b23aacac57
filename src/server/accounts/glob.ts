/**
 * Globs with the separators `.` and `/` (reference/delivery.md 5.6; SEC-35). Compiled to a small machine that carries
 * every state it may be in along the text, so that the time is bounded by text × pattern: nothing is tried twice.
 */

/** @returns whether the whole text matches */
export type Matcher = (text: string) => boolean;

export class GlobError extends Error {
  /** @param message what is wrong, as the end of a sentence that begins with the pattern */
  constructor(message: string) {
    super(message);
    this.name = 'GlobError';
  }
}

type Step =
  | { readonly kind: 'literal'; readonly code: number }
  /** One character: `codes` holds the permitted ones, or the excluded ones. */
  | { readonly kind: 'one'; readonly codes: ReadonlySet<number>; readonly isExcluding: boolean }
  /** Any number of characters; `isDeep`: separators too. `isOnEveryPath`: not inside braces. */
  | { readonly kind: 'run'; readonly isDeep: boolean; readonly isOnEveryPath: boolean }
  /** Goes on at each of these places, without a character. */
  | { readonly kind: 'fork'; to: readonly number[] };

const DOT = 0x2e;
const SLASH = 0x2f;
const separators: ReadonlySet<number> = new Set([DOT, SLASH]);

/**
 * `*` a run without separators · `**` any run · `?` one character that is no separator · `[abc]` `[!abc]` `[a-z]` one
 * character · `{a,b}` alternatives · `\x` the character x. Both ends are anchored; case counts.
 * @throws GlobError
 */
export function compileGlob(pattern: string): Matcher {
  const steps = parseGlob(pattern);
  const end = steps.length;
  return (text) => run(steps, end, text);
}

/** Whether a pattern stands for itself alone. */
export const isLiteral = (pattern: string): boolean => !/[*?[\]{}\\]/.test(pattern);

function parseGlob(pattern: string): Step[] {
  const steps: Step[] = [];
  /** Open braces: where the fork stands, where its alternatives begin, and the jumps at their ends. */
  const open: { fork: number; starts: number[]; jumps: number[] }[] = [];
  const jump = (to: readonly number[]): number => steps.push({ kind: 'fork', to }) - 1;
  const aim = (at: number, to: readonly number[]): void => {
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
      aim(brace.fork, brace.starts);
      for (const end of brace.jumps) aim(end, [steps.length]);
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

/** @param inner what stands between the brackets: a list or one range, with ! before it to turn it round */
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
  /** For each place the number of the round that entered it last: a place is entered once a round. */
  const entered = new Int32Array(end + 1).fill(-1);
  let active = new Int32Array(end + 1);
  let next = new Int32Array(end + 1);
  let count = 0;
  /** Behind a `**` that every path goes through, what stands before it can find nothing more. */
  let floor = -1;

  /** Adds a place to `next`, and those that are reached from it without a character. */
  function enter(from: number, round: number): void {
    for (let place = from; ; place++) {
      if (place < floor || entered[place] === round) return;
      entered[place] = round;
      const step = steps[place];
      if (step?.kind === 'fork') {
        for (const to of step.to) enter(to, round);
        return;
      }
      next[count++] = place;
      if (step?.kind !== 'run') return;
      if (step.isDeep && step.isOnEveryPath) floor = place;
    }
  }

  enter(0, 0);
  for (let at = 0; at < text.length && count > 0; at++) {
    // `**` at the end of the pattern takes whatever is left.
    if (floor >= 0 && floor === end - 1 && entered[end] === at) return true;
    const code = text.charCodeAt(at);
    const activeCount = count;
    [active, next] = [next, active];
    count = 0;
    for (let i = 0; i < activeCount; i++) {
      const place = active[i]!;
      const step = steps[place];
      if (step === undefined || place < floor || step.kind === 'fork') continue;
      if (step.kind === 'run') {
        if (step.isDeep || (code !== DOT && code !== SLASH)) enter(place, at + 1);
      } else if (step.kind === 'literal' ? step.code === code : step.codes.has(code) !== step.isExcluding) {
        enter(place + 1, at + 1);
      }
    }
  }
  return count > 0 && entered[end] === text.length;
}
