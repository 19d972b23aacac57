import { ConfigError, type ConfigSources, draftConfig, type LoadedConfig } from '../config/load.js';
import { type LastingConfig, mainNameOf } from '../config/settings.js';
import { isStorable } from '../config/storable.js';
import { openSettingSource, type SourcedLoad } from '../stored-settings/setting-source.js';
import { besideDevelopment } from './development.js';
import type { CommandArguments, CommandIo } from './types.js';

/** What names the sources of a command. */
type SourceArguments = Pick<CommandArguments, 'configFiles'> & Partial<Pick<CommandArguments, 'values'>>;

/** What a server would be started with. */
export const givenSources = ({ configFiles }: Pick<CommandArguments, 'configFiles'>, io: CommandIo): ConfigSources => ({
  environment: io.environment,
  ...configFiles,
});

/** The sources of a command: what a server would be started with, or what the running `latchkey dev` was. */
export const sourcesOf = (args: SourceArguments, io: CommandIo): ConfigSources =>
  besideDevelopment(givenSources(args, io), args, io);

/**
 * Loads the configuration as the server would, with what the database sets. Without the database the other sources count,
 * which is said on standard error.
 * @throws ConfigError
 */
export async function loadConfiguration(args: SourceArguments, io: CommandIo): Promise<LoadedConfig> {
  const { loaded, unread, problem } = await loadAllSources(sourcesOf(args, io));
  if (unread !== null) io.err(`Without the settings of the database, which could not be read: ${unread}\n`);
  if (problem !== null) io.err(`${problem}\n`);
  return loaded;
}

/** @throws ConfigError */
export function loadAllSources(sources: ConfigSources): Promise<SourcedLoad> {
  return openSettingSource(sources).load();
}

/**
 * For what needs only settings that the database never has, such as its own address. A required setting that is missing may be
 * in the database.
 * @throws ConfigError
 */
export function loadOwnSources(args: SourceArguments, io: CommandIo): LastingConfig {
  const { config, faults, settings } = draftConfig(sourcesOf(args, io));
  const mayBeStored = new Set(
    settings.filter(({ setting }) => setting.required && isStorable(setting)).map(({ setting }) => mainNameOf(setting)),
  );
  const own = faults.filter(({ variable, problem }) => problem !== 'is missing' || !mayBeStored.has(variable));
  if (own.length > 0) throw new ConfigError(own);
  return config;
}
