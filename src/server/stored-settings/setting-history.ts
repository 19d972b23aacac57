/** The sets of settings as people read them, and the way back to one. */
import { type PastSet, readSettingHistory, readStoredSettings, type StoredEntry } from '../../db/stored-settings.js';
import { fingerprint } from '../config/comparison.js';
import { placeNames } from '../config/storable.js';
import type { TextSealer } from '../sealing/text-sealer.js';
import type { SettingStore } from './change-settings.js';
import type { ChangedTexts, SettingFault } from './check-changes.js';
import { showSettingText } from './show-text.js';
import { isSecretName, openEntry, storedEntries } from './store.js';

export interface ReadableChange {
  readonly name: string;
  /** Null: it was not set. Of a secret a fingerprint. */
  readonly before: string | null;
  readonly after: string | null;
  readonly is_secret: boolean;
}

export interface ReadableSet {
  readonly version: number;
  readonly at: string;
  readonly by: string;
  readonly comment: string;
  /** The version whose state it restored. */
  readonly restored: number | null;
  readonly changes: readonly ReadableChange[];
}

/**
 * @param before a version; null: from the newest
 * @param fingerprintKey who has it can compare fingerprints with guesses
 * @returns the newest first
 */
export async function readHistory(
  { db, sealer }: Pick<SettingStore, 'db' | 'sealer'>,
  fingerprintKey: Buffer,
  before: number | null,
  limit: number,
): Promise<readonly ReadableSet[]> {
  const sets = await readSettingHistory(db, before, limit);
  return sets.map(({ version, changed_at: at, changed_by: by, comment, restored, changes }) => ({
    ...{ version, at, by, comment, restored },
    changes: changes.map((change) => describeChange(change, sealer, fingerprintKey)),
  }));
}

function describeChange(change: PastSet['changes'][number], sealer: TextSealer, key: Buffer): ReadableChange {
  const { name } = change;
  const isSecret = change.is_before_sealed || change.is_after_sealed || isSecretName(name);
  const view = (text: string | null, is_sealed: boolean): string | null => {
    if (text === null || !isSecret) return text;
    const opened = openEntry(sealer, { name, text, is_sealed });
    return opened === null ? 'cannot be opened' : fingerprint(key, `${name}\n${opened}`);
  };
  return {
    name,
    before: view(change.before, change.is_before_sealed),
    after: view(change.after, change.is_after_sealed),
    is_secret: isSecret,
  };
}

export interface WayBack {
  /** What leads from the newest set to the state of the version. */
  readonly texts: ChangedTexts;
  readonly faults: readonly SettingFault[];
}

/**
 * @param version 0: the state in which nothing was stored
 * @returns undefined when there is no such version
 */
export async function findWayBack({ db, sealer }: SettingStore, version: number): Promise<WayBack | undefined> {
  const newest = await readStoredSettings(db, null);
  if (version > (newest?.version ?? 0)) return undefined;
  const current = storedEntries(newest);
  const stored = version === 0 ? undefined : await readStoredSettings(db, version);
  if (version !== 0 && stored?.version !== version) return undefined;
  const wanted = storedEntries(stored);
  const openAll = (entries: readonly StoredEntry[]) =>
    new Map(entries.map((entry) => [entry.name, openEntry(sealer, entry)]));
  const [is, was] = [openAll(current), openAll(wanted)];
  const known = placeNames(was.keys());
  const texts = new Map<string, string | null>();
  const faults: SettingFault[] = [];
  for (const name of is.keys()) if (!was.has(name)) texts.set(name, null);
  for (const [name, text] of was) {
    // What a newer release has stored is not for this one to put back.
    if (!known.has(name) || (is.has(name) && is.get(name) === text)) continue;
    if (text === null) faults.push({ name, problem: 'cannot be restored: another key has sealed it' });
    else texts.set(name, text);
  }
  return { texts, faults };
}

/** For the audit log: values before and after, without secrets. */
export function describeForAudit(texts: ChangedTexts, entries: readonly StoredEntry[]) {
  const was = new Map(entries.map((entry) => [entry.name, entry]));
  const show = (name: string, text: string | null, isSealed: boolean) =>
    text !== null && (isSealed || isSecretName(name)) ? '(secret)' : text && showSettingText(name, text);
  return {
    before: Object.fromEntries(
      [...texts.keys()].map((name) => [
        name,
        show(name, was.get(name)?.text ?? null, was.get(name)?.is_sealed === true),
      ]),
    ),
    after: Object.fromEntries([...texts].map(([name, text]) => [name, show(name, text, false)])),
  };
}
