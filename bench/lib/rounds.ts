/** What `npm run bench` measures of one set of fresh processes: all series in interleaved rounds. */
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.js';
import { signInAgain, signUp } from './accounts.js';
import { addClient, oauthSettings, openClientSessions } from './client-sessions.js';
import type { Run } from './command.js';
import { makeFollowing, openConsoles } from './console-tails.js';
import { populate, query, statement } from './database.js';
import type { MainOptions } from './main-options.js';
import { readResidentBytes } from './process-usage.js';
import { summariseRounds } from './processes.js';
import type { Account, Traffic } from './requests.js';
import { Rig, type Sample, sampleOf } from './rig.js';
import { type Measurements, type Part, type Series, seriesNames } from './series.js';
import { planHashing, type ServerOptions, type ServerUnderTest, startServer } from './servers.js';
import { terminateInStorm } from './sigterm.js';
import { OVERLOAD, storm, USERS_PER_SECOND } from './storm.js';
import { startTokenHook, type TokenHook } from './token-hook.js';
import { openTokenMint } from './tokens.js';
import { loadInTurns, type TurnLoad } from './turns.js';

const CONNECTIONS = 64;
/** Enough to keep every hash thread busy, few enough to stay within its queue on a slow machine. */
const HASH_CONNECTIONS = 16;
const CONSOLES = 10;
/** What depends on their number, growth.ts measures. */
const IDLE_ACCOUNTS_OF_GUARD = 1000;
/** As many seconds as V8 takes to compile what answers thousands of requests a second. */
const MOST_WARM_UP_SECONDS = 2;
/** In its first load each session asks the hook once. */
const HOOK_WARM_UP_SECONDS = 2;

/** A server with accounts of its own. */
interface Side {
  readonly server: ServerUnderTest;
  readonly accounts: readonly Account[];
}

interface RoundsOf {
  readonly databaseName: string;
  /** Which of the sets of processes it is, for messages. */
  readonly process?: number;
  /** A built checkout of another revision, to be measured in turns with this one. */
  readonly otherRoot?: string | undefined;
}

/**
 * @returns one sample of each series: the median of the rounds
 * @throws when an answer was not 2xx or a process failed
 */
