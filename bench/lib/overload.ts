/** Overloads of several strengths, with refreshes and GET /user beside them; once more on a slow database. */
import type { Test } from 'tap';
import { startSlowProxy } from '../../test/support/slow-proxy.js';
import { signInAgain, signUp } from './accounts.js';
import { type BarGroup, drawBars } from './chart.js';
import type { Run } from './command.js';
import { populate } from './database.js';
import type { LoadResult } from './load-window.js';
import { describeBriefly, describeRun } from './machine.js';
import type { Traffic } from './requests.js';
import type { Report, Result } from './results.js';
import { Rig } from './rig.js';
import { planHashing, startServer } from './servers.js';
import { medianRatio, middle } from './statistics.js';
import { OVERLOAD, storm, USERS_PER_SECOND } from './storm.js';
import { formatNumber, type Table } from './table.js';

/** Times what the hash threads can do. */
const FACTORS = [1, 3, OVERLOAD];
/** Added to every answer of the database in the last case. */
const SLOW_MS = 50;
const REFRESHES_PER_SECOND = 200;
const ACCOUNTS = 64;

export interface OverloadOptions {
  readonly rounds: number;
  readonly seconds: number;
}

export interface OverloadSample {
  readonly rawPerSecond: number;
  readonly offeredPerSecond: number;
  readonly goodPerSecond: number;
  /** Password grants answered 503. */
  readonly shedPerSecond: number;
  /** Refresh grants and GET /user answered 503. */
  readonly othersShedPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refreshP99Ms: number;
  readonly userP99Ms: number;
  /** Password grants sent and not answered, at most. */
  readonly mostInFlight: number;
  readonly residentBytes?: number | undefined;
}

export interface OverloadCase {
  readonly factor: number;
  readonly isSlow: boolean;
  readonly samples: OverloadSample[];
}

export interface Overload {
  readonly cases: readonly OverloadCase[];
  readonly tools: { readonly argon2?: string | undefined };
}

/** @throws when an answer was neither 2xx nor 503, or a process failed */
export async function measureOverload(run: Run, { rounds, seconds }: OverloadOptions): Promise<Overload> {
  const { database, root, progress } = run;
  const rig = new Rig(database, seconds);
  const databaseUrl = await database.create('overload');
  const options = { root, databaseUrl, cwd: database.directory };
  const server = await startServer(options);
  await populate(databaseUrl);
  const accounts = await signUp(server.url, ACCOUNTS);
  const teardowns: (() => unknown)[] = [];
  const scope = { teardown: (end: () => unknown) => teardowns.push(end) } as unknown as Pick<Test, 'teardown'>;
  const proxy = await startSlowProxy(scope, databaseUrl);
  const slowServer = await startServer({ ...options, databaseUrl: proxy.url });
  const cases: OverloadCase[] = FACTORS.map((factor) => ({ factor, isSlow: false, samples: [] }));
  cases.push({ factor: OVERLOAD, isSlow: true, samples: [] });

  async function measureCase({ factor, isSlow }: OverloadCase): Promise<OverloadSample> {
    const { requestsPerSecond: rawPerSecond } = await rig.hashRaw(planHashing(options));
    const sessions = await signInAgain(server.url, accounts);
    proxy.delayMs = isSlow ? SLOW_MS : 0;
    const rates = { password: rawPerSecond * factor, user: USERS_PER_SECOND, refresh: REFRESHES_PER_SECOND };
    const target = isSlow ? slowServer : server;
    const { results, residentBytes } = await storm(rig, target, sessions, rates, Object.keys(rates) as Traffic[]);
    const shed = ({ statuses }: LoadResult) => (statuses[503] ?? 0) / seconds;
    const { password, user, refresh } = results;
    const { offeredPerSecond, requestsPerSecond: goodPerSecond, p50Ms, p99Ms, mostInFlight } = password;
    return {
      ...{ rawPerSecond, offeredPerSecond, goodPerSecond, shedPerSecond: shed(password), p50Ms, p99Ms, mostInFlight },
      othersShedPerSecond: shed(user) + shed(refresh),
      refreshP99Ms: refresh.p99Ms,
      userP99Ms: user.p99Ms,
      residentBytes,
    };
  }

  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const each of cases) {
        const sample = await measureCase(each);
        each.samples.push(sample);
        const { goodPerSecond, offeredPerSecond, rawPerSecond, refreshP99Ms } = sample;
        progress(
          `round ${round}/${rounds}  ${nameOf(each)}: ${goodPerSecond.toFixed(0)} of ${offeredPerSecond.toFixed(0)}/s, ` +
            `raw ${rawPerSecond.toFixed(0)}/s, refresh p99 ${refreshP99Ms.toFixed(1)} ms`,
        );
      }
    }
  } finally {
    proxy.delayMs = 0;
    await Promise.all([server.stop(), slowServer.stop()]);
    for (const end of teardowns) await end();
  }
  return { cases, tools: { argon2: rig.engine } };
}

