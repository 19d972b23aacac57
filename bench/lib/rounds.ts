/** One run: everything asked for, in interleaved rounds. */
import { makeAccounts } from './accounts.js';
import type { BenchArguments, Case } from './arguments.js';
import { BenchRig, measureIdleMemory } from './bench-rig.js';
import { type BenchDatabase, populate, query } from './database.js';
import { planHashing } from './hashing.js';
import { type Measurements, type Sample, type Series, type SigtermOutcome, seriesNames } from './measurements.js';
import { findPgbench } from './pgbench.js';
import { type ServerOptions, startBareServer, startServerUnderTest } from './servers.js';
import { terminateInStorm } from './sigterm.js';
import { statement } from './statements.js';

const CONNECTIONS = 64;
/** Enough to keep every hash thread busy, few enough to stay within its queue on a slow machine. */
const HASH_CONNECTIONS = 16;

export interface RunResult {
  readonly measurements: Measurements;
  readonly argon2: string | undefined;
  readonly pgbench: string | undefined;
}

/** @param say gets one line for every step @throws when an answer was not 2xx or a process failed */
export async function runRounds(
  database: BenchDatabase,
  root: string,
  wanted: BenchArguments,
  say: (line: string) => void,
  databaseName = 'latchkey',
): Promise<RunResult> {
  const databaseUrl = await database.create(databaseName);
  const options: ServerOptions = {
    root,
    databaseUrl,
    cwd: database.directory,
    logLevel: wanted.logLevel,
    cryptoThreads: wanted.threads,
  };
  const hashing = planHashing(options);
  const pgbench = findPgbench();
  const tool = pgbench === undefined ? 'pg' : 'pgbench';
  const has = (...any: Case[]) => any.some((name) => wanted.only.has(name));

  const rig = new BenchRig(database, wanted.seconds);
  const server = await startServerUnderTest(options);
  const idle = await measureIdleMemory(server);
  await populate(databaseUrl);
  const accounts = await makeAccounts(server.url, CONNECTIONS);
  const few = accounts.slice(0, HASH_CONNECTIONS);
  const inline = has('signing') ? await startServerUnderTest({ ...options, signsInline: true }) : undefined;
  const bare = has('bare') ? await startBareServer(databaseUrl) : undefined;

  // Uncounted: a server that has just started spends more on compiling its JavaScript than on answering.
  for (const each of inline ? [server, inline] : [server]) {
    for (const traffic of ['refresh', 'user'] as const) await rig.load(each, traffic, accounts);
    say('warmed up');
  }
  if (bare) for (const traffic of ['refresh', 'user'] as const) await rig.load(bare, traffic, accounts, server);
  // At a hundred a second its code takes some ten seconds to be compiled: up to then a password grant costs twice as much.
  if (has('password', 'storm')) for (let n = 0; n < 2; n += 1) await rig.load(server, 'password', few);

  const samples: Partial<Record<Series, Sample[]>> = {};
  let stormBytes: number | undefined;
  const take = async (series: Series, round: number, work: () => Promise<Sample>): Promise<Sample> => {
    await query(databaseUrl, statement('bench-data.analyze').text);
    const sample = await work();
    samples[series] ??= [];
    samples[series].push(sample);
    const p99 = sample.p99Ms === undefined ? '' : `, p99 ${sample.p99Ms.toFixed(1)} ms`;
    say(`round ${round}/${wanted.rounds}  ${seriesNames[series]}: ${Math.round(sample.requestsPerSecond)}/s${p99}`);
    return sample;
  };

  for (let round = 1; round <= wanted.rounds; round += 1) {
    const step = (series: Series, work: () => Promise<Sample>) => take(series, round, work);
    if (has('refresh', 'signing')) await step('refresh', () => rig.load(server, 'refresh', accounts));
    if (bare && has('refresh')) await step('refreshBare', () => rig.load(bare, 'refresh', accounts, server));
    if (inline) await step('refreshInline', () => rig.load(inline, 'refresh', accounts));
    if (has('refresh')) {
      await step('refreshDirect', () => rig.workDirectly(databaseUrl, 'redeem', tool));
      await step('sixRoundTrips', () => rig.workDirectly(databaseUrl, 'sixRoundTrips', 'pg'));
    }
    if (has('user')) {
      await step('user', () => rig.load(server, 'user', accounts));
      if (bare) await step('userBare', () => rig.load(bare, 'user', accounts, server));
      await step('userDirect', () => rig.workDirectly(databaseUrl, 'caller', tool));
      await step('health', () => rig.load(server, 'health', accounts));
      if (bare) await step('healthBare', () => rig.load(bare, 'health', accounts, server));
    }
    if (has('password')) await step('password', () => rig.load(server, 'password', few));
    if (has('password', 'signup', 'storm')) {
      const raw = await step('raw', () => rig.hashRaw(hashing));
      if (has('storm')) {
        await step('userPaced', () => rig.paceUsers(server, accounts));
        const { storm, user, residentBytes } = await rig.storm(server, accounts, raw.requestsPerSecond);
        await step('storm', async () => storm);
        await step('userInStorm', async () => user);
        if (residentBytes !== undefined) stormBytes = Math.max(stormBytes ?? 0, residentBytes);
      }
    }
    if (has('signup')) await step('signup', () => rig.load(server, 'signup', few));
  }
  for (const each of [bare, inline, server]) {
    const exit = await each?.stop();
    if (exit !== undefined && exit !== 0) throw new Error(`A server ended with ${exit} after the last round`);
  }

  let sigterm: SigtermOutcome | undefined;
  if (has('sigterm')) {
    sigterm = await terminateInStorm(rig, options, accounts.slice(0, 32), wanted.sigtermRuns, (run) =>
      say(`SIGTERM in the storm, run ${run}/${wanted.sigtermRuns}`),
    );
  }
  rig.end();
  return {
    measurements: {
      samples,
      residentBytes: {
        ...(idle === undefined ? {} : { idle }),
        ...(stormBytes === undefined ? {} : { storm: stormBytes }),
      },
      sigterm,
    },
    argon2: rig.engine,
    pgbench,
  };
}
