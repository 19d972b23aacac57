/** Whether two kinds of request can be distinguished by their response times (SEC-47, SEC-48). */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { pickForm } from './long-form.js';
import { mannWhitneyP, median } from './statistics.js';
import type { Test } from './tap.js';

const MAX_MEDIAN_GAP_MS = 3;
const MIN_P = 0.001;
const CONTROL_MS = 5;
const isShort = pickForm({ short: true, long: false });
/**
 * The short form ends after such a share of the rounds if the control is seen and every other median is nearer than this to the
 * baseline's. A true gap of 3 ms with a deviation of 2 ms, which is more than usual, would look so small at one of the four in
 * 270 runs of 80 rounds.
 */
const CLEAR: readonly { readonly share: number; readonly gapMs: number }[] = [
  { share: 1 / 4, gapMs: 0.6 },
  { share: 3 / 8, gapMs: 0.9 },
  { share: 1 / 2, gapMs: 1.2 },
  { share: 3 / 4, gapMs: 1.6 },
];
/**
 * Pause before each request, so that the background work of the previous one (its mail, its connection) and the waking
 * of an idle processor cost all arms alike.
 */
const SETTLE_MS = 8;

export interface Arms {
  /** How the message begins: `/recover`. */
  readonly name: string;
  readonly rounds: number;
  /** The arm that the others are compared with. */
  readonly baseline: () => Promise<unknown>;
  readonly others: Readonly<Record<string, () => Promise<unknown>>>;
  /** Done before each request and not timed. */
  readonly prepare?: () => Promise<unknown>;
}

interface Comparison {
  readonly gapMs: number;
  readonly p: number;
}

const isSeen = ({ gapMs, p }: Comparison): boolean => Math.abs(gapMs) >= MAX_MEDIAN_GAP_MS && p <= MIN_P;
const show = ({ gapMs, p }: Comparison): string => `gap ${gapMs.toFixed(2)} ms, p ${p.toExponential(1)}`;

function shuffle<T>(values: readonly T[]): T[] {
  const rest = [...values];
  return values.map(() => rest.splice(Math.floor(Math.random() * rest.length), 1)[0]!);
}

async function sample({ rounds, baseline, others, prepare }: Arms): Promise<Record<string, Comparison>> {
  const control = async () => {
    await baseline();
    await pause(CONTROL_MS);
  };
  const arms = Object.entries({ ...others, baseline, control });
  const times: Record<string, number[]> = Object.fromEntries(arms.map(([name]) => [name, []]));
  const compare = (): Record<string, Comparison> => {
    const base = times['baseline']!;
    return Object.fromEntries(
      arms.map(([name]) => [name, { gapMs: median(times[name]!) - median(base), p: mannWhitneyP(times[name]!, base) }]),
    );
  };
  for (let round = 0; round < rounds; round++) {
    const clear = isShort ? CLEAR.find(({ share }) => round === Math.ceil(rounds * share)) : undefined;
    if (clear !== undefined) {
      const { control: seen, ...alike } = compare();
      if (isSeen(seen!) && Object.values(alike).every(({ gapMs }) => Math.abs(gapMs) < clear.gapMs)) break;
    }
    // In another order each time, so that no arm always follows the same one.
    for (const [name, run] of shuffle(arms)) {
      await prepare?.();
      await pause(SETTLE_MS);
      const startedMs = performance.now();
      await run();
      times[name]!.push(performance.now() - startedMs);
    }
  }
  return compare();
}

/**
 * An arm is distinguishable if its median is 3 ms or more from the baseline's and a Mann–Whitney U test gives that at
 * most a probability of 0.001, twice in a row in the same direction: a difference of the server is repeatable, one
 * of the machine is not. A control, the baseline and 5 ms, must be distinguishable: on a machine where it is not, twice, an arm
 * that is not either proves nothing, and counts as skipped.
 */
export async function assertAlike(t: Test, arms: Arms): Promise<void> {
  let seen = await sample(arms);
  const isClear = (name: string) => isSeen(seen[name]!) === (name === 'control');
  const names = [...Object.keys(arms.others), 'control'];
  if (!names.every(isClear)) {
    const first = seen;
    const second = await sample(arms);
    for (const name of names) t.comment(`${arms.name}: ${name}: ${show(first[name]!)}, then ${show(second[name]!)}`);
    const isSame = (name: string) => Math.sign(first[name]!.gapMs) === Math.sign(second[name]!.gapMs);
    const refuted = { gapMs: 0, p: 1 };
    seen = Object.fromEntries(
      names.map((name) => {
        if (name === 'control') return [name, isSeen(first[name]!) ? first[name]! : second[name]!];
        return [name, isSeen(first[name]!) && isSame(name) ? second[name]! : refuted];
      }),
    );
  }
  const control = seen['control']!;
  const noise = `${CONTROL_MS} ms more are not seen (${show(control)}; load ${loadavg()[0]!.toFixed(1)})`;
  for (const name of Object.keys(arms.others)) {
    const message = `${arms.name}: ${name}: ${show(seen[name]!)}`;
    if (isSeen(control) || isSeen(seen[name]!)) t.notOk(isSeen(seen[name]!), message);
    else t.pass(message, { skip: noise });
  }
}
