import { parseArgs } from 'node:util';

/** What can be measured, and what each part needs to run beside it. */
export const cases = {
  refresh: 'POST /token?grant_type=refresh_token, pgbench and six round trips',
  signing: 'refresh with tokens signed on the server thread instead of the signing thread',
  bare: 'the same by a server with nothing around the answers: what engine, driver and machine allow',
  password: 'POST /token?grant_type=password and raw argon2',
  signup: 'POST /signup and raw argon2',
  user: 'GET /user and GET /health',
  storm: 'ten times more password grants than can be hashed, GET /user meanwhile, memory',
  sigterm: 'SIGTERM in the storm: exit code, and whether what was acknowledged is there',
} as const;

export type Case = keyof typeof cases;

export interface BenchArguments {
  readonly help: boolean;
  readonly quick: boolean;
  /** Fails on a missed gate too. */
  readonly gates: boolean;
  /** Only the gates that hold on a busy machine, twice before it fails. */
  readonly guard: boolean;
  /** What percentage of those gates must be reached. */
  readonly guardPercent: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly sigtermRuns: number;
  readonly only: ReadonlySet<Case>;
  /** A git revision. */
  readonly compare: string | undefined;
  readonly threads: number | undefined;
  readonly logLevel: string;
}

export const usage = `Usage: npm run bench -- [options]

Measures this checkout on a fresh embedded Postgres, and in the same rounds what it could reach at most. Prints tables,
and writes bench/results/latest.json, bench/results/latest.svg and the table in bench/README.md.

Options:
  --rounds N        rounds of every measurement, interleaved; medians are reported (5)
  --seconds N       length of one measurement (4)
  --quick           2 rounds of 1 s and 2 SIGTERM runs, nothing is written: does it still work?
  --only A,B        only these parts (see below)
  --gates           exit 1 when a gate is missed
  --guard           for a build: only the ratios that hold on a busy machine, in short rounds, and a second time before it
                    fails; less than a minute on a quiet machine, and nothing is written
  --guard-percent N what part of those gates must be reached (100)
  --compare REF     measure POST /token of this checkout against that of a git revision, in turns;
                    exit 1 when this one answers 5 % fewer requests a second
  --threads N       hash threads (what the server chooses)
  --log-level L     log level of the server, whose log goes to /dev/null (info, the default of the server)
  --help            show this help

Parts:
${Object.entries(cases)
  .map(([name, doc]) => `  ${name.padEnd(18)}${doc}`)
  .join('\n')}

Exit code: 0; 1 when an answer was not 2xx, a process failed, a comparison was lost; 2 on wrong usage.
`;

const QUICK = { rounds: 2, seconds: 1, sigtermRuns: 2 };
const FULL = { rounds: 5, seconds: 4, sigtermRuns: 10 };

/** @param args without the names of the program and its script @throws on anything it does not know */
export function parseBenchArguments(args: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      quick: { type: 'boolean', default: false },
      gates: { type: 'boolean', default: false },
      guard: { type: 'boolean', default: false },
      'guard-percent': { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string' },
      compare: { type: 'string' },
      threads: { type: 'string' },
      'log-level': { type: 'string', default: 'info' },
    },
  });
  const length = values.quick ? QUICK : FULL;
  return {
    help: values.help,
    quick: values.quick,
    gates: values.gates,
    guard: values.guard,
    guardPercent: count('--guard-percent', values['guard-percent']) ?? 100,
    seconds: count('--seconds', values.seconds) ?? length.seconds,
    rounds: count('--rounds', values.rounds) ?? length.rounds,
    sigtermRuns: length.sigtermRuns,
    only: parseCases(values.only),
    compare: values.compare,
    threads: count('--threads', values.threads),
    logLevel: values['log-level'],
  };
}

/** A whole number for an option. @throws on anything else, or outside the bounds */
export function count(option: string, text: string | undefined, least = 1, most = 1000): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) {
    throw new Error(`${option} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  }
  return number;
}

function parseCases(text: string | undefined): ReadonlySet<Case> {
  if (text === undefined) return new Set(Object.keys(cases) as Case[]);
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!Object.hasOwn(cases, name)) {
      throw new Error(`--only knows ${Object.keys(cases).join(', ')}; not ${JSON.stringify(name)}`);
    }
  }
  return new Set(names as Case[]);
}

/**
 * Reads the options of one of the programs; `--help` and wrong usage are answered here.
 * @param name for messages: bench:growth
 * @param read makes of the arguments what is wanted, or `help`; throws on what it does not know
 * @returns what is wanted, or the exit code of a program that has nothing more to do
 */
export function readOptions<Wanted extends object>(
  name: string,
  usage: string,
  read: () => Wanted | 'help',
): Wanted | number {
  try {
    const wanted = read();
    if (wanted !== 'help') return wanted;
    process.stdout.write(usage);
    return 0;
  } catch (error) {
    process.stderr.write(`${name}: ${(error as Error).message}\n\n${usage}`);
    return 2;
  }
}