export async function runRounds(
  { database, root, progress }: Run,
  options: MainOptions,
  { databaseName, process = 1, otherRoot }: RoundsOf,
): Promise<Measurements> {
  const { rounds, only, threads, logLevel, guard } = options;
  const has = (...any: Part[]) => any.some((part) => only.includes(part));
  const isCompared = otherRoot !== undefined;
  const rig = new Rig(database, options.seconds);
  const databaseUrl = await database.create(databaseName);
  const settings = { LOG_LEVEL: logLevel, ...(threads === undefined ? {} : { CRYPTO_THREADS: String(threads) }) };
  const base: ServerOptions = { root, databaseUrl, cwd: database.directory, settings };

  const server = await startServer(base);
  if (!guard) await pause(1000);
  const idle = readResidentBytes(server.pid);
  const ours = await openSide(server, databaseUrl, guard ? IDLE_ACCOUNTS_OF_GUARD : undefined);
  const few = ours.accounts.slice(0, HASH_CONNECTIONS);
  const hasRefresh = has('refresh', 'signing', 'hook', 'oauth');
  // The others of its comparison hash no passwords either, between the rounds or in them.
  const refreshing = hasRefresh && !isCompared && !guard ? await startServer(base) : undefined;
  const inlineFlag = `--import=${new URL('./inline-signing.js', import.meta.url).href}`;
  const inline = has('signing') ? await startServer({ ...base, nodeFlags: [inlineFlag] }) : undefined;
  const hook = has('hook') ? await startTokenHook() : undefined;
  const hooked = hook && (await startServer({ ...base, settings: { ...settings, ...hookSettings(hook) } }));
  const oauth = has('oauth') ? await startServer({ ...base, settings: { ...settings, ...oauthSettings } }) : undefined;
  const clientId = oauth && (await addClient(oauth.url, openTokenMint(base).operatorToken()));
  const watched = has('tail') ? await openWatched(base) : undefined;
  const bare = has('bare') ? await startServer({ ...base, isBare: true }) : undefined;
  const other = isCompared
    ? await openOther(base, otherRoot, await database.create(`${databaseName}_other`))
    : undefined;

  const load = async (target: ServerUnderTest, traffic: Traffic, of = ours): Promise<TurnLoad> => ({
    ...{ server: target, traffic },
    accounts: traffic === 'health' ? of.accounts : await signInAgain(of.server.url, of.accounts),
  });
  const loadHooked = async () => ({ ...(await load(hooked!, 'refresh')), warmUpSeconds: HOOK_WARM_UP_SECONDS });
  const loadOauth = async (): Promise<TurnLoad> => {
    const signedIn = await load(oauth!, 'oauthRefresh');
    return { ...signedIn, accounts: await openClientSessions(oauth!.url, clientId!, signedIn.accounts) };
  };
  const grant = (side: Side) => rig.load(side.server, 'password', side.accounts.slice(0, HASH_CONNECTIONS));

  // Not counted: a server that has just started spends more on compiling its JavaScript than on answering.
  const warmUp = ({ server, traffic, accounts }: TurnLoad) =>
    rig.load(server, traffic, accounts, { seconds: Math.min(options.seconds, MOST_WARM_UP_SECONDS) });
  const warmUpTraffic: readonly Traffic[] = guard ? ['refresh'] : ['refresh', 'user'];
  for (const each of [server, refreshing, oauth, watched?.server, hooked, inline, bare]) {
    if (each) for (const traffic of warmUpTraffic) await warmUp(await load(each, traffic));
  }
  if (oauth) await warmUp(await loadOauth());
  if (other) for (const traffic of ['refresh', 'user'] as const) await warmUp(await load(other.server, traffic, other));
  // At a hundred a second this code takes some ten seconds to be compiled; until then a password grant costs twice as much.
  // What the guard asks for leaves room for that.
  if ((has('password', 'storm') && !guard) || other) {
    for (const side of [ours, ours, ...(other ? [other, other] : [])]) await grant(side);
  }
  progress(`process ${process}: warmed up`);

  const samples: Partial<Record<Series, Sample[]>> = {};
  let stormBytes: number | undefined;
  let rawPerSecond = 0;
  const hashing = planHashing(base);

  type Measurement<Result> = readonly [series: Series, isWanted: unknown, measure: () => Promise<Result>];
  /** What is false or undefined is not wanted. */
  const isWanted = ([, isWanted]: Measurement<unknown>) => isWanted;
  type Step = (isReversed: boolean) => Promise<void>;
  const inTurns = (...all: Measurement<TurnLoad>[]): Step | undefined => {
    const wanted = all.filter(isWanted);
    if (wanted.length === 0) return undefined;
    return async (isReversed) => {
      const ordered = isReversed ? wanted.toReversed() : wanted;
      const loads: TurnLoad[] = [];
      for (const [, , open] of ordered) loads.push(await open());
      for (const [index, sample] of (await loadInTurns(rig, loads)).entries()) keep(ordered[index]![0], sample);
    };
  };
  const alone = (...measurement: Measurement<Sample>): Step | undefined => {
    const [series, , measure] = measurement;
    return isWanted(measurement) ? async () => keep(series, await measure()) : undefined;
  };

  /** In the order of the rounds. */
  const steps = [
    inTurns(
      ['refreshOther', other, () => load(other!.server, 'refresh', other)],
      ['refresh', hasRefresh || other, () => load(refreshing ?? server, 'refresh')],
      ['refreshBare', has('refresh') && bare, () => load(bare!, 'refresh')],
      ['refreshOauth', oauth, loadOauth],
      ['refreshHook', hooked, loadHooked],
      ['refreshInline', inline, () => load(inline!, 'refresh')],
    ),
    inTurns(
      ['refreshUnwatched', watched, () => load(watched!.server, 'refresh')],
      [
        'refreshWatched',
        watched,
        async () => ({ ...(await load(watched!.server, 'refresh')), beside: watched!.follow }),
      ],
    ),
    alone('refreshDirect', has('refresh') && rig.pgbench && !guard, () =>
      rig.runStatements(databaseUrl, 'sessions.redeem_refresh_token'),
    ),
    alone('sixRoundTrips', has('refresh'), () => rig.runStatements(databaseUrl, 'sixRoundTrips')),
    inTurns(
      ['userOther', other, () => load(other!.server, 'user', other)],
      ['user', has('user') || other, () => load(server, 'user')],
      ['userBare', has('user') && bare, () => load(bare!, 'user')],
      ['health', has('user'), () => load(server, 'health')],
      ['healthBare', has('user') && bare, () => load(bare!, 'health')],
    ),
    alone('userDirect', has('user') && rig.pgbench, () => rig.runStatements(databaseUrl, 'users.known_caller')),
    alone('password', has('password') || other, () => grant(ours)),
    alone('passwordOther', other, () => grant(other!)),
    alone('raw', has('password', 'signup', 'storm'), () => rig.hashRaw(hashing)),
    alone('userPaced', has('storm'), () => measureStorm({ user: USERS_PER_SECOND })),
    alone('storm', has('storm'), () => measureStorm({ user: USERS_PER_SECOND, password: rawPerSecond * OVERLOAD })),
    alone('signup', has('signup'), () => rig.load(server, 'signup', few)),
  ].filter((step) => step !== undefined);

  async function measureStorm(rates: { readonly user: number; readonly password?: number }): Promise<Sample> {
    const accounts = await signInAgain(server.url, ours.accounts);
    const { results, residentBytes } = await storm(rig, server, accounts, rates as Record<Traffic, number>, [
      'password',
    ]);
    if (rates.password === undefined) return sampleOf(results.user);
    keep('userInStorm', sampleOf(results.user));
    if (residentBytes !== undefined) stormBytes = Math.max(stormBytes ?? 0, residentBytes);
    return sampleOf(results.password);
  }

  function keep(series: Series, sample: Sample): void {
    samples[series] ??= [];
    samples[series].push(sample);
    if (series === 'raw') rawPerSecond = sample.requestsPerSecond;
    const p99 = sample.p99Ms === undefined ? '' : `, p99 ${sample.p99Ms.toFixed(1)} ms`;
    const round = `process ${process}, round ${samples[series].length}/${rounds}`;
    progress(`${round}  ${seriesNames[series]}: ${Math.round(sample.requestsPerSecond)}/s${p99}`);
  }

  for (let round = 1; round <= rounds; round += 1) {
    // In a comparison the order alternates: whatever runs second finds warmer caches.
    const isReversed = isCompared && round % 2 === 0;
    for (const step of isReversed ? steps.toReversed() : steps) {
      await query(databaseUrl, statement('bench-data.analyze').text);
      await step(isReversed);
    }
  }
  if (hook?.calls() === 0) throw new Error('The token hook was never called');
  for (const each of [other?.server, bare, inline, hooked, watched?.server, oauth, refreshing, server]) {
    const exit = (await each?.stop()) ?? 0;
    if (exit !== 0) throw new Error(`A server ended with ${exit} after the last round`);
  }
  hook?.close();
  const sigterm = has('sigterm')
    ? await terminateInStorm(rig, base, ours.accounts.slice(0, 32), options.sigtermRuns, progress)
    : undefined;
  return {
    samples: summariseRounds(samples),
    residentBytes: { ...(idle && { idle }), ...(stormBytes && { storm: stormBytes }) },
    sigterm,
    tools: { argon2: rig.engine, pgbench: rig.pgbench },
  };
}

const hookSettings = ({ url }: TokenHook): Record<string, string> => ({
  HOOK_CUSTOM_ACCESS_TOKEN_ENABLED: 'true',
  HOOK_CUSTOM_ACCESS_TOKEN_URI: url,
  HOOK_CUSTOM_ACCESS_TOKEN_CACHE: '5m',
});

/** A server with a console, and ten browsers that are signed in to it. */
async function openWatched(base: ServerOptions) {
  const options = { ...base, settings: { ...base.settings, CONSOLE_PORT: String(await freePort()) } };
  const server = await startServer(options);
  return { server, follow: makeFollowing(await openConsoles(options, CONSOLES)) };
}

async function openSide(server: ServerUnderTest, databaseUrl: string, idleAccounts?: number): Promise<Side> {
  await populate(databaseUrl, idleAccounts);
  return { server, accounts: await signUp(server.url, CONNECTIONS) };
}

const openOther = async (base: ServerOptions, root: string, databaseUrl: string): Promise<Side> =>
  openSide(await startServer({ ...base, root, databaseUrl }), databaseUrl);
