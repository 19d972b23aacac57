/** Counts the instructions of a server with Valgrind's callgrind (https://valgrind.org/docs/manual/cl-manual.html). */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signUp } from './accounts.js';
import { withCheckout } from './checkout.js';
import type { Run } from './command.js';
import { populate } from './database.js';
import type { ProfileOptions } from './profile-options.js';
import type { Account } from './requests.js';
import { assertGood, Rig } from './rig.js';
import { startServer } from './servers.js';

/** Instructions for one answer, outside the kernel and over all threads. */
export interface InstructionCounts {
  readonly revision: string;
  readonly rounds: readonly number[];
}

const CONNECTIONS = 64;
/** Node starts some twenty times more slowly under callgrind. */
const START_SECONDS = 600;

/** @returns the counts of this checkout and, with `--compare`, of the other revision before them @throws without valgrind */
export async function countInstructions(run: Run, options: ProfileOptions): Promise<InstructionCounts[]> {
  const { compare: ref } = options;
  try {
    execFileSync('callgrind_control', ['--version'], { stdio: 'ignore' });
  } catch {
    throw new Error('callgrind_control is not on the PATH: install Valgrind (apt-get install valgrind)');
  }
  const countOurs = () => countOf('this checkout', run.root, run, options);
  if (ref === undefined) return [await countOurs()];
  const directory = join(run.database.directory, 'other');
  run.progress(`checking out and building ${ref}`);
  return withCheckout(ref, run.root, directory, () =>
    Promise.all([countOf(ref, directory, run, { ...options, keep: undefined }), countOurs()]),
  );
}

async function countOf(
  revision: string,
  root: string,
  { database, progress }: Run,
  { traffic, rounds, answers, warmUp, keep }: ProfileOptions,
): Promise<InstructionCounts> {
  const directory = join(database.directory, revision.replaceAll(/[^\w-]/g, '_'));
  mkdirSync(directory);
  const databaseUrl = await database.create(revision);
  const options = { root, databaseUrl, cwd: directory };
  // A password takes a second under callgrind, so another server of the same database signs the users up.
  const plain = await startServer(options);
  await populate(databaseUrl);
  let accounts: readonly Account[] = await signUp(plain.url, CONNECTIONS);
  await plain.stop();
  const out = join(directory, 'callgrind.out');
  // V8 changes code that is in no file; and it takes so slow a process for an idle one and reduces its memory, which adds
  // up to a third to a round.
  const flags = ['--quiet', '--instr-atstart=no', '--smc-check=all-non-file', `--callgrind-out-file=${out}`];
  const wrapper = ['valgrind', '--tool=callgrind', ...flags];
  const server = await startServer({
    ...options,
    ...{ wrapper, nodeFlags: ['--no-memory-reducer'], startSeconds: START_SECONDS },
  });
  const control = (option: string) =>
    execFileSync('callgrind_control', [option, String(server.pid)], { stdio: 'pipe' });
  const rig = new Rig(database, 0);
  async function serve(mostRequests: number): Promise<void> {
    const job = { url: server.url, traffic, accounts, mostRequests, warmUpSeconds: 0, seconds: 0 };
    const result = await rig.runClosedLoop(job);
    assertGood(traffic, result);
    accounts = result.accounts;
  }
  progress(`${revision}: ${warmUp} answers to warm up`);
  await serve(warmUp);
  const counts: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    control('--instr=on');
    await serve(answers);
    control('--instr=off');
    // Also resets the counters.
    control('--dump');
    const file = `${out}.${round}`;
    counts.push(readTotal(readFileSync(file, 'utf8')) / answers);
    progress(`${revision}: round ${round}/${rounds}: ${Math.round(counts.at(-1)!)} instructions an answer`);
    if (keep !== undefined) copyFileSync(file, `${keep}.callgrind`);
  }
  await server.stop();
  return { revision, rounds: counts };
}

/** @throws when it is not a file of callgrind (https://valgrind.org/docs/manual/cl-format.html) */
export function readTotal(text: string): number {
  const total = /^totals: (\d+)$/m.exec(text)?.[1];
  if (total === undefined) throw new Error('Callgrind has not written a total');
  return Number(total);
}
