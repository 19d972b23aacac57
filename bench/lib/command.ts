/** What the benches share: options, a Postgres of their own, result files, and an end that leaves nothing behind. */
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BenchDatabase, startBenchDatabase } from './database.js';
import { describeMachine, isBusy } from './machine.js';
import { printReport, type Report, type Result, readResult, writeReport, writeResult } from './results.js';
import { killServers } from './servers.js';

/** Writes one message with the seconds since the start to standard error. */
export type Progress = (message: string) => void;

/** What a measurement works with. */
export interface Run {
  /** Root of this checkout. */
  readonly root: string;
  readonly database: BenchDatabase;
  readonly progress: Progress;
}

/** Values of the options, by name. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

export interface Bench<Options extends object, Data extends object> {
  /** Name of its files in bench/results and of its section in bench/README.md. */
  readonly name: string;
  /** Without the options that every bench has. */
  readonly usage: string;
  /** What may follow the options, e.g. ` [FILE]`. */
  readonly operands?: string;
  /** Its options, and whether they take a value. */
  readonly flags: Readonly<Record<string, 'string' | 'boolean'>>;
  /** @throws on wrong usage */
  readOptions(values: Values, positionals: readonly string[]): Options;
  /** Its figures come from autocannon, whose version is recorded. */
  readonly hasClosedLoops?: boolean;
  /** When to give up, even if a process hangs. */
  limitSeconds(options: Options): number;
  postgresSettings?(options: Options): Readonly<Record<string, string>>;
  /** @throws when an answer was not as expected or a process failed */
  measure(run: Run, options: Options): Promise<Data>;
  report(result: Result<Options, Data>): Report;
  /** Whether a run measures so little that it must not replace the recorded results; `--quick` always does. */
  isPartial?(options: Options): boolean;
  /** @returns why the command exits with 1 after all */
  findFailure?(data: Data, options: Options): string | undefined;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

const COMMON_FLAGS = { quick: 'boolean', render: 'boolean', help: 'boolean' } as const;

/**
 * Runs a bench as a command.
 * @param args without the names of the program and its script
 * @returns the exit code: 0; 1 when the measurement failed; 2 on wrong usage
 */
export async function runBench<Options extends object, Data extends object>(
  bench: Bench<Options, Data>,
  args: readonly string[] = process.argv.slice(2),
): Promise<number> {
  const command = bench.name === 'main' ? 'bench' : `bench:${bench.name}`;
  const usage = `Usage: npm run ${command} -- [options]${bench.operands ?? ''}\n\n${bench.usage}${commonUsage(bench.name)}`;
  let values: Values;
  let options: Options;
  try {
    const flags = Object.entries({ ...bench.flags, ...COMMON_FLAGS }).map(([flag, type]) => [flag, { type }]);
    const allowPositionals = bench.operands !== undefined;
    const parsed = parseArgs({ args: [...args], allowPositionals, options: Object.fromEntries(flags) });
    values = parsed.values as Values;
    if (values['help']) {
      process.stdout.write(usage);
      return 0;
    }
    if (values['render']) {
      writeReport(root, bench.name, command, bench.report(readResult(root, bench.name)));
      return 0;
    }
    options = bench.readOptions(values, parsed.positionals);
  } catch (error) {
    process.stderr.write(`${command}: ${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  const progress = startProgress();
  const [loadBefore = 0] = loadavg();
  return withDatabase(
    command,
    progress,
    bench.limitSeconds(options),
    bench.postgresSettings?.(options),
    async (run) => {
      const machine = describeMachine(root, run.database.version, loadBefore, bench.hasClosedLoops);
      if (isBusy(machine)) progress(`the machine is busy (load ${machine.loadBefore}): expect noise even in ratios`);
      const data = await bench.measure(run, options);
      const result = { machine, options, ...data };
      const report = bench.report(result);
      process.stdout.write(printReport(report));
      if (!values['quick'] && !bench.isPartial?.(options)) {
        writeResult(root, bench.name, result);
        writeReport(root, bench.name, command, report);
        progress(`wrote bench/results/${bench.name}.json, bench/results/${bench.name}.svg and bench/README.md`);
      }
      const failure = bench.findFailure?.(data, options);
      if (failure === undefined) return 0;
      progress(failure);
      return 1;
    },
  );
}

const commonUsage = (name: string): string => `
Options of every bench:
  --quick           a short run that writes nothing: does it still work?
  --render          write the chart and the tables again from bench/results/${name}.json; measures nothing
  --help            show this help

Exit code: 0; 1 when the measurement failed; 2 on wrong usage.
`;

/**
 * A whole number given for an option.
 * @returns undefined when the option is absent
 * @throws when it is anything else or out of bounds
 */
export function readCount(values: Values, name: string, least = 1, most = 1000): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(String(text)) || number < least || number > most) {
    throw new Error(`--${name} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  }
  return number;
}

function startProgress(): Progress {
  const startMs = performance.now();
  return (message) => {
    process.stderr.write(`${((performance.now() - startMs) / 1000).toFixed(0).padStart(4)} s  ${message}\n`);
  };
}

async function withDatabase(
  command: string,
  progress: Progress,
  limitSeconds: number,
  settings: Readonly<Record<string, string>> | undefined,
  work: (run: Run) => Promise<number>,
): Promise<number> {
  progress('starting a fresh Postgres');
  const database = await startBenchDatabase(settings);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    killServers();
    stopping ??= database.stop();
    return stopping;
  };
  const stopEarly = (why: string, exitCode: number): void => {
    progress(why);
    void stop().then(() => process.exit(exitCode));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopEarly(`${signal}: stopping`, 130));
  }
  const watchdog = setTimeout(() => stopEarly(`giving up after ${limitSeconds} s`, 1), limitSeconds * 1000);
  try {
    return await work({ root, database, progress });
  } catch (error) {
    // Once everything is being stopped, failures are its consequence.
    if (stopping === undefined) process.stderr.write(`${command}: ${(error as Error).message}\n`);
    return 1;
  } finally {
    clearTimeout(watchdog);
    await stop();
  }
}
