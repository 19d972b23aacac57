/**
 * The settings that a running `latchkey dev` has filled in, among them its database. They are kept in a file beside its data for as
 * long as it runs, so that commands in another shell reach the same server.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ConfigSources, draftConfig, type Environment, type LoadedConfig } from '../config/load.js';
import { mainNameOf } from '../config/settings.js';
import { isStorable } from '../config/storable.js';
import { quoteWord } from './one-line.js';
import type { CommandArguments, CommandIo, CommandOption } from './types.js';

/** Where `latchkey dev` keeps its data unless it is given another place. */
export const DEVELOPMENT_DIRECTORY = '.data';

const fileIn = (directory: string): string => join(directory, 'running.json');

/** Of commands that are used beside `latchkey dev`. */
export const developmentOption = {
  data: { type: 'string', argument: 'DIR', doc: 'where the latchkey dev in question keeps its data (default .data)' },
} as const satisfies Record<string, CommandOption>;

interface Running {
  readonly pid: number;
  readonly settings: Environment;
}

/**
 * Notes what this process runs with. It has secrets, as the directory has, and is readable by its owner only.
 * @returns removes the note
 */
export function noteDevelopment(directory: string, { settings, sources }: LoadedConfig): () => void {
  const file = fileIn(directory);
  const lasting = settings.flatMap(({ path, setting }) => {
    const { origin, text } = sources.get(path.join('.'))!;
    // What a command cannot know: what was filled in, and what the environment of this process alone may have. The rest does
    // not decide which database it is, nor what opens its secrets.
    return origin === 'fallback' || !isStorable(setting) ? [[mainNameOf(setting), text]] : [];
  });
  const running: Running = { pid: process.pid, settings: Object.fromEntries(lasting) };
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(running), { mode: 0o600 });
  renameSync(unfinished, file);
  return () => {
    // Another one may have taken the place since.
    if (readRunning(directory)?.pid === process.pid) rmSync(file, { force: true });
  };
}

/**
 * Adds what `latchkey dev` has filled in where the other sources name no database, or the one that it uses, and says so. Says
 * what to do where there is neither a database nor a running `latchkey dev`.
 */
export function besideDevelopment(
  given: ConfigSources,
  { values }: Partial<Pick<CommandArguments, 'values'>>,
  io: CommandIo,
): ConfigSources {
  const named = values?.['data'] ?? io.dataDirectory;
  if (typeof named !== 'string') return given;
  const directory = resolve(named);
  const running = readRunning(directory);
  const isLooking = running !== undefined || values?.['data'] !== undefined || existsSync(directory);
  if (!isLooking) return given;
  const { databaseUrl } = draftConfig(given).config;
  if (running !== undefined) {
    if (databaseUrl && databaseUrl !== running.settings['DATABASE_URL']) return given;
    io.err(`With the settings of the latchkey dev that runs with its data in ${directory}.\n`);
    return { ...given, fallback: running.settings };
  }
  if (!databaseUrl) {
    io.err(
      `DATABASE_URL is not set, and no latchkey dev runs with its data in ${directory}. Start it in another shell, and try again:\n\n` +
        `  latchkey dev --data=${quoteWord(directory)}\n\n`,
    );
  }
  return given;
}

function readRunning(directory: string): Running | undefined {
  try {
    const running = JSON.parse(readFileSync(fileIn(directory), 'utf8')) as Running;
    // After kill -9 the note is still there.
    process.kill(running.pid, 0);
    return running;
  } catch {
    return undefined;
  }
}
