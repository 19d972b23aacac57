/** What differs between two configurations. */
import { isDeepStrictEqual } from 'node:util';
import {
  allSettings,
  type Config,
  mainNameOf,
  type PlacedSetting,
  pickLasting,
  placeCustomSettings,
} from './settings.js';

export interface SettingChange {
  readonly placed: PlacedSetting;
  /** The main name of the setting. */
  readonly variable: string;
  /** It takes effect with a restart. */
  readonly needsRestart: boolean;
}

/** The settings that differ, in the order of the documentation. A provider of the operator's own may come or go. */
export function findChanges(before: Config, after: Config): SettingChange[] {
  return placeSettings([before, after])
    .filter(({ path }) => !isDeepStrictEqual(valueAt(before, path), valueAt(after, path)))
    .map((placed) => ({
      placed,
      variable: mainNameOf(placed.setting),
      needsRestart: placed.setting.restart === true,
    }));
}

/** Every row that one of the configurations has, those of providers of the operator's own included. */
export function placeSettings(configs: readonly Config[]): PlacedSetting[] {
  const custom = new Set(configs.flatMap(({ customProviders }) => Object.keys(customProviders)));
  return [...allSettings, ...[...custom].flatMap((name) => placeCustomSettings(spellInVariables(name)))];
}

/** The value of a row; undefined for a provider of the operator's own that is not there. */
export function valueAt(config: Config, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], config);
}

/** What a reload puts in place of `running`: `next`, with the settings that need a restart as they are. */
export const mergeReload = (running: Config, next: Config): Config =>
  Object.freeze({ ...next, ...pickLasting(running) });

/** The reverse of customIdentifier(). */
export const spellInVariables = (identifier: string): string => identifier.toUpperCase().replaceAll('-', '_');
