/** Changes the settings in the database: a set is checked, compared with what others changed meanwhile, and stored whole. */
import {
  type LaterChange,
  readChangesSince,
  readStoredSettings,
  type StoredEntry,
  type StoredSettings,
  storeSettingSet,
} from '../../db/stored-settings.js';
import type { Statements } from '../../db/types.js';
import type { ConfigSources } from '../config/load.js';
import type { TextSealer } from '../sealing/text-sealer.js';
import { type ChangedTexts, type CheckedChanges, checkChanges, type SettingFault } from './check-changes.js';
import { openEntry, sealChanges, storedEntries } from './store.js';

export interface SettingStore {
  readonly db: Statements;
  readonly sealer: TextSealer;
  /** The other sources of settings. */
  readonly sources: ConfigSources;
}

export interface SettingChangeOptions {
  readonly texts: ChangedTexts;
  /** The set that the author of the changes has seen; null: whatever is the newest. */
  readonly baseVersion: number | null;
  readonly changedBy: string;
  readonly comment: string;
  /** The version whose state it restores. */
  readonly restored?: number;
  /** Further conditions for what has no faults. @returns why not, or nothing */
  readonly admit?: (checked: CheckedChanges) => Promise<readonly SettingFault[]>;
  /** The audit entries that are stored with the set. */
  readonly auditOf: (checked: CheckedChanges, entries: readonly StoredEntry[]) => readonly object[];
}

export type SettingChangeResult =
  | { readonly kind: 'stored'; readonly version: number; readonly checked: CheckedChanges }
  /** Everything was so already. */
  | { readonly kind: 'unchanged'; readonly version: number; readonly checked: CheckedChanges }
  | { readonly kind: 'faulty'; readonly checked: CheckedChanges; readonly faults: readonly SettingFault[] }
  | { readonly kind: 'conflict'; readonly conflicts: readonly LaterChange[] };

/** Each try follows a set that another one stored in the same moment. */
const MOST_TRIES = 20;

/** @throws what the database throws */
export async function changeSettings(store: SettingStore, options: SettingChangeOptions): Promise<SettingChangeResult> {
  const { db, sealer, sources } = store;
  const { texts, baseVersion, changedBy, comment, restored = null } = options;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const stored = await readStoredSettings(db, null);
    const version = stored?.version ?? 0;
    const conflicts = await findConflicts(store, stored, baseVersion, texts);
    if (conflicts.length > 0) return { kind: 'conflict', conflicts };
    const entries = storedEntries(stored);
    const checked = checkChanges(sources, sealer, entries, texts);
    const faults = checked.faults.length > 0 ? checked.faults : ((await options.admit?.(checked)) ?? []);
    if (faults.length > 0) return { kind: 'faulty', checked, faults };
    if (checked.changed.size === 0) return { kind: 'unchanged', version, checked };
    const newVersion = await storeSettingSet(db, {
      ...{ expectedVersion: version, changedBy, comment, restored },
      changes: sealChanges(sealer, checked.changed),
      audit: options.auditOf(checked, entries),
    });
    if (newVersion !== undefined) return { kind: 'stored', version: newVersion, checked };
  }
  throw new Error('Too many changes of the settings at once: try again.');
}

/** What others changed since the author has looked, unless to the same. */
async function findConflicts(
  { db, sealer }: SettingStore,
  stored: StoredSettings | undefined,
  baseVersion: number | null,
  texts: ChangedTexts,
): Promise<readonly LaterChange[]> {
  if (baseVersion === null || stored === undefined || stored.version <= baseVersion) return [];
  const later = await readChangesSince(db, baseVersion, [...texts.keys()]);
  return later.filter(({ text, ...rest }) => {
    const theirs = text === null ? null : openEntry(sealer, { ...rest, text });
    return theirs !== (texts.get(rest.name) || null);
  });
}
