/** `npm run bench:profile`: where a request spends its time and its instructions. */
import { countInstructions } from './lib/callgrind.js';
import { type Bench, runBench } from './lib/command.js';
import { profileTime } from './lib/cpu-profile.js';
import {
  type ProfileOptions,
  profileFlags,
  profileUsage,
  readProfileOptions,
  traffics,
} from './lib/profile-options.js';
import { type Profile, reportProfile } from './lib/profile-report.js';

/** Slower answers than this, under callgrind, mean that the server hangs. */
const LEAST_ANSWERS_PER_SECOND = 30;

const bench: Bench<ProfileOptions, Profile> = {
  name: 'profile',
  hasClosedLoops: true,
  operands: ` [${traffics.join(' | ')}]`,
  usage: profileUsage,
  flags: profileFlags,
  readOptions: readProfileOptions,
  limitSeconds: ({ seconds, rounds, answers, warmUp }) =>
    900 + 2 * seconds + (2 * (warmUp + rounds * answers)) / LEAST_ANSWERS_PER_SECOND,
  async measure(run, options) {
    const has = (part: 'time' | 'instructions') => options.only.includes(part);
    return {
      time: has('time') ? await profileTime(run, options) : undefined,
      instructions: has('instructions') ? await countInstructions(run, options) : undefined,
    };
  },
  report: reportProfile,
  isPartial: ({ traffic, only, compare }) => traffic !== 'refresh' || only.length < 2 || compare !== undefined,
};

process.exitCode = await runBench(bench);
