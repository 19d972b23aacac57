/** The same requests without and with a schema for applications, and the same import. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signInAgain, signUp } from './accounts.js';
import type { Run } from './command.js';
import { populate, query, statement } from './database.js';
import type { Account, Traffic } from './requests.js';
import { Rig, type Sample } from './rig.js';
import { seriesNames } from './series.js';
import { environmentOf, type ServerUnderTest, startServer } from './servers.js';
import { formatNumber } from './table.js';
import { loadInTurns } from './turns.js';

export const mirrorSides = {
  off: 'off',
  on: 'on',
  profile: 'on, a trigger fills a profile',
} as const;

export type MirrorSide = keyof typeof mirrorSides;

const { signup, refresh, user } = seriesNames;
export const mirrorTraffics = { signup, refresh, user } as const satisfies Partial<Record<Traffic, string>>;

export type MirrorTraffic = keyof typeof mirrorTraffics;

/** What one set of fresh processes has measured. */
export interface MirrorProcess {
  readonly samples: Readonly<Record<MirrorTraffic, Readonly<Record<MirrorSide, Sample>>>>;
  /** Absent: no import. */
  readonly importSeconds?: Readonly<Record<'off' | 'on', number>> | undefined;
}

export interface MirrorCosts {
  readonly costs: readonly MirrorProcess[];
}

export interface MirrorOptions {
  readonly processes: number;
  readonly seconds: number;
  /** Of the import. */
  readonly users: number;
  readonly gates: boolean;
}

const CONNECTIONS = 64;
const HASH_CONNECTIONS = 16;
const SCHEMA = 'auth';

const settingsOf = (side: MirrorSide): Record<string, string> => (side === 'off' ? {} : { DB_APP_SCHEMA: SCHEMA });
const sidesInTurn = (process: number): MirrorSide[] => {
  const sides = Object.keys(mirrorSides) as MirrorSide[];
  return process % 2 === 0 ? sides.toReversed() : sides;
};

/** @throws when an answer was not 2xx or a process failed */
export async function measureMirror(run: Run, options: MirrorOptions): Promise<MirrorCosts> {
  const rig = new Rig(run.database, options.seconds);
  const costs: MirrorProcess[] = [];
  for (let process = 1; process <= options.processes; process += 1) {
    const samples = await measureRequests(run, rig, process);
    const importSeconds = options.users === 0 ? undefined : await measureImports(run, options.users, process);
    costs.push({ samples, importSeconds });
  }
  return { costs };
}

interface Subject {
  readonly side: MirrorSide;
  readonly databaseUrl: string;
  readonly server: ServerUnderTest;
  readonly accounts: readonly Account[];
}

async function measureRequests(run: Run, rig: Rig, process: number): Promise<MirrorProcess['samples']> {
  const subjects: Subject[] = [];
  for (const side of sidesInTurn(process)) subjects.push(await openSubject(run, side, process));
  const measured: Partial<Record<MirrorTraffic, Record<MirrorSide, Sample>>> = {};
  for (const traffic of Object.keys(mirrorTraffics) as MirrorTraffic[]) {
    const load = async ({ server, accounts }: Subject) => ({
      ...{ server, traffic },
      accounts: traffic === 'signup' ? accounts.slice(0, HASH_CONNECTIONS) : await signInAgain(server.url, accounts),
    });
    // Not counted: until V8 has compiled what answers.
    for (const subject of subjects) await rig.load(subject.server, traffic, (await load(subject)).accounts);
    for (const { databaseUrl } of subjects) await query(databaseUrl, statement('bench-data.analyze').text);
    const loads = [];
    for (const subject of subjects) loads.push(await load(subject));
    const samples = await loadInTurns(rig, loads);
    const bySide = samples.map((sample, at) => [subjects[at]!.side, sample] as const);
    measured[traffic] = Object.fromEntries(bySide) as Record<MirrorSide, Sample>;
    const rates = bySide.map(([side, { requestsPerSecond }]) => `${side} ${formatNumber(requestsPerSecond)}/s`);
    run.progress(`process ${process}  ${mirrorTraffics[traffic]}: ${rates.join(', ')}`);
  }
  for (const { server } of subjects) await server.stop();
  return measured as MirrorProcess['samples'];
}

async function openSubject(run: Run, side: MirrorSide, process: number): Promise<Subject> {
  const databaseUrl = await run.database.create(`app_schema_${side}_${process}`);
  const options = { root: run.root, databaseUrl, cwd: run.database.directory, settings: settingsOf(side) };
  const server = await startServer(options);
  await populate(databaseUrl);
  if (side === 'profile') await query(databaseUrl, statement('app-schema.profiles').text);
  return { side, databaseUrl, server, accounts: await signUp(server.url, CONNECTIONS) };
}

async function measureImports(run: Run, users: number, process: number) {
  const file = join(run.database.directory, 'users.ndjson');
  writeFileSync(file, Array.from({ length: users }, (_, at) => `${JSON.stringify(importedUser(at))}\n`).join(''));
  const seconds = { off: 0, on: 0 };
  for (const side of sidesInTurn(process).filter((side) => side !== 'profile')) {
    const name = `app_schema_import_${side}_${process}`;
    const databaseUrl = await run.database.create(name);
    const command = (...args: string[]) => runLatchkey(run, databaseUrl, settingsOf(side), args);
    await command('migrate');
    const startMs = performance.now();
    await command('users', 'import', file, '--bookmark', `${file}.${side}.${process}`);
    seconds[side] = (performance.now() - startMs) / 1000;
    const [row] = await query<{ users: number }>(databaseUrl, statement('app-schema.count_users').text);
    if (row?.users !== users) throw new Error(`${users} users were imported, the database has ${row?.users}`);
    run.progress(
      `process ${process}  import of ${users.toLocaleString('en')} users, ${side}: ${formatNumber(seconds[side])} s`,
    );
  }
  return seconds;
}

const importedUser = (at: number): object => ({
  email: `person-${at}@example.com`,
  email_confirmed: true,
  user_metadata: { full_name: `Person ${at}` },
  identities: [
    {
      provider: 'github',
      provider_id: `github-${at}`,
      identity_data: { sub: `github-${at}`, email: `person-${at}@example.com` },
    },
  ],
});

/** @throws when the command fails */
async function runLatchkey(
  { root, database }: Run,
  databaseUrl: string,
  settings: Record<string, string>,
  args: readonly string[],
): Promise<void> {
  const env = { PATH: process.env['PATH'], ...environmentOf({ databaseUrl, settings }) };
  const child = spawn(process.execPath, [join(root, 'bin/latchkey.cjs'), ...args], {
    cwd: database.directory,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-1000);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`latchkey ${args.slice(0, 2).join(' ')} ended with ${code}: ${errors}`);
}
