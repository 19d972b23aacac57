/** Reads a page of metrics and complains as `promtool check metrics` would. */

import { keepForSearch } from './secret-search.js';

export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** @throws on a line that is not in the text format 0.0.4 */
export function parsePage(page: string): Map<string, Family> {
  keepForSearch('metrics', page);
  const families = new Map<string, { help: string; type: string; samples: Family['samples'][number][] }>();
  for (const line of page.split('\n')) {
    if (line === '') continue;
    const head = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (head !== null) {
      const [, kind, name, text] = head;
      const family = families.get(name!) ?? { help: '', type: '', samples: [] };
      const part = kind === 'HELP' ? 'help' : 'type';
      if (family[part] !== '') throw new Error(`${name} has two lines of ${kind}`);
      family[part] = text!;
      families.set(name!, family);
      continue;
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (sample === null) throw new Error(`Not a sample: ${line}`);
    const [, name, labels = '', value] = sample;
    const family = families.get(name!) ?? families.get(name!.replace(/_(?:bucket|sum|count)$/, ''));
    if (family === undefined) throw new Error(`${name} has neither HELP nor TYPE`);
    const pairs = Object.fromEntries([...labels.matchAll(LABEL)].map(([, key, text]) => [key!, text!]));
    family.samples.push({ name: name!, labels: pairs, value: value === '+Inf' ? Infinity : Number(value) });
  }
  return families;
}

/** Metrics whose labels are what they say. */
const INFOS = new Set(['latchkey_build_info', 'target_info']);
const UNITS = /_(?:milliseconds|ms|minutes|hours|kilobytes|kb|mb|megabytes|percent)(?:_|$)/;

/** The rules of promtool's linter, and those of the Prometheus naming guide that can be checked. */
export function lintPage(families: ReadonlyMap<string, Family>): string[] {
  const faults: string[] = [];
  for (const [name, { help, type, samples }] of families) {
    const fault = (words: string) => faults.push(`${name} ${words}`);
    if (help === '') fault('has no HELP');
    if (type !== 'counter' && type !== 'gauge' && type !== 'histogram') fault(`is of type ${type}`);
    if (!/^[a-z][a-z0-9_]*[a-z0-9]$/.test(name)) fault('is not snake_case');
    if (!/^(?:latchkey|process)_/.test(name) && name !== 'target_info') fault('has no prefix');
    if ((type === 'counter') !== name.endsWith('_total')) fault('ends with _total if and only if it is a counter');
    if (/_(?:bucket|sum|count|info)$/.test(name) && !INFOS.has(name)) fault('ends with a reserved word');
    if (/_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name)) fault('has its type in its name');
    if (UNITS.test(name)) fault('is not in base units');
    const seen = new Set<string>();
    for (const sample of samples) {
      const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (seen.has(key)) fault(`has ${key} twice`);
      seen.add(key);
      if ('le' in sample.labels && type !== 'histogram') fault('has a label le');
      if ('quantile' in sample.labels) fault('has a label quantile');
      if (!Number.isFinite(sample.value) || (type !== 'gauge' && sample.value < 0))
        fault(`has the value ${sample.value}`);
    }
    if (type === 'histogram') faults.push(...lintBuckets(name, samples));
  }
  return faults;
}

/** Buckets only grow, and the last holds everything. */
function lintBuckets(name: string, samples: Family['samples']): string[] {
  const series = new Map<string, { le: number; value: number }[]>();
  const counts = new Map<string, number>();
  for (const {
    name: sample,
    labels: { le, ...labels },
    value,
  } of samples) {
    const key = JSON.stringify(Object.entries(labels).sort());
    if (sample.endsWith('_count')) counts.set(key, value);
    if (le === undefined) continue;
    const buckets = series.get(key) ?? [];
    series.set(key, buckets);
    buckets.push({ le: le === '+Inf' ? Infinity : Number(le), value });
  }
  return [...series].flatMap(([key, buckets]) => {
    const grows = buckets.every(({ value }, i) => i === 0 || value >= buckets[i - 1]!.value);
    const last = buckets.at(-1)!;
    return grows && last.le === Infinity && last.value === counts.get(key) ? [] : [`${name} ${key} has broken buckets`];
  });
}

/** The sum of the samples of a family whose labels include these. */
export function sumOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = name.replace(/_(?:bucket|sum|count)$/, '');
  const { samples } = families.get(name) ?? families.get(family) ?? { samples: [] };
  return samples
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);
}
