/** What operators do with the settings in the database. */
import { readSettingProcesses, readStoredSettings, type StoredEntry } from '../../db/stored-settings.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { mainNameOf } from '../config/settings.js';
import { placeNames } from '../config/storable.js';
import { apiError } from '../errors.js';
import type { OperatorRole } from '../http/types.js';
import type { App } from '../runtime/app.js';
import { changeSettings, type SettingStore } from '../stored-settings/change-settings.js';
import {
  type ChangedTexts,
  type CheckedChanges,
  checkChanges,
  type SettingFault,
} from '../stored-settings/check-changes.js';
import { loadWithStored } from '../stored-settings/load-stored.js';
import { openSettingSealer, storedEntries } from '../stored-settings/store.js';
import { GONE_SECONDS } from '../stored-settings/watch-settings.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';

/** What the endpoints give and take: text in the syntax of the environment; null removes the name from the database. */
export type GivenChanges = Readonly<Record<string, unknown>>;

export const openSettingStore = ({
  db,
  config,
  settingSources,
}: Pick<App, 'db' | 'config' | 'settingSources'>): SettingStore => ({
  ...{ db, sealer: openSettingSealer(config), sources: settingSources },
});

/** The newest set, which set each process uses, and why not the newest. */
export async function readStoredConfig({ db, settingSources }: App) {
  const newest = await readStoredSettings(db, null);
  const processes = await readSettingProcesses(db, GONE_SECONDS);
  const { problem } = await loadWithStored(settingSources, (version) =>
    version === null ? Promise.resolve(newest) : readStoredSettings(db, version),
  ).catch(() => ({ problem: null }));
  return {
    version: newest?.version ?? 0,
    changed_at: newest?.changed_at ?? null,
    changed_by: newest?.changed_by ?? null,
    processes,
    problem,
  };
}

/** @throws ApiError settingChangesInvalid */
export function readGivenChanges(given: GivenChanges): ChangedTexts {
  const entries = Object.entries(given);
  for (const [name, text] of entries) {
    if (text !== null && typeof text !== 'string') throw apiError('settingChangesInvalid', { name });
  }
  return new Map(entries as [string, string | null][]);
}

/** What the changes would do; nothing is stored. */
export async function checkStoredConfig(app: App, texts: ChangedTexts) {
  const store = openSettingStore(app);
  const entries = storedEntries(await readStoredSettings(app.db, null));
  const checked = checkChanges(store.sources, store.sealer, entries, texts);
  return {
    faults: [...checked.faults, ...findLocked(checked)],
    tried: [],
    changed: [...checked.changed.keys()],
  };
}

export interface StoreConfigOptions {
  readonly texts: ChangedTexts;
  readonly baseVersion: number;
  readonly comment: string;
}

/**
 * @returns the version in which the changes are
 * @throws ApiError settingConflict, settingsFaulty, operatorRoleTooLow
 */
export async function storeConfig(
  app: App,
  deed: OperatorDeed,
  { texts, baseVersion, comment }: StoreConfigOptions,
): Promise<number> {
  requireRole(deed.operator.role, texts.keys());
  const auditOf = ({ changed }: CheckedChanges, entries: readonly StoredEntry[]) => [
    operatorEntry(deed, 'settings_changed', describeChanges(changed, entries)),
  ];
  const result = await changeSettings(openSettingStore(app), {
    ...{ texts, baseVersion, comment, changedBy: deed.operator.name },
    admit: async (checked) => findLocked(checked),
    auditOf: (checked, entries) => storedAudit(app, auditOf(checked, entries)),
  });
  if (result.kind === 'faulty') throw apiError('settingsFaulty', {}, { extra: { faults: result.faults, tried: [] } });
  if (result.kind === 'conflict') {
    const conflicts = result.conflicts.map(({ name, text, is_sealed, changed_by, changed_at }) => ({
      ...{ name, theirs: is_sealed ? null : text, by: changed_by, at: changed_at },
    }));
    throw apiError('settingConflict', {}, { extra: { conflicts } });
  }
  if (result.kind === 'stored') logAudit(app, deed.requestId, auditOf(result.checked, []));
  // This process follows at once, the others with their next look.
  app.lookForSettings?.();
  return result.version;
}

/** Owners change everything, administrators all but secrets and hooks. @throws ApiError operatorRoleTooLow */
export function requireRole(role: OperatorRole, names: Iterable<string>): void {
  if (role === 'owner') return;
  const isOwners = [...placeNames(names).values()].some(
    ({ section, setting }) => setting.secret === true || section === 'Hooks',
  );
  if (isOwners) throw apiError('operatorRoleTooLow', { role: 'owner' });
}

/** Changes without effect: what the environment or a file sets is changed there. */
function findLocked({ changed, draft }: CheckedChanges): readonly SettingFault[] {
  return draft.settings.flatMap(({ path, setting }) => {
    const name = mainNameOf(setting);
    const source = draft.sources.get(path.join('.'));
    if (!changed.get(name) || (source?.origin !== 'environment' && source?.origin !== 'file')) return [];
    const place = source.line === undefined ? source.label : `${source.label} line ${source.line}`;
    return [{ name, problem: `is set by ${source.name} (${place}), which comes first: remove it there` }];
  });
}

/** For the audit log: which names, and the values of those that are no secrets. */
function describeChanges(changed: ChangedTexts, entries: readonly StoredEntry[]) {
  const placed = placeNames(changed.keys());
  const isSecret = (name: string) => placed.get(name)?.setting.secret !== undefined;
  const was = new Map(entries.map((entry) => [entry.name, entry]));
  const view = (name: string, text: string | null) => (text !== null && isSecret(name) ? '(secret)' : text);
  return {
    before: Object.fromEntries([...changed.keys()].map((name) => [name, view(name, was.get(name)?.text ?? null)])),
    after: Object.fromEntries([...changed].map(([name, text]) => [name, view(name, text)])),
  };
}
