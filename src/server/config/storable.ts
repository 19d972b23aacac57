/** Which settings the database may have: those that a reload changes, without those that open or protect it. */
import {
  allSettings,
  findCustomNames,
  mainNameOf,
  type PlacedSetting,
  placeCustomSettings,
  type Setting,
} from './settings.js';

export const isStorable = (setting: Setting): boolean => whyNotStored(setting) === null;

/** Why the database never has this setting, to be read after its name; null: it may. */
export function whyNotStored({ restart, notStored, deprecated }: Setting): string | null {
  if (restart === true) return 'cannot be in the database: it takes effect with a restart';
  if (notStored !== undefined) return `cannot be in the database: ${notStored}`;
  return deprecated === undefined ? null : `cannot be in the database: it is deprecated`;
}

const placedByName = new Map(allSettings.map((placed) => [mainNameOf(placed.setting), placed]));

/** The settings with these main names, those of providers of the operator's own included. Other names have none. */
export function placeNames(names: Iterable<string>): ReadonlyMap<string, PlacedSetting> {
  const wanted = [...names];
  const custom = findCustomNames(wanted).flatMap(placeCustomSettings);
  const customByName = new Map(custom.map((placed) => [mainNameOf(placed.setting), placed]));
  return new Map(
    wanted.flatMap((name) => {
      const placed = placedByName.get(name) ?? customByName.get(name);
      return placed === undefined ? [] : [[name, placed]];
    }),
  );
}