const nameOf = ({ factor, isSlow }: OverloadCase): string => `${factor} ×${isSlow ? `, database +${SLOW_MS} ms` : ''}`;

const columns: readonly (readonly [title: string, figure: keyof OverloadSample])[] = [
  ['offered/s', 'offeredPerSecond'],
  ['answered/s', 'goodPerSecond'],
  ['shed/s', 'shedPerSecond'],
  ['p50 ms', 'p50Ms'],
  ['p99 ms', 'p99Ms'],
  ['refresh p99 ms', 'refreshP99Ms'],
  ['GET /user p99 ms', 'userP99Ms'],
  ['503 to these/s', 'othersShedPerSecond'],
  ['in flight at most', 'mostInFlight'],
];

const valuesOf = ({ samples }: OverloadCase, figure: keyof OverloadSample) => samples.map((sample) => sample[figure]);

export function overloadTable(cases: readonly OverloadCase[]): Table {
  const rows = cases.map((each) => {
    const memory = middle(valuesOf(each, 'residentBytes'));
    return [
      nameOf(each),
      ...columns.map(([, figure]) => formatNumber(middle(valuesOf(each, figure)))),
      formatNumber(memory && memory / 1e6),
      formatNumber(medianRatio(valuesOf(each, 'goodPerSecond'), valuesOf(each, 'rawPerSecond'))),
    ];
  });
  return { header: ['overload', ...columns.map(([title]) => title), 'memory MB', 'answered ÷ raw argon2'], rows };
}

export function overloadGroups(cases: readonly OverloadCase[]): BarGroup[] {
  const group = (title: string, figure: keyof OverloadSample, unit: string): BarGroup => ({
    title,
    bars: cases.map((each) => {
      const value = middle(valuesOf(each, figure)) ?? 0;
      return { label: nameOf(each), value, text: `${formatNumber(value)}${unit}` };
    }),
  });
  const raw = middle(cases.flatMap((each) => valuesOf(each, 'rawPerSecond'))) ?? 0;
  const answered = group('Password grants answered', 'goodPerSecond', '/s');
  const limit = { label: 'raw argon2', value: raw, text: `${formatNumber(raw)}/s`, isReference: true };
  return [
    { ...answered, bars: [...answered.bars, limit] },
    group('Their p99', 'p99Ms', ' ms'),
    group(`Refresh grants meanwhile, ${REFRESHES_PER_SECOND}/s: p99`, 'refreshP99Ms', ' ms'),
    group(`GET /user meanwhile, ${USERS_PER_SECOND}/s: p99`, 'userP99Ms', ' ms'),
    group('Password grants in flight at most', 'mostInFlight', ''),
  ];
}

export function reportOverload({ machine, options, cases, tools }: Result<OverloadOptions, Overload>): Report {
  const length = `Median of ${options.rounds} rounds of ${options.seconds} s, with ${REFRESHES_PER_SECOND} refresh grants and ${USERS_PER_SECOND} GET /user a second`;
  return {
    tables: [overloadTable(cases)],
    notes: [describeRun(machine, [tools.argon2], length)],
    chart: drawBars(
      '1, 3 and 10 times the password grants that can be hashed',
      describeBriefly(machine),
      overloadGroups(cases),
    ),
    chartAlt: 'What is answered under overload, and how quickly',
  };
}
