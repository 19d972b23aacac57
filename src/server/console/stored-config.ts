/** What operators do with the settings in the database. */
import { isDiskFull } from '../../db/errors.js';
import { readSettingProcesses, readStoredSettings, type StoredEntry } from '../../db/stored-settings.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { fingerprintKeyOf } from '../admin/running-config.js';
import { mainNameOf } from '../config/settings.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { changeSettings, type SettingStore } from '../stored-settings/change-settings.js';
import {
  type ChangedTexts,
  type CheckedChanges,
  checkChanges,
  type SettingFault,
} from '../stored-settings/check-changes.js';
import { loadWithStored, readerFrom } from '../stored-settings/load-stored.js';
import { describeForAudit, findWayBack, readHistory } from '../stored-settings/setting-history.js';
import { showSettingText } from '../stored-settings/show-text.js';
import { isSecretName, openSettingSealer, storedEntries } from '../stored-settings/store.js';
import { GONE_SECONDS } from '../stored-settings/watch-settings.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';
import { requireRole } from './setting-rights.js';
import { type TriedSetting, trySettings } from './try-settings.js';

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
  const { problem } = await loadWithStored(settingSources, readerFrom(db, newest)).catch(() => ({ problem: null }));
  return {
    version: newest?.version ?? 0,
    changed_at: newest?.changed_at ?? null,
    changed_by: newest?.changed_by ?? null,
    processes,
    problem,
  };
}

/** More than there are settings. */
const MOST_NAMES = 1000;

/** @throws ApiError settingChangesInvalid */
export function readGivenChanges(given: GivenChanges): ChangedTexts {
  const entries = Object.entries(given);
  // Each name of a provider of one's own is a row of the table, which a check reads several times.
  if (entries.length > MOST_NAMES) throw apiError('settingChangesTooMany', { most: String(MOST_NAMES) });
  for (const [name, text] of entries) {
    if (text !== null && typeof text !== 'string') throw apiError('settingChangesInvalid', { name });
  }
  return new Map(entries as [string, string | null][]);
}

/** What the changes would do; nothing is stored. */
export async function checkStoredConfig(app: App, { operator }: OperatorDeed, texts: ChangedTexts) {
  requireRole(operator.role, texts);
  const store = openSettingStore(app);
  const entries = storedEntries(await readStoredSettings(app.db, null));
  const checked = checkChanges(store.sources, store.sealer, entries, texts);
  const faults = [...checked.faults, ...findLocked(checked)];
  // What has faults cannot be tried: defaults are in the place of what is wrong.
  const tried = faults.length === 0 ? await trySettings(app, checked) : [];
  return {
    faults,
    tried,
    changed: [...checked.changed.keys()],
  };
}

export interface StoreConfigOptions {
  readonly texts: ChangedTexts;
  readonly baseVersion: number;
  readonly comment: string;
  /** The version that is restored. */
  readonly restored?: number;
  /** Failed tries do not count. */
  readonly isForced: boolean;
}

/**
 * @returns the version in which the changes are
 * @throws ApiError settingConflict, settingsFaulty, settingsNotStored, operatorRoleTooLow
 */
export async function storeConfig(
  app: App,
  deed: OperatorDeed,
  { texts, baseVersion, comment, restored, isForced }: StoreConfigOptions,
): Promise<number> {
  requireRole(deed.operator.role, texts);
  const auditOf = ({ changed }: CheckedChanges, entries: readonly StoredEntry[]) => {
    const action = restored === undefined ? 'settings_changed' : 'settings_restored';
    const traits = { ...describeForAudit(changed, entries), ...(restored !== undefined && { restored }) };
    return [operatorEntry(deed, action, traits)];
  };
  let tried: readonly TriedSetting[] = [];
  const result = await changeSettings(openSettingStore(app), {
    ...{ texts, baseVersion, comment, changedBy: deed.operator.name, ...(restored !== undefined && { restored }) },
    async admit(checked) {
      // The way back must stay open, also to what another source has taken over or another server has switched off.
      if (restored !== undefined) return [];
      const locked = findLocked(checked);
      if (locked.length > 0 || isForced) return locked;
      tried = await trySettings(app, checked);
      return tried.filter(({ is_good }) => !is_good).map(({ name, detail }) => ({ name, problem: detail }));
    },
    auditOf: (checked, entries) => storedAudit(app, auditOf(checked, entries)),
  }).catch((error: unknown) => {
    throw isDiskFull(error) ? apiError('settingsNotStored', {}, { cause: error }) : error;
  });
  if (result.kind === 'faulty') throw faulty(result.faults, tried);
  if (result.kind === 'conflict') {
    const conflicts = result.conflicts.map(({ name, text, is_sealed, version, changed_by, changed_at }) => ({
      ...{ name, version, by: changed_by, at: changed_at },
      theirs: is_sealed || isSecretName(name) ? null : text && showSettingText(name, text),
    }));
    throw apiError('settingConflict', {}, { extra: { conflicts } });
  }
  if (result.kind === 'stored') {
    app.events.nudge();
    logAudit(app, deed.requestId, auditOf(result.checked, []));
  }
  // This process follows at once, the others with their next look.
  app.lookForSettings?.();
  return result.version;
}

/** Those of a failed try can be forced, faults cannot. */
const faulty = (faults: readonly SettingFault[], tried: readonly TriedSetting[]) =>
  apiError('settingsFaulty', {}, { extra: { faults: tried.length > 0 ? [] : faults, tried } });

/**
 * Stores a set that restores the state of a version.
 * @throws ApiError settingVersionNotFound, and what storeConfig throws
 */
export async function restoreConfig(
  app: App,
  deed: OperatorDeed,
  {
    version,
    baseVersion,
    comment,
  }: { readonly version: number; readonly baseVersion: number; readonly comment: string },
): Promise<number> {
  const back = await findWayBack(openSettingStore(app), version);
  if (back === undefined) throw apiError('settingVersionNotFound');
  if (back.faults.length > 0) throw faulty(back.faults, []);
  return storeConfig(app, deed, { texts: back.texts, baseVersion, comment, restored: version, isForced: false });
}

/** @param cursor of the page before: its last version */
export async function listConfigHistory(app: App, cursor: number | null, limit: number) {
  const store = openSettingStore(app);
  const sets = await readHistory(store, fingerprintKeyOf(app.config.jwtSecret), cursor, limit);
  return sets.map(({ changes, ...set }) => ({
    ...set,
    changes: changes.map(({ before, after, ...change }) => ({
      ...change,
      before: before && showSettingText(change.name, before),
      after: after && showSettingText(change.name, after),
    })),
  }));
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
