/** Reads the metrics page and applies the rules of `promtool check metrics`, plus duplicates, buckets and the prefix. */
import { keepForSearch } from './secret-search.js';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const withoutSuffix = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
const keyOf = (labels: Sample['labels']): string => JSON.stringify(Object.entries(labels).sort());

/** @throws on a line that is not in the text format 0.0.4 */
export function parsePage(page: string): Map<string, Family> {
  keepForSearch('metrics', page);
  const families = new Map<string, { help: string; type: string; samples: Sample[] }>();
  for (const line of page.split('\n').filter((line) => line !== '')) {
    const [, kind, family, text] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind !== undefined) {
      const entry = families.get(family!) ?? { help: '', type: '', samples: [] };
      const part = kind === 'HELP' ? 'help' : 'type';
      if (entry[part] !== '') throw new Error(`${family} has two lines of ${kind}`);
      entry[part] = text!;
      families.set(family!, entry);
      continue;
    }
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`Not a sample: ${line}`);
    const entry = families.get(name) ?? families.get(withoutSuffix(name));
    if (entry === undefined) throw new Error(`${name} has neither HELP nor TYPE`);
    const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key!, text!]);
    entry.samples.push({ name, labels: Object.fromEntries(pairs), value: value === '+Inf' ? Infinity : Number(value) });
  }
  return families;
}

/** @returns one sentence for each rule that a family breaks */
export function lintPage(families: ReadonlyMap<string, Family>): string[] {
  return [...families].flatMap(([name, { help, type, samples }]) => {
    const keys = samples.map((sample) => sample.name + keyOf(sample.labels));
    const rules: readonly (readonly [isBroken: boolean, words: string])[] = [
      [help === '', 'has no HELP'],
      [!['counter', 'gauge', 'histogram'].includes(type), `is of type ${type}`],
      [!/^[a-z][a-z0-9_]*[a-z0-9]$/.test(name), 'is not snake_case'],
      [!/^(?:latchkey|process)_/.test(name) && name !== 'target_info', 'has no prefix'],
      [(type === 'counter') !== name.endsWith('_total'), 'ends with _total if and only if it is a counter'],
      [
        /_(?:bucket|sum|count|info)$/.test(name) && !/^(?:latchkey_build|target)_info$/.test(name),
        'has a reserved end',
      ],
      [/_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name), 'has its type in its name'],
      [
        /_(?:milliseconds|ms|minutes|hours|kilobytes|kb|mb|megabytes|percent)(?:_|$)/.test(name),
        'is not in base units',
      ],
      [new Set(keys).size < keys.length, 'has a sample twice'],
      [samples.some(({ labels }) => 'le' in labels && type !== 'histogram'), 'has a label le'],
      [samples.some(({ labels }) => 'quantile' in labels), 'has a label quantile'],
      [samples.some(({ value }) => !Number.isFinite(value) || (type !== 'gauge' && value < 0)), 'has an invalid value'],
      [type === 'histogram' && !hasWholeBuckets(name, samples), 'has broken buckets'],
    ];
    return rules.filter(([isBroken]) => isBroken).map(([, words]) => `${name} ${words}`);
  });
}

/** Whether the buckets of each series grow, and the last, +Inf, equals the count. */
function hasWholeBuckets(name: string, samples: readonly Sample[]): boolean {
  const counts = samples.filter((sample) => sample.name === `${name}_count`);
  const buckets = samples.filter(({ labels }) => 'le' in labels);
  const seriesOf = ({ labels: { le, ...labels } }: Sample): string => keyOf(labels);
  return (
    buckets.every((bucket) => counts.some((count) => keyOf(count.labels) === seriesOf(bucket))) &&
    counts.every((count) => {
      const series = buckets.filter((bucket) => seriesOf(bucket) === keyOf(count.labels));
      const last = series.at(-1);
      const grows = series.every(({ value }, i) => i === 0 || value >= series[i - 1]!.value);
      return grows && last?.labels['le'] === '+Inf' && last.value === count.value;
    })
  );
}

/** Sums the samples of a family whose labels include these. */
export function sumOf(families: ReadonlyMap<string, Family>, name: string, labels: Sample['labels'] = {}): number {
  const samples = (families.get(name) ?? families.get(withoutSuffix(name)))?.samples ?? [];
  return samples
    .filter((sample) => sample.name === name && Object.entries(labels).every(([k, v]) => sample.labels[k] === v))
    .reduce((sum, { value }) => sum + value, 0);
}
