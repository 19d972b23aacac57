import { readCount, type Values } from './command.js';
import { type Part, parts } from './series.js';

export interface MainOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly sigtermRuns: number;
  readonly only: readonly Part[];
  /** Exit with 1 when a gate was missed. */
  readonly gates: boolean;
  /** Only the robust gates, in short rounds, and twice before it fails. */
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
Prints tables, and writes bench/results/main.json, bench/results/main.svg and a section of bench/README.md.

Options:
  --rounds N        rounds of every measurement, interleaved; medians are reported (5)
  --seconds N       length of one measurement (4)
  --only A,B        only these parts (see below); writes nothing
  --gates           exit 1 when a gate is missed
  --guard           for a build: only the ratios that hold on a busy machine, in short rounds, and a second time
                    before it fails; less than a minute on a quiet machine; writes nothing
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
  const length = guard ? { rounds: 3, seconds: 1 } : quick ? { rounds: 2, seconds: 1 } : { rounds: 5, seconds: 4 };
  const parts: readonly Part[] = guard ? ['refresh', 'password'] : compare === undefined ? allParts : [];
  return {
    rounds: readCount(values, 'rounds') ?? length.rounds,
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
