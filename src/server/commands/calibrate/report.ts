import type { Argon2Parameters } from '../../../workers/wire.js';
import { type Calibration, compareWithOwasp, type MeasuredCost, mib } from './costs.js';

const columns = [
  '',
  'memory',
  'passes',
  'one alone',
  'all at work',
  'verifies/s a thread',
  'all threads',
  'memory in use',
];
const signs = { equal: '*', weaker: '-', stronger: ' ' } as const;

/** Renders the table. */
export function describe({ engine, hashThreads, costs, omitted }: Calibration, current: Argon2Parameters): string {
  const rows = costs.map(({ parameters, aloneMilliseconds, busyMilliseconds, verifiesPerSecond }) => [
    signs[compareWithOwasp(parameters)],
    `${mib(parameters)} MiB`,
    String(parameters.iterations),
    `${aloneMilliseconds.toFixed(1)} ms`,
    `${busyMilliseconds.toFixed(1)} ms`,
    (verifiesPerSecond / hashThreads).toFixed(0),
    verifiesPerSecond.toFixed(0),
    `${mib(parameters) * hashThreads} MiB${isSame(parameters, current) ? '  set now' : ''}`,
  ]);
  // The mark of the current row is outside the column.
  const widthOf = (cell = ''): number => cell.replace('  set now', '').length;
  const widths = columns.map((head, at) => Math.max(head.length, ...rows.map((row) => widthOf(row[at]))));
  const lines = [columns, ...rows].map((row) =>
    row.map((cell, at) => ' '.repeat(widths[at]! - widthOf(cell)) + cell).join('  '),
  );
  const missing = omitted.map((each) => `${mib(each)} MiB × ${each.iterations}`).join(', ');
  const left = missing === '' ? '' : `Not measured, for want of memory or time: ${missing}.\n`;
  return `Argon2id, parallelism 1, ${engine}, hash threads (AUTH_CRYPTO_THREADS): ${hashThreads}

${lines.join('\n')}

* one of the settings OWASP calls equal   - weaker than these
${left}`;
}

const isSame = (a: Argon2Parameters, b: Argon2Parameters): boolean =>
  a.memoryKiB === b.memoryKiB && a.iterations === b.iterations && a.parallelism === b.parallelism;

/** Renders the settings to copy. */
export function advise(
  current: Argon2Parameters,
  targetMs: number | undefined,
  chosen: MeasuredCost | undefined,
): string {
  if (targetMs === undefined) {
    return `Set now; put the row you choose in its place, memory in KiB:\n\n${writeSettings(current)}`;
  }
  if (chosen === undefined) return '';
  const { parameters, busyMilliseconds } = chosen;
  const what = `${mib(parameters)} MiB, ${parameters.iterations} passes (${busyMilliseconds.toFixed(1)} ms)`;
  return `The strongest below ${targetMs} ms with all threads at work: ${what}\n\n${writeSettings(parameters)}`;
}

const writeSettings = ({ memoryKiB, iterations, parallelism }: Argon2Parameters): string =>
  `AUTH_PASSWORD_ARGON2_MEMORY_KIB=${memoryKiB}
AUTH_PASSWORD_ARGON2_ITERATIONS=${iterations}
AUTH_PASSWORD_ARGON2_PARALLELISM=${parallelism}
`;

/** The same as JSON. */
export function toJson(
  { engine, hashThreads, costs, omitted }: Calibration,
  current: Argon2Parameters,
  targetMs: number | undefined,
  chosen: MeasuredCost | undefined,
): object {
  const plain = ({ memoryKiB, iterations, parallelism }: Argon2Parameters) => ({
    memory_kib: memoryKiB,
    iterations,
    parallelism,
  });
  return {
    engine,
    hash_threads: hashThreads,
    costs: costs.map(({ parameters, aloneMilliseconds, busyMilliseconds, verifiesPerSecond }) => ({
      ...plain(parameters),
      owasp: compareWithOwasp(parameters),
      alone_ms: aloneMilliseconds,
      busy_ms: busyMilliseconds,
      verifies_per_second_per_thread: verifiesPerSecond / hashThreads,
      verifies_per_second: verifiesPerSecond,
      memory_in_use_kib: parameters.memoryKiB * hashThreads,
    })),
    omitted: omitted.map(plain),
    current: plain(current),
    ...(targetMs === undefined
      ? {}
      : { target_ms: targetMs, chosen: chosen === undefined ? null : plain(chosen.parameters) }),
  };
}
