import type { Environment } from '../config/environment.js';

/** 0 done · 1 it was tried and failed · 2 it could not be tried: wrong usage or configuration. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2 } as const;

export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly doc: string;
  /** How the value is called in the help text, e.g. `FILE`. */
  readonly argument?: string;
}

export interface CommandArguments {
  /** What was given for the command's own options. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  /** The file of `-c`, for {@link loadConfig}; undefined: `.env`, if there is one. */
  readonly configFile: string | undefined;
}

/** All a command sees of the process it runs in. */
export interface CommandIo {
  readonly environment: Environment;
  out(text: string): void;
  err(text: string): void;
  /** All of standard input; absent where there is none. */
  readInput?(): Promise<string>;
  /** Somebody watches standard error, and a line there may be written over. */
  readonly isTerminal?: boolean;
}

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it does and prints, for `--help`. */
  readonly help: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Names of the arguments it takes besides options; more than these are refused. */
  readonly positionals?: readonly string[];
  /**
   * @returns the exit code
   * @throws ConfigError (reported with exit code 2), or anything else (exit code 1)
   */
  run(args: CommandArguments, io: CommandIo): Promise<number>;
}

/** A command that is only a word before other commands, as `check` in `check config`. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: CommandRegistry;
}

/** name → how to load it; lazy, so that `version` does not load a database driver. */
export type CommandRegistry = Readonly<Record<string, () => Promise<Command | CommandGroup>>>;
