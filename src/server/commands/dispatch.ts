/** Parses the command line and runs the command. */
import { parseArgs } from 'node:util';
import {
  type Command,
  type CommandGroup,
  type CommandIo,
  type CommandOption,
  type CommandRegistry,
  EXIT,
} from '../cli/types.js';
import { ConfigError } from '../config/faults.js';
import { commands as allCommands, DEFAULT_COMMAND } from './index.js';

/** Options of all commands, before or after the name of the command. */
const globalOptions = {
  config: {
    type: 'string',
    short: 'c',
    argument: 'FILE',
    doc: 'read settings from FILE (.env or .json) instead of .env',
  },
  'config-dir': {
    type: 'string',
    short: 'd',
    argument: 'DIR',
    doc: 'read *.env and *.json of DIR, over the environment',
  },
  help: { type: 'boolean', short: 'h', doc: 'show this help' },
  version: { type: 'boolean', short: 'V', doc: 'print the version' },
} as const satisfies Record<string, CommandOption>;

/**
 * Runs the command line. Never throws for wrong usage; see {@link EXIT}.
 * @param args without the names of the program and its script
 * @param registry the commands to choose from
 */
export async function runCommandLine(
  args: readonly string[],
  io: CommandIo,
  registry: CommandRegistry = allCommands,
): Promise<number> {
  const words = ['latchkey'];
  try {
    return await dispatch(words, [...args], registry, io);
  } catch (error) {
    if (error instanceof ConfigError) {
      io.err(`${error.message}\n`);
      return EXIT.wrongUsage;
    }
    io.err(`${words.join(' ')}: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT.failed;
  }
}

async function dispatch(words: string[], args: string[], registry: CommandRegistry, io: CommandIo): Promise<number> {
  const isTop = words.length === 1;
  const { flags, name } = takeCommandName(args);
  if (flags.version) return (await import('./version.js')).version.run(NO_ARGUMENTS, io);
  if (name === undefined && (flags.help || !isTop)) {
    const usage = await describeRegistry(words, registry);
    if (flags.help) io.out(usage);
    else io.err(usage);
    return flags.help ? EXIT.ok : EXIT.wrongUsage;
  }
  const chosen = name ?? DEFAULT_COMMAND;
  if (!Object.hasOwn(registry, chosen)) {
    io.err(
      `${words.join(' ')}: unknown command ${JSON.stringify(chosen)}\n\n${await describeRegistry(words, registry)}`,
    );
    return EXIT.wrongUsage;
  }
  const command = await registry[chosen]!();
  words.push(chosen);
  if ('commands' in command) return dispatch(words, args, command.commands, io);
  return runCommand(words, args, command, io);
}

const NO_ARGUMENTS = { values: {}, positionals: [], configFiles: {} };

/** Removes the first word that is no option from `args`, and returns it with the global flags. */
function takeCommandName(args: string[]): { name: string | undefined; flags: { help: boolean; version: boolean } } {
  const { tokens, values } = parseArgs({
    args,
    options: globalOptions,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = { help: values['help'] === true, version: values['version'] === true };
  for (const token of tokens) {
    // An unknown option belongs to the command, and what follows may be its value.
    if (token.kind === 'option' && !Object.hasOwn(globalOptions, token.name)) break;
    if (token.kind === 'option-terminator') break;
    if (token.kind === 'positional') {
      args.splice(token.index, 1);
      return { name: token.value, flags };
    }
  }
  return { name: undefined, flags };
}

async function runCommand(words: readonly string[], args: string[], command: Command, io: CommandIo): Promise<number> {
  const options = { ...command.options, ...globalOptions };
  const usage = describeCommand(words, command);
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args, options, strict: true, allowPositionals: true });
    const most = command.positionals?.length ?? 0;
    const isOpen = command.positionals?.at(-1)?.endsWith('…') === true;
    if (parsed.positionals.length > most && !isOpen)
      throw new Error(`Unexpected argument ${JSON.stringify(parsed.positionals[most])}`);
  } catch (error) {
    io.err(`${words.join(' ')}: ${(error as Error).message}\n\n${usage}`);
    return EXIT.wrongUsage;
  }
  const { config, 'config-dir': directory, help, version: _version, ...values } = parsed.values;
  if (help) {
    io.out(usage);
    return EXIT.ok;
  }
  return command.run(
    {
      values: values as Record<string, string | boolean | undefined>,
      positionals: parsed.positionals,
      configFiles: { file: config as string | undefined, directory: directory as string | undefined },
    },
    io,
  );
}

function describeCommand(words: readonly string[], { help, options, positionals = [] }: Command): string {
  const usage = ['Usage:', ...words, '[options]', ...positionals].join(' ');
  return `${usage}\n\n${help}\n\nOptions:\n${describeOptions({ ...options, ...globalOptions })}`;
}

async function describeRegistry(words: readonly string[], registry: CommandRegistry): Promise<string> {
  const rows: [string, string][] = [];
  for (const [name, load] of Object.entries(registry)) {
    const command: Command | CommandGroup = await load();
    rows.push([
      name,
      name === DEFAULT_COMMAND && words.length === 1 ? `${command.summary} (default)` : command.summary,
    ]);
  }
  const usage = ['Usage:', ...words, words.length === 1 ? '[command]' : 'command', '[options]'].join(' ');
  return `${usage}\n\nCommands:\n${alignRows(rows)}\nOptions:\n${describeOptions(globalOptions)}`;
}

function describeOptions(options: Readonly<Record<string, CommandOption>>): string {
  return alignRows(
    Object.entries(options).map(([name, { short, argument, doc }]) => {
      const long = argument === undefined ? `--${name}` : `--${name} ${argument}`;
      return [short === undefined ? `    ${long}` : `-${short}, ${long}`, doc];
    }),
  );
}

function alignRows(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
