/** Settings in the database as texts: how secrets among them are sealed, and which names count. */
import type { StoredChange, StoredEntry, StoredSettings } from '../../db/stored-settings.js';
import type { Notice, StoredLayer } from '../config/load.js';
import { placeNames, whyNotStored } from '../config/storable.js';
import { type StoredSecretSettings, storedSecretsOf } from '../sealing/stored-secrets.js';
import { createTextSealer, type TextSealer } from '../sealing/text-sealer.js';

const PURPOSE = 'latchkey stored settings v1';

export const openSettingSealer = (settings: StoredSecretSettings): TextSealer =>
  createTextSealer(storedSecretsOf(settings), PURPOSE);

/** @returns the text; null: no key that is known here opens it, or it is a secret that nothing has sealed */
export function openEntry(sealer: TextSealer, { name, text, is_sealed }: StoredEntry): string | null {
  if (is_sealed) return sealer.open(name, text);
  return isSecretName(name) ? null : text;
}

export const isSecretName = (name: string): boolean => placeNames([name]).get(name)?.setting.secret === true;

/** @param texts by main name; null removes the name */
export function sealChanges(sealer: TextSealer, texts: ReadonlyMap<string, string | null>): readonly StoredChange[] {
  const placed = placeNames(texts.keys());
  return [...texts].map(([name, text]) => {
    const isSecret = text !== null && placed.get(name)?.setting.secret === true;
    return { name, text: isSecret ? sealer.seal(name, text) : text, is_sealed: isSecret };
  });
}

/**
 * The texts that count. A name of a newer release, and what was written by hand in the place of a secret, stay where they
 * are without effect.
 */
export function openStoredLayer(sealer: TextSealer, entries: readonly StoredEntry[]): StoredLayer {
  const placed = placeNames(entries.map(({ name }) => name));
  const values = new Map<string, string>();
  const notices: Notice[] = [];
  for (const entry of entries) {
    const { name } = entry;
    const found = placed.get(name);
    const why = found === undefined ? 'is not a setting of this release' : whyNotStored(found.setting);
    const text = openEntry(sealer, entry);
    const problem = why ?? (text === null ? 'cannot be opened: another key has sealed it, or none' : null);
    if (problem !== null)
      notices.push({ variable: name, message: `${name} of the database is ignored: it ${problem}.` });
    else if (text !== '') values.set(name, text!);
  }
  return { values, notices };
}

/** What is in force with a set; nothing without one. */
export const storedEntries = (stored: StoredSettings | undefined): readonly StoredEntry[] => stored?.entries ?? [];
