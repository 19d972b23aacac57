/** The same requests without organizations and of accounts with memberships. */
import { join } from 'node:path';
import { signInAgain, signUp } from './accounts.js';
import { withCheckout } from './checkout.js';
import type { Run } from './command.js';
import { populate, query, statement } from './database.js';
import { measureScale, type ScaleFigure } from './organizations-scale.js';
import type { Account, Traffic } from './requests.js';
import { Rig, type Sample } from './rig.js';
import { seriesNames } from './series.js';
import { type ServerUnderTest, startServer } from './servers.js';
import { formatNumber } from './table.js';
import { loadInTurns } from './turns.js';

export const organizationSides = {
  off: 'off',
  on: 'on, five memberships',
  before: 'off, the other revision',
} as const;

export type OrganizationSide = keyof typeof organizationSides;

const { refresh, user } = seriesNames;
export const organizationTraffics = { refresh, user } as const satisfies Partial<Record<Traffic, string>>;

export type OrganizationTraffic = keyof typeof organizationTraffics;

/** What one set of fresh processes has measured. */
export interface OrganizationProcess {
  readonly samples: Readonly<Record<OrganizationTraffic, Readonly<Partial<Record<OrganizationSide, Sample>>>>>;
}

export interface OrganizationCosts {
  readonly costs: readonly OrganizationProcess[];
  /** Empty: there was no large database. */
  readonly scale: readonly ScaleFigure[];
}

export interface OrganizationOptions {
  readonly processes: number;
  readonly seconds: number;
  /** Of the large database. */
  readonly users: number;
  /** A git revision. */
  readonly compare?: string | undefined;
  readonly gates: boolean;
}

const CONNECTIONS = 64;

export const sidesOf = ({ compare }: Pick<OrganizationOptions, 'compare'>): OrganizationSide[] =>
  compare === undefined ? ['off', 'on'] : ['off', 'on', 'before'];

/** @throws when an answer was not 2xx or a process failed */
export async function measureOrganizations(run: Run, options: OrganizationOptions): Promise<OrganizationCosts> {
  const rig = new Rig(run.database, options.seconds);
  const measure = async (otherRoot: string | null): Promise<OrganizationProcess[]> => {
    const costs: OrganizationProcess[] = [];
    for (let process = 1; process <= options.processes; process += 1) {
      costs.push({ samples: await measureRequests(run, rig, process, otherRoot) });
    }
    return costs;
  };
  const directory = join(run.database.directory, 'other');
  const costs =
    options.compare === undefined
      ? await measure(null)
      : await withCheckout(options.compare, run.root, directory, () => measure(directory));
  return { costs, scale: options.users === 0 ? [] : await measureScale(run, options.users) };
}

interface Subject {
  readonly side: OrganizationSide;
  readonly databaseUrl: string;
  readonly server: ServerUnderTest;
  readonly accounts: readonly Account[];
}

/** @param otherRoot of a checkout of the other revision; null: there is none */
async function measureRequests(run: Run, rig: Rig, process: number, otherRoot: string | null) {
  const subjects: Subject[] = [];
  const sides = sidesOf({ compare: otherRoot ?? undefined });
  for (const side of process % 2 === 0 ? sides.toReversed() : sides) {
    subjects.push(await openSubject(run, side, process, side === 'before' ? otherRoot! : run.root));
  }
  const measured: Partial<Record<OrganizationTraffic, Partial<Record<OrganizationSide, Sample>>>> = {};
  for (const traffic of Object.keys(organizationTraffics) as OrganizationTraffic[]) {
    const load = async ({ side, server, accounts }: Subject) => ({
      ...{ server, traffic },
      accounts: await openAgain(server.url, accounts, side === 'on'),
    });
    // Not counted: until V8 has compiled what answers.
    for (const subject of subjects) await rig.load(subject.server, traffic, (await load(subject)).accounts);
    for (const { databaseUrl } of subjects) await query(databaseUrl, statement('bench-data.analyze').text);
    const loads = [];
    for (const subject of subjects) loads.push(await load(subject));
    const samples = await loadInTurns(rig, loads);
    const bySide = samples.map((sample, at) => [subjects[at]!.side, sample] as const);
    measured[traffic] = Object.fromEntries(bySide);
    const rates = bySide.map(([side, { requestsPerSecond }]) => `${side} ${formatNumber(requestsPerSecond)}/s`);
    run.progress(`process ${process}  ${organizationTraffics[traffic]}: ${rates.join(', ')}`);
  }
  for (const { server } of subjects) await server.stop();
  return measured as OrganizationProcess['samples'];
}

async function openSubject(run: Run, side: OrganizationSide, process: number, root: string): Promise<Subject> {
  const databaseUrl = await run.database.create(`organizations_${side}_${process}`);
  const settings: Record<string, string> = side === 'on' ? { ORGANIZATIONS_ENABLED: 'true' } : {};
  const server = await startServer({ root, databaseUrl, cwd: run.database.directory, settings });
  await populate(databaseUrl);
  const accounts = await signUp(server.url, CONNECTIONS);
  if (side === 'on') {
    await query(databaseUrl, statement('bench-organizations.join_five').text, [accounts.map(({ email }) => email)]);
  }
  return { side, databaseUrl, server, accounts };
}

/** @param isActive the newest organization of each is made active */
async function openAgain(url: string, accounts: readonly Account[], isActive: boolean): Promise<Account[]> {
  const opened = await signInAgain(url, accounts);
  if (!isActive) return opened;
  const active: Account[] = [];
  for (const account of opened) active.push(await activate(url, account));
  return active;
}

async function activate(url: string, account: Account): Promise<Account> {
  const { organizations } = await ask(`${url}/organizations?limit=1`, 'GET', account);
  const { access_token, refresh_token } = await ask(
    `${url}/organizations/${organizations[0].id}/activate`,
    'POST',
    account,
  );
  return { ...account, accessToken: access_token, refreshToken: refresh_token };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several kinds.
async function ask(url: string, method: string, { accessToken }: Account): Promise<any> {
  const answer = await fetch(url, { method, headers: { authorization: `Bearer ${accessToken}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
