/** One run of `npm run bench`: all series in interleaved rounds. */
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.js';
import { signInAgain, signUp } from './accounts.js';
import { addClient, oauthSettings, openClientSessions } from './client-sessions.js';
import type { Run } from './command.js';
import { openConsoles, whileFollowed } from './console-tails.js';
import { populate, query, statement } from './database.js';
import type { MainOptions } from './main-options.js';
import { readResidentBytes } from './process-usage.js';
import type { Account, Traffic } from './requests.js';
import { Rig, type Sample, sampleOf } from './rig.js';
import { type Measurements, type Part, type Series, seriesNames } from './series.js';
import { planHashing, type ServerOptions, type ServerUnderTest, startServer } from './servers.js';
import { terminateInStorm } from './sigterm.js';
import { OVERLOAD, storm, USERS_PER_SECOND } from './storm.js';
import { startTokenHook, type TokenHook } from './token-hook.js';
import { openTokenMint } from './tokens.js';

const CONNECTIONS = 64;
/** Enough to keep every hash thread busy, few enough to stay within its queue on a slow machine. */
const HASH_CONNECTIONS = 16;
const CONSOLES = 10;
/** Two consoles ask in one. */
const SLICE_MS = 400;

/** A server with accounts of its own. */
interface Side {
  readonly server: ServerUnderTest;
  readonly accounts: readonly Account[];
}

/**
 * @param otherRoot a built checkout of another revision, to be measured in turns with this one
 * @throws when an answer was not 2xx or a process failed
 */
