/** Loads the configuration with what the database sets (docs/decisions.md, Settings in the database). */
import { readStoredSettings, type StoredSettings } from '../../db/stored-settings.js';
import type { Statements } from '../../db/types.js';
import {
  type ConfigSources,
  type DraftedConfig,
  draftConfig,
  type Fault,
  type LoadedConfig,
  settleDraft,
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

/** Reads where the newest set, or that there is none, is known already. */
export const readerFrom =
  (db: Statements, newest: StoredSettings | undefined): ReadStored =>
  async (version) =>
    version === null ? newest : readStoredSettings(db, version);

export interface StoredLoadOptions {
  /** A newer set with which the start has failed, and why. */
  readonly unusable?: UnusableSet | undefined;
  /** What the sources alone say, where that has been read already. */
  readonly own?: DraftedConfig;
}

/** So many sets are tried before the start goes on without one. */
const MOST_TRIES = 50;

/**
 * Takes the newest set with which a server starts: none in the database keeps it from that.
 * @throws ConfigError when the other sources alone have faults; or what `read` throws
 */
export async function loadWithStored(
  sources: ConfigSources,
  read: ReadStored,
  { unusable, own = draftConfig(sources) }: StoredLoadOptions = {},
): Promise<StoredLoad> {
  const first = await read(null);
  if (first === undefined) return { loaded: settleDraft(own), newest: 0, version: 0, problem: null };
  // The settings of the keys are never in the database.
  const sealer = openSettingSealer(own.config);
  const newest = first.version;
  let problem = unusable === undefined ? null : describeProblem(unusable.version, unusable.reason);
  let stored: StoredSettings | undefined = unusable === undefined ? first : await read(unusable.version - 1);
  for (let tries = 0; stored !== undefined && tries < MOST_TRIES; tries++) {
    const { version, entries }: StoredSettings = stored;
    const draft = draftConfig({ ...sources, stored: openStoredLayer(sealer, entries) });
    if (draft.faults.length === 0) {
      const replaced = problem && `${problem} Set ${version} is in use.`;
      return { loaded: settleDraft(draft), newest, version, problem: replaced };
    }
    problem ??= describeProblem(newest, draft.faults.map(faultText).join('; '));
    stored = await read(version - 1);
  }
  return { loaded: settleDraft(own), newest, version: 0, problem: `${problem} No set is in use.` };
}

const describeProblem = (version: number, reason: string): string =>
  `Set ${version} of the settings in the database cannot be used: ${reason}.`;

/** Without the value (SEC-74). */
export const faultText = ({ variable, problem }: Fault): string => `${variable} ${problem}`;
