/**
 * The forms of tests, short (`npm test`), full (`npm run test:full`) and long (`npm run test:soak`), and the seed of randomised
 * tests (`npm test -- --seed=42`). Matrices have `pickRows` of rows.ts.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { runningFile } from './running-file.js';
import type { Test } from './tap.js';

/** The reason of a test that is left out since `npm test` runs it; it does not count as skipped. */
export const SHOWN_BEFORE = 'npm test runs it';

/** Variables that run.ts sets for test files. */
export const FULL_VARIABLE = 'LATCHKEY_TEST_FULL';
export const LONG_VARIABLE = 'LATCHKEY_TEST_LONG';
/** Beside FULL_VARIABLE: what `npm test` has shown is left out. */
export const REST_VARIABLE = 'LATCHKEY_TEST_REST';
export const SEED_VARIABLE = 'LATCHKEY_TEST_SEED';
/** Of one test; long: half an hour of load, and as much for set-up and checks. */
const TIMEOUT_SECONDS = { short: 240, long: 3600 };
/** A test that hangs is ended all the same. */
const MOST_SLOWNESS = 8;

/** @returns seconds, the more the more processes share each processor */
export function readTestTimeout(form: 'short' | 'long'): number {
  const slowness = Math.min(MOST_SLOWNESS, Math.max(1, loadavg()[0]! / availableParallelism()));
  return TIMEOUT_SECONDS[form] * Math.ceil(slowness);
}

const isLongRun = (): boolean => process.env[LONG_VARIABLE] === '1';

/** Whether matrices run whole. */
export const isFullRun = (): boolean => isLongRun() || process.env[FULL_VARIABLE] === '1';

/** Whether the tests of the running file that `npm test` has run just so are left out. */
export const isRestRun = (): boolean =>
  process.env[REST_VARIABLE] === '1' && !isFullOnly(readFileSync(runningFile(), 'utf8'));

/**
 * Option of a test that is the same in each form, in a file that has a full form: `npm run test:full -- --rest` leaves it out, since
 * `npm test` runs it.
 */
export const sameInFull: { readonly skip?: string } = process.env[REST_VARIABLE] === '1' ? { skip: SHOWN_BEFORE } : {};

/** Picks a figure by the form that runs. A form that is not given is the next shorter one. */
export function pickForm<Value>(forms: { short: Value; full?: Value; long?: Value }): Value {
  const full = isFullRun() ? forms.full : undefined;
  return (isLongRun() ? forms.long : undefined) ?? full ?? forms.short;
}

/** @param text of a test file. @returns whether a short run leaves it out */
export const isFullOnly = (text: string): boolean => /^onlyInFull\(/m.test(text) || isLongOnly(text);

/** @param text of a test file. @returns whether a full run leaves it out, too */
export const isLongOnly = (text: string): boolean => /^onlyInLong\(/m.test(text);

/** @param text of a test file. @returns whether a full run does more in it than a short one */
export const hasFullForm = (text: string): boolean =>
  !isLongOnly(text) &&
  (isFullOnly(text) ||
    /\bpick(?:Rows|First|Where)\(/.test(text) ||
    (/\bpickForm\(/.test(text) && /\bfull:/.test(text)));

/** @param text of a test file. @returns whether a long run does more in it than a full one */
export const hasLongForm = (text: string): boolean =>
  isLongOnly(text) || /\bholds\(/.test(text) || (/\bpickForm\(/.test(text) && /\blong:/.test(text));

/** Prints the progress of a long run on standard error, which the runner does not buffer. */
export function reportProgress(line: string): void {
  if (isLongRun()) process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
}

/** @returns the seed of this run, which it prints */
export function chooseSeed(t: Test): number {
  const given = process.env[SEED_VARIABLE];
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  t.comment(`seed ${seed}; again with npm test -- --seed=${seed} and this file`);
  reportProgress(`seed ${seed}`);
  return seed;
}

/** A random generator that repeats itself for the same seed. */
export interface Random {
  /** 0 … below - 1 */
  int(below: number): number;
  /** True in one of so many cases. */
  oneIn(cases: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

/** @param numbers e.g. the seed of the run and the number of the case. The generator is mulberry32. */
export function openRandom(...numbers: readonly number[]): Random {
  let state = numbers.reduce((sum, number) => Math.imul(sum ^ number, 0x9e3779b1) ^ (sum >>> 15), 0x2545f491);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return { int, oneIn: (cases) => int(cases) === 0, pick: (values) => values[int(values.length)]! };
}
