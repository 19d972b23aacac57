/** Where the server thread spends its time: node's own CPU profile of the seconds under load. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signInAgain, signUp } from './accounts.js';
import type { Run } from './command.js';
import type { ProfileOptions } from './profile-options.js';
import { Rig, type Sample } from './rig.js';
import { startServer } from './servers.js';

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  /** Microseconds of the monotonic clock, as process.hrtime() reads it. */
  readonly startTime: number;
}

/** A function or a module, and its share of the time in which the thread was not idle. */
export type Share = readonly [name: string, share: number];

export interface TimeProfile {
  readonly sample: Sample;
  readonly modules: readonly Share[];
  readonly functions: readonly Share[];
}

const CONNECTIONS = 64;
const HASH_CONNECTIONS = 16;
const INTERVAL_MICROSECONDS = 200;
/** The file of the main thread: CPU.<date>.<time>.<pid>.<thread>.<sequence>.cpuprofile */
const MAIN_THREAD_FILE = /\.0\.\d+\.cpuprofile$/;

/** @throws when an answer was not 2xx or a process failed */
export async function profileTime({ root, database }: Run, options: ProfileOptions): Promise<TimeProfile> {
  const { traffic, seconds, logLevel, keep } = options;
  const directory = join(database.directory, 'profiles');
  const flags = ['--cpu-prof', `--cpu-prof-interval=${INTERVAL_MICROSECONDS}`, `--cpu-prof-dir=${directory}`];
  const databaseUrl = await database.create('profile');
  const settings = { LOG_LEVEL: logLevel };
  const server = await startServer({ root, databaseUrl, cwd: database.directory, settings, nodeFlags: flags });
  const rig = new Rig(database, seconds);
  const accounts = await signUp(server.url, traffic === 'password' ? HASH_CONNECTIONS : CONNECTIONS);
  // Code is compiled before it is watched.
  await rig.load(server, traffic, accounts);
  const sessions = await signInAgain(server.url, accounts);
  const now = () => Number(process.hrtime.bigint() / 1000n);
  const start = now();
  const sample = await rig.load(server, traffic, sessions);
  const end = now();
  await server.stop();
  const file = readdirSync(directory).find((name) => MAIN_THREAD_FILE.test(name));
  if (file === undefined) throw new Error('The server has not written a CPU profile');
  if (keep !== undefined) copyFileSync(join(directory, file), keep);
  const profile = JSON.parse(readFileSync(join(directory, file), 'utf8')) as CpuProfile;
  const functions = shares(profile, nameFunction, start, end);
  return { sample, modules: shares(profile, nameModule, start, end), functions: functions.slice(0, options.top) };
}

type CallFrame = CpuProfile['nodes'][number]['callFrame'];

/** @param start and end in microseconds, as startTime @returns the largest first */
export function shares(
  { nodes, samples, timeDeltas, startTime }: CpuProfile,
  nameOf: (frame: CallFrame) => string,
  start: number,
  end: number,
): Share[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const spent = new Map<string, number>();
  let [at, total] = [startTime, 0];
  for (const [index, id] of samples.entries()) {
    const delta = timeDeltas[index]!;
    at += delta;
    const frame = frames.get(id)!;
    if (at < start || at > end || frame.functionName === '(idle)') continue;
    spent.set(nameOf(frame), (spent.get(nameOf(frame)) ?? 0) + delta);
    total += delta;
  }
  return [...spent].map(([name, time]): Share => [name, time / total]).sort(([, a], [, b]) => b - a);
}

/** e.g. `readBody dist/src/server/http/body.js:12`. */
export function nameFunction({ functionName, url, lineNumber }: CallFrame): string {
  if (functionName.startsWith('(')) return functionName;
  const file = url.replace(/^.*\/(?=dist\/src\/|node_modules\/)/, '');
  return `${functionName || 'anonymous'} ${file}${url === '' ? '' : `:${lineNumber + 1}`}`.trim();
}

/** A package, a folder of src, or node. */
export function nameModule({ functionName, url }: CallFrame): string {
  if (functionName.startsWith('(')) return functionName;
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  const inSource = /\/dist\/(src\/(?:server\/)?[^/]+)\//.exec(url)?.[1];
  return inPackage ?? inSource ?? (url.startsWith('node:') ? 'node' : url === '' ? '(native)' : 'src');
}
