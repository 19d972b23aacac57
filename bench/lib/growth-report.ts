/** Tables and chart of `npm run bench:growth`. */
import { type BarGroup, drawBars } from './chart.js';
import { type Growth, type GrowthOptions, type GrowthSeries, growthSeries, type SizeResult } from './growth.js';
import { type GrowthTable, growthTables } from './growth-data.js';
import { describeBriefly, describeRun } from './machine.js';
import type { Report, Result } from './results.js';
import type { Sample } from './rig.js';
import { medianRatio, middle } from './statistics.js';
import { formatNumber, type Table } from './table.js';

const rate = ({ requestsPerSecond }: Sample): number => requestsPerSecond;
const cpu = ({ cpuMicroseconds }: Sample): number | undefined => cpuMicroseconds?.database;
const show = (users: number): string => users.toLocaleString('en');
const measured = ([smallest]: readonly SizeResult[]): GrowthSeries[] =>
  (Object.keys(growthSeries) as GrowthSeries[]).filter((series) => smallest!.samples[series] !== undefined);

/** A row for every request and size, with the ratios to the smallest size. */
export function costTable(sizes: readonly SizeResult[]): Table {
  const rows = measured(sizes).flatMap((series) =>
    sizes.map(({ users, samples }, index) => {
      const [own, base] = [samples[series] ?? [], sizes[0]!.samples[series]!];
      const cell = (of: typeof cpu) => formatNumber(middle(own.map(of)));
      const ratio = (of: typeof cpu) => (index === 0 ? '' : formatNumber(medianRatio(own.map(of), base.map(of))));
      return [growthSeries[series], show(users), cell(rate), cell(cpu), ratio(rate), ratio(cpu)];
    }),
  );
  return { header: ['what', 'users', 'req/s', 'database µs', 'req/s ÷ smallest', 'µs ÷ smallest'], rows };
}

/** Bytes for each row: of the table, and of all its indexes. */
export function sizeTable(sizes: readonly SizeResult[]): Table {
  const rows = sizes.map(({ users, tables }) => {
    const cell = (name: GrowthTable, count: number) =>
      `${formatNumber(tables[name].table / count)} + ${formatNumber(tables[name].indexes / count)}`;
    const all = growthTables.reduce((sum, name) => sum + tables[name].table + tables[name].indexes, 0);
    const cells = [cell('users', users), cell('identities', users), cell('sessions', users / 2)];
    return [show(users), ...cells, `${formatNumber(all / 1e6)} MB`];
  });
  return { header: ['users', 'a user: table + indexes, bytes', 'an identity', 'a session', 'total'], rows };
}

export function growthGroups(sizes: readonly SizeResult[]): BarGroup[] {
  return measured(sizes).map((series) => ({
    title: `${growthSeries[series]}: database time per answer`,
    bars: sizes.map(({ users, samples }, index) => {
      const value = middle((samples[series] ?? []).map(cpu)) ?? 0;
      return { label: `${show(users)} users`, value, text: `${formatNumber(value)} µs`, isReference: index === 0 };
    }),
  }));
}

export function reportGrowth({ machine, options, sizes }: Result<GrowthOptions, Growth>): Report {
  const { rounds, seconds, sharedBuffersGb } = options;
  const filled = sizes.map(({ users, fillSeconds }) => `${show(users)} users in ${fillSeconds} s`).join(', ');
  const tools = [`${sharedBuffersGb} GB of shared buffers`, `${machine.memoryGb} GB of memory`];
  const length = `Median of ${rounds} rounds of ${seconds} s. Filled by SQL: ${filled}`;
  return {
    tables: [costTable(sizes), sizeTable(sizes)],
    notes: [describeRun(machine, tools, length)],
    chart: drawBars(
      'What an answer costs the database as the tables grow',
      describeBriefly(machine),
      growthGroups(sizes),
    ),
    chartAlt: 'Database time per answer by number of users',
  };
}
