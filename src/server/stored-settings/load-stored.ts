/** Loads the configuration with what the database sets (docs/decisions.md, Settings in the database). */
import type { StoredSettings } from '../../db/stored-settings.js';
import {
  type ConfigSources,
  draftConfig,
  type Fault,
  freezeDeep,
  type LoadedConfig,
  loadConfig,
} from '../config/load.js';
import { openSettingSealer, openStoredLayer } from './store.js';

export interface StoredLoad {
  readonly loaded: LoadedConfig;
  /** Of the newest set; 0: there is none. */
  readonly newest: number;
  /** Of the set that is in use; 0: none is. */
  readonly version: number;
  /** Why the newest one is not in use: a sentence. */
  readonly problem: string | null;
}

/** A set that has no fault, and with which the parts of the server cannot be made. */
export interface UnusableSet {
  readonly version: number;
  readonly reason: string;
}

/** @param version the newest set up to this one; null: the newest */
export type ReadStored = (version: number | null) => Promise<StoredSettings | undefined>;

/** So many sets are tried before the start goes on without one. */
const MOST_TRIES = 50;

/**
 * Takes the newest set with which a server starts: none in the database keeps it from that.
 * @param unusable a newer set with which the start has failed, and why
 * @throws ConfigError when the other sources alone have faults; or what `read` throws
 */
export async function loadWithStored(
  sources: ConfigSources,
  read: ReadStored,
  unusable?: UnusableSet,
): Promise<StoredLoad> {
  const first = await read(null);
  if (first === undefined) return { loaded: loadConfig(sources), newest: 0, version: 0, problem: null };
  // The settings of the keys are never in the database.
  const sealer = openSettingSealer(draftConfig(sources).config);
  const newest = first.version;
  let problem = unusable === undefined ? null : describeProblem(unusable.version, unusable.reason);
  let stored: StoredSettings | undefined = unusable === undefined ? first : await read(unusable.version - 1);
  for (let tries = 0; stored !== undefined && tries < MOST_TRIES; tries++) {
    const { version, entries }: StoredSettings = stored;
    const { faults, ...draft } = draftConfig({ ...sources, stored: openStoredLayer(sealer, entries) });
    if (faults.length === 0) {
      const loaded = { ...draft, config: freezeDeep(draft.config) };
      return { loaded, newest, version, problem: problem && `${problem} Set ${version} is in use.` };
    }
    problem ??= describeProblem(newest, describeStoredFaults(faults));
    stored = await read(version - 1);
  }
  return { loaded: loadConfig(sources), newest, version: 0, problem: `${problem} No set is in use.` };
}

const describeProblem = (version: number, reason: string): string =>
  `Set ${version} of the settings in the database cannot be used: ${reason}.`;

/** On one line, without values (SEC-74). */
export const describeStoredFaults = (faults: readonly Fault[]): string =>
  faults.map(({ variable, problem }) => `${variable} ${problem}`).join('; ');
