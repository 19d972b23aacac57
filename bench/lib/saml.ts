/** GET /user beside sign-ins at a company, and password grants of servers with and without SAML. */
import { signUp } from './accounts.js';
import { type Budget, describeMisses, judgeBy } from './budgets.js';
import { drawBars } from './chart.js';
import type { Run } from './command.js';
import { populate } from './database.js';
import { describeBriefly, describeRun } from './machine.js';
import { budgetTable } from './main-report.js';
import type { Report, Result } from './results.js';
import { Rig } from './rig.js';
import { addCompany, samlSettings, sendAssertions, signAssertions } from './saml-load.js';
import { configOf, startServer } from './servers.js';
import { middle, ratiosOf } from './statistics.js';
import { storm, USERS_PER_SECOND } from './storm.js';
import { formatNumber } from './table.js';

const ASSERTIONS_PER_SECOND = 100;
/** Of the storm, with a little more, so that assertions come to its end. */
const MORE_SECONDS = 3;
const ACCOUNTS = 64;
const TURNS = 3;
/** Few: on a busy machine more would fill the hash queue, and be refused. */
const CLIENTS = 4;

export interface SamlOptions {
  readonly processes: number;
  readonly seconds: number;
  readonly gates: boolean;
}

export interface SamlCost {
  readonly assertionsPerSecond: number;
  readonly idleP99Ms: number;
  readonly busyP99Ms: number;
  /** Password grants a second. */
  readonly passwordOff: number;
  readonly passwordOn: number;
}

export interface SamlCosts {
  readonly costs: readonly SamlCost[];
}

/** @throws when an answer was not as expected */
export async function measureSaml(run: Run, { processes, seconds }: SamlOptions): Promise<SamlCosts> {
  const costs: SamlCost[] = [];
  for (let process = 1; process <= processes; process += 1) {
    const cost = await measureOnce(run, seconds, process);
    costs.push(cost);
    run.progress(
      `process ${process}/${processes}  GET /user p99 ${cost.idleP99Ms.toFixed(1)} ms, ` +
        `${cost.busyP99Ms.toFixed(1)} ms beside ${cost.assertionsPerSecond.toFixed(0)} assertions/s; ` +
        `password on ÷ off ${(cost.passwordOn / cost.passwordOff).toFixed(3)}`,
    );
  }
  return { costs };
}

async function measureOnce({ database, root }: Run, seconds: number, process: number): Promise<SamlCost> {
  const rig = new Rig(database, seconds);
  const open = async (name: string, settings: Record<string, string>) => {
    const databaseUrl = await database.create(`saml_${name}_${process}`);
    const server = await startServer({ root, databaseUrl, cwd: database.directory, settings });
    await populate(databaseUrl);
    return { server, databaseUrl, accounts: await signUp(server.url, ACCOUNTS) };
  };
  const on = await open('on', samlSettings());
  const off = await open('off', {});
  try {
    const { idp } = await addCompany(on.server, configOf(on).jwtSecret);
    const count = ASSERTIONS_PER_SECOND * (seconds + MORE_SECONDS);
    const requests = signAssertions(idp, on.server.url, count + 1);
    // The first one starts the thread that reads them.
    await sendAssertions(on.server.url, requests.slice(0, 1), 1);
    const read = async () =>
      (await storm(rig, on.server, on.accounts, { user: USERS_PER_SECOND }, [])).results.user.p99Ms;
    const idleP99Ms = await read();
    const [busyP99Ms, assertionsPerSecond] = await Promise.all([
      read(),
      sendAssertions(on.server.url, requests.slice(1), ASSERTIONS_PER_SECOND),
    ]);
    const rates = { on: 0, off: 0 };
    for (let turn = 0; turn < TURNS; turn += 1) {
      const sides = [['on', on] as const, ['off', off] as const];
      for (const [side, { server, accounts }] of turn % 2 === 0 ? sides : sides.reverse()) {
        const { requestsPerSecond } = await rig.loadClosed(server, 'password', accounts.slice(0, CLIENTS));
        rates[side] += requestsPerSecond / TURNS;
      }
    }
    return { assertionsPerSecond, idleP99Ms, busyP99Ms, passwordOff: rates.off, passwordOn: rates.on };
  } finally {
    await Promise.all([on.server.stop(), off.server.stop()]);
  }
}

type Figure = (cost: SamlCost) => number;
const ratioBudget = (
  bounds: Pick<Budget<readonly SamlCost[]>, 'what' | 'better' | 'gate' | 'goal'>,
  one: Figure,
  other: Figure,
): Budget<readonly SamlCost[]> => ({
  ...bounds,
  ...{ unit: '', isRobust: false },
  measure: (costs) => ratiosOf(costs.map(one), costs.map(other)),
});

const samlBudgets = [
  ratioBudget(
    { what: 'sign-ins ÷ assertions sent', better: 'higher', gate: 0.98, goal: 1 },
    ({ assertionsPerSecond }) => assertionsPerSecond,
    () => ASSERTIONS_PER_SECOND,
  ),
  ratioBudget(
    { what: 'p99 of GET /user, beside 100 assertions/s ÷ alone', better: 'lower', gate: 3, goal: 2 },
    ({ busyP99Ms }) => busyP99Ms,
    ({ idleP99Ms }) => idleP99Ms,
  ),
  ratioBudget(
    { what: 'password grants/s, SAML on ÷ off', better: 'higher', gate: 0.98, goal: 1 },
    ({ passwordOn }) => passwordOn,
    ({ passwordOff }) => passwordOff,
  ),
];

/** What missed its gate. */
export const describeMissedSaml = ({ costs }: SamlCosts): string | undefined =>
  describeMisses(judgeBy(samlBudgets, costs));

export function reportSaml({ machine, options, costs }: Result<SamlOptions, SamlCosts>): Report {
  const of = (figure: Figure): number => middle(costs.map(figure)) ?? 0;
  const rows = [
    ['assertions a second, each a sign-in', formatNumber(of((cost) => cost.assertionsPerSecond))],
    [`GET /user alone, ${USERS_PER_SECOND}/s: p99 ms`, formatNumber(of((cost) => cost.idleP99Ms))],
    [`GET /user beside them, ${USERS_PER_SECOND}/s: p99 ms`, formatNumber(of((cost) => cost.busyP99Ms))],
    ['password grants a second, without SAML', formatNumber(of((cost) => cost.passwordOff))],
    ['password grants a second, with SAML', formatNumber(of((cost) => cost.passwordOn))],
  ];
  const bar = (label: string, figure: Figure) => ({ label, value: of(figure), text: `${formatNumber(of(figure))} ms` });
  return {
    tables: [{ header: ['what', 'median'], rows }, budgetTable(judgeBy(samlBudgets, costs), false)],
    notes: [describeRun(machine, [], `Median of ${options.processes} processes, ${options.seconds} s each`)],
    chart: drawBars('GET /user beside sign-ins at a company', describeBriefly(machine), [
      {
        title: `p99 of GET /user, ${USERS_PER_SECOND}/s`,
        bars: [
          bar('alone', ({ idleP99Ms }) => idleP99Ms),
          bar(`beside ${ASSERTIONS_PER_SECOND} assertions a second`, ({ busyP99Ms }) => busyP99Ms),
        ],
      },
    ]),
    chartAlt: 'The slowest of 100 reads of an account, alone and beside sign-ins at a company',
  };
}
