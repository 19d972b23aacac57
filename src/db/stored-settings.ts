/** The statements of sql/queries/stored-settings.sql. */
import type { Database, Statements } from './types.js';

/** A name with what it is set to. */
export interface StoredEntry {
  readonly name: string;
  readonly text: string;
  /** `text` is sealed. */
  readonly is_sealed: boolean;
}

export interface StoredSettings {
  readonly version: number;
  readonly changed_at: string;
  readonly changed_by: string;
  readonly entries: readonly StoredEntry[];
}

/** A change of one name; null: it is removed. */
export interface StoredChange extends Omit<StoredEntry, 'text'> {
  readonly text: string | null;
}

export interface NewSettingSet {
  /** Of the newest set that the caller knows; 0: there is none. */
  readonly expectedVersion: number;
  readonly changedBy: string;
  readonly comment: string;
  readonly restored: number | null;
  readonly changes: readonly StoredChange[];
  readonly audit: readonly object[];
}

export interface LaterChange extends StoredChange {
  readonly version: number;
  readonly changed_by: string;
  readonly changed_at: string;
}

export interface PastChange {
  readonly name: string;
  readonly before: string | null;
  readonly is_before_sealed: boolean;
  readonly after: string | null;
  readonly is_after_sealed: boolean;
}

export interface PastSet {
  readonly version: number;
  readonly changed_at: string;
  readonly changed_by: string;
  readonly comment: string;
  readonly restored: number | null;
  readonly changes: readonly PastChange[];
}

export interface SettingProcess {
  readonly id: string;
  readonly host: string;
  readonly version: number;
  readonly error: string | null;
  readonly seen_at: string;
}

export interface SealedSettingRow {
  readonly version: number;
  readonly name: string;
  readonly sealed: string;
}

/** @param version null: the newest. @returns undefined when there is no set so old */
export async function readStoredSettings(db: Statements, version: number | null): Promise<StoredSettings | undefined> {
  return (await db.run<StoredSettings>('stored-settings.read', [version]))[0];
}

/** @returns its version; undefined when another set was stored meanwhile */
export async function storeSettingSet(db: Statements, set: NewSettingSet): Promise<number | undefined> {
  const { expectedVersion, changedBy, comment, restored, changes, audit } = set;
  const rows = changes.map(({ name, text, is_sealed }) => ({ name, text, is_sealed }));
  const values = [...[expectedVersion, changedBy, comment, restored], ...[JSON.stringify(rows), JSON.stringify(audit)]];
  return (await db.run<{ version: number }>('stored-settings.store', values))[0]?.version;
}

export const readChangesSince = (
  db: Statements,
  version: number,
  names: readonly string[],
): Promise<readonly LaterChange[]> => db.run<LaterChange>('stored-settings.changed_since', [version, names]);

/** @param before a version; null: from the newest */
export const readSettingHistory = (db: Statements, before: number | null, limit: number): Promise<readonly PastSet[]> =>
  db.run<PastSet>('stored-settings.history', [before ?? 2_147_483_647, limit]);

/**
 * Says which set a process uses, when that is new or was said a while ago.
 * @returns the newest version; 0 when nothing was ever stored
 */
export async function lookAtSettings(
  db: Statements,
  { id, host, version, error }: Omit<SettingProcess, 'seen_at'>,
  goneSeconds: number,
): Promise<number> {
  const values = [id, host, version, error, goneSeconds];
  const [row] = await db.run<{ version: number | null }>('stored-settings.look', values);
  return row?.version ?? 0;
}

export const readSettingProcesses = (db: Statements, goneSeconds: number): Promise<readonly SettingProcess[]> =>
  db.run<SettingProcess>('stored-settings.processes', [goneSeconds]);

/** @param after the last row of the page before; null: the first page */
export const readSealedSettings = (
  db: Database,
  after: Pick<SealedSettingRow, 'version' | 'name'> | null,
  limit: number,
): Promise<readonly SealedSettingRow[]> =>
  db.run<SealedSettingRow>('stored-settings.sealed', [after?.version ?? 0, after?.name ?? '', limit]);

export async function resealSetting(db: Database, row: SealedSettingRow, sealed: string): Promise<void> {
  await db.run('stored-settings.reseal', [row.version, row.name, sealed, row.sealed]);
}
