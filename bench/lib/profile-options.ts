import { readCount, type Values } from './command.js';
import type { Traffic } from './requests.js';

export interface ProfileOptions {
  readonly traffic: Traffic;
  readonly only: readonly ('time' | 'instructions')[];
  readonly seconds: number;
  readonly logLevel: string;
  /** Functions in the table. */
  readonly top: number;
  /** File for the CPU profile; with `.callgrind` appended, for the counts. */
  readonly keep?: string | undefined;
  /** A git revision whose instructions are counted, too. */
  readonly compare?: string | undefined;
  readonly rounds: number;
  /** In each round. */
  readonly answers: number;
  readonly warmUp: number;
}

export const traffics: readonly Traffic[] = ['refresh', 'user', 'health', 'password'];

export const profileUsage = `Shows where a request spends its time and its instructions.

time: a fresh server under 64 connections of one kind of request (refresh), with node's CPU profiler on its main
thread. instructions: the server under Valgrind's callgrind, which counts what it executes for one answer outside the
kernel, over all threads. Other work on the machine does not change the count; what V8 has compiled does, hence several
rounds, of which the median and the range are reported. It takes some three minutes, and needs valgrind; passwords take
too long for it. Writes bench/results/profile.json, bench/results/profile.svg and a section of bench/README.md, when
both parts were measured for refresh.

Options:
  --only PART       time or instructions
  --seconds N       time: length of the profile (5)
  --top N           time: functions in the table (15)
  --log-level L     time: log level of the server, whose log goes to /dev/null (info)
  --rounds N        instructions: rounds that are counted (5)
  --answers N       instructions: answers in each round (4000)
  --warm-up N       instructions: answers before them, until V8 has compiled what it will (35000)
  --compare REF     instructions: count a git revision, too
  --keep FILE       keep the CPU profile, for the developer tools of Chromium, and the counts of the last round in
                    FILE.callgrind, for callgrind_annotate
`;

export const profileFlags = {
  only: 'string',
  seconds: 'string',
  top: 'string',
  'log-level': 'string',
  rounds: 'string',
  answers: 'string',
  'warm-up': 'string',
  compare: 'string',
  keep: 'string',
} as const;

/** @throws on wrong usage */
export function readProfileOptions(values: Values, positionals: readonly string[]): ProfileOptions {
  const { quick, only, compare, keep } = values as { quick?: boolean } & Record<string, string | undefined>;
  const [traffic = 'refresh', ...more] = positionals as Traffic[];
  if (!traffics.includes(traffic) || more.length > 0) throw new Error(`one of ${traffics.join(', ')} can be profiled`);
  if (only !== undefined && only !== 'time' && only !== 'instructions') {
    throw new Error(`--only takes time or instructions, not ${JSON.stringify(only)}`);
  }
  const isHashing = traffic === 'password';
  if (isHashing && only === 'instructions') throw new Error('passwords take too long under callgrind');
  return {
    traffic,
    only: only !== undefined ? [only] : quick || isHashing ? ['time'] : ['time', 'instructions'],
    seconds: readCount(values, 'seconds') ?? (quick ? 1 : 5),
    logLevel: (values['log-level'] as string | undefined) ?? 'info',
    top: readCount(values, 'top') ?? 15,
    keep,
    compare,
    rounds: readCount(values, 'rounds') ?? (quick ? 1 : 5),
    answers: readCount(values, 'answers', 64, 1_000_000) ?? (quick ? 200 : 4000),
    warmUp: readCount(values, 'warm-up', 64, 1_000_000) ?? (quick ? 200 : 35_000),
  };
}
