import { readCount, type Values } from './command.js';
import { type Part, parts } from './series.js';

export interface MainOptions {
  /** How often every process is started anew; the median decides. Absent in results of one process. */
  readonly processes: number;
  /** Of each process. */
  readonly rounds: number;
  readonly seconds: number;
  readonly sigtermRuns: number;
  readonly only: readonly Part[];
  /** Exit with 1 when a gate was missed. */
  readonly gates: boolean;
  /** Only the robust gates, in short rounds, and no more processes than decide. */
  readonly guard: boolean;
  /** The percentage of those gates that must be reached. */
  readonly guardPercent: number;
  /** A git revision. */
  readonly compare?: string | undefined;
  /** Hash threads. */
  readonly threads?: number | undefined;
  readonly logLevel: string;
}

export const mainUsage = `Measures this checkout on a fresh embedded Postgres, and in the same rounds the limits it is compared with.
Prints tables, and writes bench/results/main.json, bench/results/main.svg and a section of bench/README.md. Five
processes of one round take about 20 minutes, each further one 4.

Options:
  --processes N     how often all servers are started anew; medians of them are reported, and decide (5)
  --rounds N        rounds of every measurement in each of them, interleaved (1)
  --seconds N       length of one measurement (4)
  --only A,B        only these parts (see below); writes nothing
  --gates           exit 1 when a gate is missed
  --guard           for a build: only the ratios that hold on a busy machine, in short rounds, until three of five
                    processes agree; less than a minute on a quiet machine; writes nothing
  --guard-percent N the percentage of those gates that must be reached (100)
  --compare REF     measure POST /token and GET /user of this checkout and of a git revision in turns; exit 1
                    when a gate is missed; writes nothing
  --threads N       hash threads (what the server chooses)
  --log-level L     log level of the server, whose log goes to /dev/null (info, the server's default)

Parts:
${Object.entries(parts)
  .map(([name, text]) => `  ${name.padEnd(18)}${text}`)
  .join('\n')}
`;

export const mainFlags = {
  processes: 'string',
  rounds: 'string',
  seconds: 'string',
  only: 'string',
  gates: 'boolean',
  guard: 'boolean',
  'guard-percent': 'string',
  compare: 'string',
  threads: 'string',
  'log-level': 'string',
} as const;

/** @throws on wrong usage */
export function readMainOptions(values: Values): MainOptions {
  const { quick, compare } = values as { quick?: boolean; compare?: string };
  const guard = values['guard'] === true;
  const length = { processes: quick ? 2 : 5, seconds: guard ? 0.5 : quick ? 1 : 4 };
  const parts: readonly Part[] = guard ? ['refresh', 'password'] : compare === undefined ? allParts : [];
  return {
    processes: readCount(values, 'processes') ?? length.processes,
    rounds: readCount(values, 'rounds') ?? 1,
    seconds: readCount(values, 'seconds') ?? length.seconds,
    sigtermRuns: quick ? 2 : 10,
    only: readParts(values['only'] as string | undefined) ?? parts,
    gates: values['gates'] === true,
    guard,
    guardPercent: readCount(values, 'guard-percent') ?? 100,
    compare,
    threads: readCount(values, 'threads'),
    logLevel: (values['log-level'] as string | undefined) ?? 'info',
  };
}

export const allParts = Object.keys(parts) as Part[];

function readParts(text: string | undefined): Part[] | undefined {
  const names = text?.split(',').map((name) => name.trim());
  const unknown = names?.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined) {
    throw new Error(`--only takes ${allParts.join(', ')}; not ${JSON.stringify(unknown)}`);
  }
  return names as Part[] | undefined;
}
