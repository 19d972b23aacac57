/**
 * One process of a build differs from the next by 5 %: where its code and its data lie is chance. So every process of a run is
 * started anew several times, in turns with what it is compared with, and the median of these decides.
 */
import type { Sample } from './rig.js';
import type { Measurements, Samples, Series } from './series.js';
import { middle } from './statistics.js';

/**
 * Measures fresh processes, one set after the other.
 * @param measure starts the processes, measures and stops them; counts from 1
 * @param isDecided whether what is known by now decides already
 */
export async function measureProcesses(
  count: number,
  measure: (process: number) => Promise<Measurements>,
  isDecided: (measured: Measurements) => boolean = () => false,
): Promise<Measurements> {
  let all = await measure(1);
  for (let process = 2; process <= count && !isDecided(all); process += 1) all = join(all, await measure(process));
  return all;
}

/** One sample of each series: of each figure the median of the rounds of a process. */
export function summariseRounds(samples: Samples): Samples {
  const entries = Object.entries(samples) as [Series, readonly Sample[]][];
  return Object.fromEntries(entries.map(([series, rounds]) => [series, [middleSample(rounds)]]));
}

function middleSample(rounds: readonly Sample[]): Sample {
  const figure = (read: (sample: Sample) => number | undefined) => middle(rounds.map(read));
  const cpu = (of: 'server' | 'database' | 'generator') => figure(({ cpuMicroseconds }) => cpuMicroseconds?.[of]);
  const cpuMicroseconds = withoutAbsent({
    server: cpu('server'),
    database: cpu('database'),
    generator: cpu('generator'),
  });
  const times = withoutAbsent({ p50Ms: figure(({ p50Ms }) => p50Ms), p99Ms: figure(({ p99Ms }) => p99Ms) });
  return {
    requestsPerSecond: figure(({ requestsPerSecond }) => requestsPerSecond) ?? 0,
    ...times,
    ...(Object.keys(cpuMicroseconds).length === 0 ? {} : { cpuMicroseconds }),
  };
}

const withoutAbsent = (figures: Readonly<Record<string, number | undefined>>): Record<string, number> =>
  Object.fromEntries(Object.entries(figures).filter((entry): entry is [string, number] => entry[1] !== undefined));

function join(all: Measurements, one: Measurements): Measurements {
  const series = Object.keys({ ...all.samples, ...one.samples }) as Series[];
  const bytes = (when: 'idle' | 'storm') => [all, one].flatMap(({ residentBytes }) => residentBytes[when] ?? []);
  return {
    samples: Object.fromEntries(series.map((of) => [of, [...(all.samples[of] ?? []), ...(one.samples[of] ?? [])]])),
    residentBytes: { idle: bytes('idle'), storm: bytes('storm') },
    sigterm: all.sigterm ?? one.sigterm,
    tools: all.tools,
  };
}
