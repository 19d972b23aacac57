/** What a run of bench/growth.ts leaves behind: two tables and growth.json. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GrowthOptions, type GrowthSeries, growthSeries, type SizeResult } from './growth-rounds.js';
import type { Machine } from './machine.js';
import type { Sample } from './measurements.js';
import { isBusy, replaceBetweenMarkers } from './report.js';
import { median, medianRatio } from './statistics.js';
import { type Align, formatNumber, markdownTable, textTable } from './table.js';

/** Sizes the figures are wanted for; those a run left out are named. */
const WANTED = [10_000, 1_000_000, 10_000_000];

interface Table {
  readonly header: string[];
  readonly aligns: Align[];
  readonly rows: string[][];
}

const rate = ({ requestsPerSecond }: Sample): number => requestsPerSecond;
const count = (users: number): string => users.toLocaleString('en');

function databaseCpu(samples: readonly Sample[]): number[] | undefined {
  const values = samples.map(({ cpuMicroseconds }) => cpuMicroseconds?.database).filter((value) => value !== undefined);
  return values.length === samples.length && values.length > 0 ? values : undefined;
}

/** A row for every request and size, beside the smallest size. */
export function costTable(sizes: readonly SizeResult[]): Table {
  const [smallest] = sizes;
  const rows = (Object.keys(growthSeries) as GrowthSeries[]).flatMap((series) =>
    sizes.map(({ users, samples }) => {
      const [own, base] = [samples[series], smallest!.samples[series]];
      const [cpu, baseCpu] = [databaseCpu(own), databaseCpu(base)];
      const ratios =
        users === smallest!.users
          ? ['', '']
          : [
              formatNumber(medianRatio(own.map(rate), base.map(rate))),
              cpu && baseCpu ? formatNumber(medianRatio(cpu, baseCpu)) : '–',
            ];
      return [
        growthSeries[series],
        count(users),
        formatNumber(median(own.map(rate))),
        cpu ? formatNumber(median(cpu)) : '–',
        ...ratios,
      ];
    }),
  );
  return {
    header: ['what', 'users', 'req/s', 'database µs', 'req/s ÷ smallest', 'µs ÷ smallest'],
    aligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    rows,
  };
}

/** Bytes a row: of a table, and of all its indexes. */
export function sizeTable(sizes: readonly SizeResult[]): Table {
  const rows = sizes.map(({ users, relations }) => {
    const bytes = (table: string, isTable: boolean) =>
      relations
        .filter(({ of_table, name }) => of_table === table && (name === of_table) === isTable)
        .reduce((sum, relation) => sum + relation.bytes, 0);
    const cell = (table: string, rows: number) =>
      `${formatNumber(bytes(table, true) / rows)} + ${formatNumber(bytes(table, false) / rows)}`;
    const all = relations.reduce((sum, relation) => sum + relation.bytes, 0);
    return [
      count(users),
      cell('users', users),
      cell('identities', users),
      cell('sessions', users / 2),
      `${formatNumber(all / 1e6)} MB`,
    ];
  });
  return {
    header: ['users', 'a user: table + indexes, bytes', 'its identity', 'a session', 'all together'],
    aligns: ['right', 'right', 'right', 'right', 'right'],
    rows,
  };
}

export function describeGrowth(machine: Machine, sizes: readonly SizeResult[], wanted: GrowthOptions): string {
  const missing = WANTED.filter((users) => !sizes.some((size) => size.users === users));
  const left =
    missing.length === 0 ? '' : ` Not run here: ${missing.map((users) => `${count(users)} users`).join(', ')}.`;
  const made = sizes.map(({ users, fillSeconds }) => `${count(users)} users in ${fillSeconds} s`).join(', ');
  const busy = isBusy(machine)
    ? ` The machine was busy with other things (load ${machine.loadBefore.toFixed(1)}).`
    : '';
  return `${machine.commit}, ${machine.date.slice(0, 16).replace('T', ' ')} UTC: ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB; Node ${machine.node}, Postgres ${machine.postgres} with ${wanted.sharedBuffersGb} GB of shared buffers. Median of ${wanted.rounds} rounds of ${wanted.seconds} s. Made by SQL: ${made}.${left}${busy}`;
}

export function printGrowth(sizes: readonly SizeResult[], caption: string): string {
  const tables = [costTable(sizes), sizeTable(sizes)].map(({ header, rows, aligns }) =>
    textTable(header, rows, aligns),
  );
  return `\n${tables.join('\n\n')}\n\n${caption}\n`;
}

/** Writes bench/results/growth.json and the tables in bench/README.md. */
export function writeGrowth(root: string, sizes: readonly SizeResult[], machine: Machine, wanted: GrowthOptions): void {
  const results = join(root, 'bench/results');
  mkdirSync(results, { recursive: true });
  const { rounds, seconds } = wanted;
  writeFileSync(
    join(results, 'growth.json'),
    `${JSON.stringify({ machine, options: { rounds, seconds }, sizes }, null, 2)}\n`,
  );
  const readme = join(root, 'bench/README.md');
  const tables = [costTable(sizes), sizeTable(sizes)].map(({ header, rows, aligns }) =>
    markdownTable(header, rows, aligns),
  );
  const section = `${tables.join('\n\n')}\n\n${describeGrowth(machine, sizes, wanted)}`;
  writeFileSync(readme, replaceBetweenMarkers(readFileSync(readme, 'utf8'), section, 'growth', 'bench:growth'));
}