export async function runRounds(
  { database, root, progress }: Run,
  options: MainOptions,
  { databaseName = 'latchkey', otherRoot }: { readonly databaseName?: string; readonly otherRoot?: string } = {},
): Promise<Measurements> {
  const { rounds, only, threads, logLevel } = options;
  const has = (...any: Part[]) => any.some((part) => only.includes(part));
  const isCompared = otherRoot !== undefined;
  const rig = new Rig(database, options.seconds);
  const databaseUrl = await database.create(databaseName);
  const settings = { LOG_LEVEL: logLevel, ...(threads === undefined ? {} : { CRYPTO_THREADS: String(threads) }) };
  const base: ServerOptions = { root, databaseUrl, cwd: database.directory, settings };

  const server = await startServer(base);
  await pause(1000);
  const idle = readResidentBytes(server.pid);
  const ours = await openSide(server, databaseUrl);
  const few = ours.accounts.slice(0, HASH_CONNECTIONS);
  const inlineFlag = `--import=${new URL('./inline-signing.js', import.meta.url).href}`;
  const inline = has('signing') ? await startServer({ ...base, nodeFlags: [inlineFlag] }) : undefined;
  const hook = has('hook') ? await startTokenHook() : undefined;
  const hooked = hook && (await startServer({ ...base, settings: { ...settings, ...hookSettings(hook) } }));
  const oauth = has('oauth') ? await startServer({ ...base, settings: { ...settings, ...oauthSettings } }) : undefined;
  const clientId = oauth && (await addClient(oauth.url, openTokenMint(base).operatorToken()));
  const watched = has('tail') ? await openWatched(base) : undefined;
  const bare = has('bare') ? await startServer({ ...base, isBare: true }) : undefined;
  const other = isCompared ? await openOther(base, otherRoot, await database.create('other')) : undefined;

  const load = async (target: ServerUnderTest, traffic: Traffic, { server, accounts } = ours): Promise<Sample> =>
    rig.load(target, traffic, traffic === 'health' ? accounts : await signInAgain(server.url, accounts));
  const loadOther = (traffic: Traffic) => load(other!.server, traffic, other);
  const grant = (side: Side) => rig.load(side.server, 'password', side.accounts.slice(0, HASH_CONNECTIONS));

  const measureOauth = async (): Promise<Sample> => {
    const accounts = await signInAgain(server.url, ours.accounts);
    return rig.load(oauth!, 'oauthRefresh', await openClientSessions(oauth!.url, clientId!, accounts));
  };

  // Not counted: a server that has just started spends more on compiling its JavaScript than on answering.
  for (const each of [server, oauth, watched?.server, hooked, inline, bare]) {
    if (each) for (const traffic of ['refresh', 'user'] as const) await load(each, traffic);
  }
  if (oauth) await measureOauth();
  if (other) for (const traffic of ['refresh', 'user'] as const) await loadOther(traffic);
  // At a hundred a second this code takes some ten seconds to be compiled; until then a password grant costs twice as much.
  if (has('password', 'storm') || other) {
    for (const side of [ours, ours, ...(other ? [other, other] : [])]) await grant(side);
  }
  progress('warmed up');

  /** Each new session asks the hook once, before the measurement. */
  const measureHooked = async (): Promise<Sample> =>
    rig.load(hooked!, 'refresh', await signInAgain(server.url, ours.accounts), { warmUpSeconds: 2 });

  const samples: Partial<Record<Series, Sample[]>> = {};
  let stormBytes: number | undefined;
  let rawPerSecond = 0;
  const hashing = planHashing(base);

  /** In the order of the rounds; what is false or undefined is not wanted. */
  const steps: [series: Series, isWanted: unknown, measure: () => Promise<Sample>][] = [
    ['refreshOther', other, () => loadOther('refresh')],
    ['refresh', has('refresh', 'signing', 'hook', 'oauth') || other, () => load(server, 'refresh')],
    ['refreshBare', has('refresh') && bare, () => load(bare!, 'refresh')],
    ['refreshOauth', oauth, measureOauth],
    ['refreshWatched', watched, measureWatched],
    ['refreshHook', hooked, measureHooked],
    ['refreshInline', inline, () => load(inline!, 'refresh')],
    [
      'refreshDirect',
      has('refresh') && rig.pgbench,
      () => rig.runStatements(databaseUrl, 'sessions.redeem_refresh_token'),
    ],
    ['sixRoundTrips', has('refresh'), () => rig.runStatements(databaseUrl, 'sixRoundTrips')],
    ['userOther', other, () => loadOther('user')],
    ['user', has('user') || other, () => load(server, 'user')],
    ['userBare', has('user') && bare, () => load(bare!, 'user')],
    ['userDirect', has('user') && rig.pgbench, () => rig.runStatements(databaseUrl, 'users.known_caller')],
    ['health', has('user'), () => load(server, 'health')],
    ['healthBare', has('user') && bare, () => load(bare!, 'health')],
    ['password', has('password') || other, () => grant(ours)],
    ['passwordOther', other, () => grant(other!)],
    ['raw', has('password', 'signup', 'storm'), () => rig.hashRaw(hashing)],
    ['userPaced', has('storm'), () => measureStorm({ user: USERS_PER_SECOND })],
    ['storm', has('storm'), () => measureStorm({ user: USERS_PER_SECOND, password: rawPerSecond * OVERLOAD })],
    ['signup', has('signup'), () => rig.load(server, 'signup', few)],
  ];

  /** What consoles cost is less than what the machine varies by from one measurement to the next. */
  async function measureWatched(): Promise<Sample> {
    const accounts = await signInAgain(server.url, ours.accounts);
    const [unwatched, followed] = await whileFollowed(watched!.consoles, SLICE_MS, () =>
      rig.loadInTurns(watched!.server, 'refresh', accounts, SLICE_MS),
    );
    keep('refreshUnwatched', unwatched);
    return followed;
  }

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
    const round = `round ${samples[series].length}/${rounds}`;
    progress(`${round}  ${seriesNames[series]}: ${Math.round(sample.requestsPerSecond)}/s${p99}`);
  }

  const wanted = steps.filter(([, isWanted]) => isWanted);
  for (let round = 1; round <= rounds; round += 1) {
    // In a comparison the order alternates: whatever runs second finds warmer caches.
    for (const [series, , measure] of isCompared && round % 2 === 0 ? wanted.toReversed() : wanted) {
      await query(databaseUrl, statement('bench-data.analyze').text);
      keep(series, await measure());
    }
  }
  if (hook?.calls() === 0) throw new Error('The token hook was never called');
  for (const each of [other?.server, bare, inline, hooked, watched?.server, oauth, server]) {
    const exit = (await each?.stop()) ?? 0;
    if (exit !== 0) throw new Error(`A server ended with ${exit} after the last round`);
  }
  hook?.close();
  const sigterm = has('sigterm')
    ? await terminateInStorm(rig, base, ours.accounts.slice(0, 32), options.sigtermRuns, progress)
    : undefined;
  return {
    samples,
    residentBytes: { idle, storm: stormBytes },
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
  return { server: await startServer(options), consoles: await openConsoles(options, CONSOLES) };
}

async function openSide(server: ServerUnderTest, databaseUrl: string): Promise<Side> {
  await populate(databaseUrl);
  return { server, accounts: await signUp(server.url, CONNECTIONS) };
}

const openOther = async (base: ServerOptions, root: string, databaseUrl: string): Promise<Side> =>
  openSide(await startServer({ ...base, root, databaseUrl }), databaseUrl);
