/** Checks changes of settings by the rules of a start, all faults at once. */
import type { StoredEntry } from '../../db/stored-settings.js';
import { type ConfigSources, draftConfig, type LoadedConfig, parseSetting } from '../config/load.js';
import { mainNameOf, namesOf, type PlacedSetting } from '../config/settings.js';
import { placeNames, whyNotStored } from '../config/storable.js';
import { findMeantName } from '../config/unknown.js';
import type { TextSealer } from '../sealing/text-sealer.js';
import { faultText } from './load-stored.js';
import { openEntry, openStoredLayer } from './store.js';

/** By main name: text in the syntax of the environment; null removes the name from the database. */
export type ChangedTexts = ReadonlyMap<string, string | null>;

export interface SettingFault {
  /** Main name of a setting, or a file that cannot be read. */
  readonly name: string;
  /** To be read after the name. */
  readonly problem: string;
  readonly example?: string;
}

export interface CheckedChanges {
  readonly faults: readonly SettingFault[];
  /** Those of the changes that change something. */
  readonly changed: ChangedTexts;
  /** What would be in use. With faults, defaults are in the place of what cannot be used. */
  readonly draft: LoadedConfig;
}

/** Much more than a mail or the words of all pages. */
const MAX_CHARACTERS = 262_144;

/**
 * @param entries what the database sets now
 * @param given empty text counts as null, as it does everywhere
 */
export function checkChanges(
  sources: ConfigSources,
  sealer: TextSealer,
  entries: readonly StoredEntry[],
  given: ChangedTexts,
): CheckedChanges {
  const texts = new Map([...given].map(([name, text]) => [name, text === '' ? null : text]));
  const before = new Map(entries.map((entry) => [entry.name, openEntry(sealer, entry)]));
  const changed = new Map([...texts].filter(([name, text]) => isChange(before, name, text)));
  const placed = placeNames(texts.keys());
  const own = [...changed].flatMap(([name, text]) => findOwnFault(name, text, placed.get(name)));
  const current = openStoredLayer(sealer, entries);
  const values = new Map(current.values);
  for (const [name, text] of changed) {
    if (text === null || !placed.has(name)) values.delete(name);
    else values.set(name, text);
  }
  const draft = draftConfig({ ...sources, stored: { ...current, values } });
  const nameOf = mainNames(draft);
  const all = draft.faults.map((fault) => ({ fault, name: nameOf.get(fault.variable) ?? fault.variable }));
  const isOfDatabase = (name: string) => values.has(name) || changed.has(name);
  const known = all.every(({ name }) => isOfDatabase(name))
    ? new Set<string>()
    : new Set(draftConfig({ ...sources, stored: current }).faults.map(faultText));
  const found = all
    // What the files have wrong already is no fault of the changes, and does not keep them from being made.
    .filter(({ fault, name }) => isOfDatabase(name) || !known.has(faultText(fault)))
    .map(({ fault: { problem, example }, name }) => ({ name, problem, ...(example !== undefined && { example }) }));
  const named = new Set(own.map(({ name }) => name));
  return { faults: [...own, ...found.filter(({ name }) => !named.has(name))], changed, draft };
}

/** A text that cannot be opened any more is replaced even by the same one. */
const isChange = (before: ReadonlyMap<string, string | null>, name: string, text: string | null): boolean =>
  text === null ? before.has(name) : before.get(name) !== text;

/** @returns at most one: what is wrong with this text, whatever else is set */
function findOwnFault(name: string, text: string | null, placed: PlacedSetting | undefined): readonly SettingFault[] {
  // What is not a setting here may be one of another release, or written by hand: it may go.
  if (text === null) return [];
  if (placed === undefined) {
    const meant = findMeantName(name);
    return [{ name, problem: `is not a setting${meant === undefined ? '' : `; ${meant} is`}` }];
  }
  const { setting } = placed;
  const why = whyNotStored(setting);
  if (why !== null) return [{ name, problem: why }];
  if (text.length > MAX_CHARACTERS) return [{ name, problem: `has more than ${MAX_CHARACTERS} characters` }];
  if (text.includes('\0')) return [{ name, problem: 'must not hold the character NUL' }];
  const parsed = parseSetting(setting, text);
  return 'fault' in parsed ? [{ name, problem: parsed.fault, example: setting.example }] : [];
}

/** Every name under which a setting is read → its main name. */
const mainNames = ({ settings }: LoadedConfig): ReadonlyMap<string, string> =>
  new Map(
    settings.flatMap(({ setting }) => {
      const main = mainNameOf(setting);
      return namesOf(setting).flatMap((name): [string, string][] => [
        [name, main],
        [`${name}_FILE`, main],
      ]);
    }),
  );
