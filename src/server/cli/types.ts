import type { Environment } from '../config/environment.js';
import type { ConfigFiles } from '../config/sources.js';
import type { Prompt } from './prompt.js';

/** 0 success · 1 failure · 2 wrong usage or configuration. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2 } as const;

export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly doc: string;
  /** Name of the value in the help text, e.g. `FILE`. */
  readonly argument?: string;
}

export interface CommandArguments {
  /** Values of the command's own options. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  /** Of `-c` and `-d`, for {@link loadConfig}. */
  readonly configFiles: ConfigFiles;
}

/** The process environment of a command. */
export interface CommandIo {
  readonly environment: Environment;
  out(text: string): void;
  err(text: string): void;
  /** Standard input as text; absent if there is none. */
  readInput?(): Promise<string>;
  /** Standard input piece by piece, for what may be long; absent if there is none. */
  readonly input?: AsyncIterable<Buffer>;
  /** Where a `latchkey dev` that commands are run beside keeps its data; absent: they look for none. */
  readonly dataDirectory?: string;
  /** Asks the person at the terminal; absent where input or output is none. */
  openPrompt?(): Prompt;
  /** Standard error is a terminal, where a line may be overwritten. */
  readonly isTerminal?: boolean;
}

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it does and prints, for `--help`. */
  readonly help: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Names of positional arguments; further ones are an error, unless the last name ends with `…`. */
  readonly positionals?: readonly string[];
  /**
   * @returns the exit code
   * @throws ConfigError (reported with exit code 2), or anything else (exit code 1)
   */
  run(args: CommandArguments, io: CommandIo): Promise<number>;
}

/** A group of commands, such as `check` in `check config`. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: CommandRegistry;
}

/** name → how to load it; lazy, so that `version` does not load a database driver. */
export type CommandRegistry = Readonly<Record<string, () => Promise<Command | CommandGroup>>>;
