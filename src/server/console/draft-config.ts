/** A configuration with changes that are not stored, for previews and tries. */
import { placeSettings } from '../config/changes.js';
import { defaultOf, parseSetting, placeValue } from '../config/load.js';
import { type Config, mainNameOf } from '../config/settings.js';
import type { OperatorRole } from '../http/types.js';

/** By main name: text in the syntax of the environment; null: the default. */
export type DraftChanges = Readonly<Record<string, unknown>>;

export interface DraftFault {
  readonly name: string;
  /** To follow the name. */
  readonly problem: string;
}

export interface DraftConfig {
  /** Plain data as the one in use; a change that has a fault is not in it. */
  readonly config: Config;
  readonly faults: readonly DraftFault[];
}

/** Of bodies with a draft: all mails in several languages, and a logo. */
export const MAX_DRAFT_BYTES = 1_048_576;

export const changesField = {
  type: 'object',
  additionalProperties: { type: ['string', 'null'] },
  description: 'Settings that are not stored: name → text as in the environment, or null for the default.',
} as const;

/** Whether the settings fit together is for the check of the draft: here each counts alone. */
export function applyToConfig(running: Config, changes: DraftChanges, role: OperatorRole): DraftConfig {
  const config = structuredClone(running);
  const rows = new Map(placeSettings([running]).map((placed) => [mainNameOf(placed.setting), placed]));
  const faults: DraftFault[] = [];
  for (const [name, text] of Object.entries(changes)) {
    const placed = rows.get(name);
    if (placed === undefined) {
      faults.push({ name, problem: 'is not a setting' });
      continue;
    }
    // A secret that is typed is tried: the operator knows it.
    if (placed.setting.ofOwners === true && role !== 'owner') {
      faults.push({ name, problem: 'can only be changed by owners' });
      continue;
    }
    const isSet = typeof text === 'string' && text !== '';
    const parsed = isSet ? parseSetting(placed.setting, text) : { value: defaultOf(placed.setting) };
    if ('fault' in parsed) faults.push({ name, problem: parsed.fault });
    else placeValue(config, placed.path, parsed.value);
  }
  return { config, faults };
}
