/** Command lines of the programs that run tests. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Reads a command line of options and test files. Prints the help and exits with 0 for `--help`; what is not understood is said, with
 * the help, on standard error, and exits with 2.
 *
 * @param help what `--help` prints
 * @param options without `help`, as for parseArgs
 * @param args without the names of the program and its script
 */
export function readCommandLine<const Options extends NonNullable<ParseArgsConfig['options']>>(
  help: string,
  options: Options,
  args: string[] = process.argv.slice(2),
) {
  if (args.includes('--help')) {
    process.stdout.write(help);
    process.exit(0);
  }
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    refuseUsage((error as Error).message, help);
  }
}

/** @param text value of an option. @returns a whole number. Exits with 2 where it is none, or less than least */
export function readCount(text: string, option: string, least: number, help: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < least)
    refuseUsage(`--${option} is a whole number from ${least}, not "${text}"`, help);
  return count;
}

function refuseUsage(message: string, help: string): never {
  process.stderr.write(`${message}\n\n${help}`);
  process.exit(2);
}
