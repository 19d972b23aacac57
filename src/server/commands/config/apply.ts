/** What the commands share that change the settings in the database. */
import { openDatabase } from '../../../db/pool.js';
import { readStoredSettings, type StoredSettings } from '../../../db/stored-settings.js';
import { sourcesOf } from '../../cli/configuration.js';
import { type CommandArguments, type CommandIo, EXIT } from '../../cli/types.js';
import { draftConfig } from '../../config/load.js';
import { placeNames } from '../../config/storable.js';
import { changeSettings, type SettingChangeOptions, type SettingStore } from '../../stored-settings/change-settings.js';
import { checkChanges, type SettingFault } from '../../stored-settings/check-changes.js';
import { settingDatabaseOf } from '../../stored-settings/setting-source.js';
import { openEntry, openSettingSealer } from '../../stored-settings/store.js';

/** Names the command in the history. */
export const commandAuthor = ({ environment }: CommandIo): string =>
  `latchkey config (${environment['USER'] || environment['LOGNAME'] || 'unknown user'})`;

/**
 * Runs work on the settings in the database.
 * @throws ConfigError when the sources do not name a database; DatabaseUnavailableError; what `work` throws
 */
export async function withSettingStore<Result>(
  args: Pick<CommandArguments, 'configFiles'>,
  io: CommandIo,
  work: (store: SettingStore) => Promise<Result>,
): Promise<Result> {
  const sources = sourcesOf(args, io);
  const db = openDatabase(settingDatabaseOf(sources));
  try {
    return await work({ db, sources, sealer: openSettingSealer(draftConfig(sources).config) });
  } catch (error) {
    if ((error as { code?: string }).code !== '42P01') throw error;
    throw new Error('The tables are not there yet: run latchkey migrate first.', { cause: error });
  } finally {
    await db.close();
  }
}

export type CommandChange = Pick<SettingChangeOptions, 'texts' | 'comment' | 'restored'> & { readonly isDry: boolean };

/** Stores a set, or says what it would change. @returns the exit code */
export async function applyChange(
  io: CommandIo,
  store: SettingStore,
  { isDry, ...change }: CommandChange,
): Promise<number> {
  if (isDry) {
    const stored = await readStoredSettings(store.db, null);
    const checked = checkChanges(store.sources, store.sealer, stored?.entries ?? [], change.texts);
    if (checked.faults.length > 0) return reportFaults(io, checked.faults);
    io.out(describeSet(store, stored, checked.changed));
    io.out(checked.changed.size === 0 ? 'Nothing would change.\n' : 'Nothing has been stored.\n');
    return EXIT.ok;
  }
  const before = await readStoredSettings(store.db, null);
  const result = await changeSettings(store, {
    ...{ ...change, baseVersion: null, changedBy: commandAuthor(io) },
    auditOf: () => [],
  });
  if (result.kind === 'conflict') throw new Error('Without a base there are no conflicts');
  if (result.kind === 'faulty') return reportFaults(io, result.faults);
  io.out(describeSet(store, before, result.checked.changed));
  const { draft } = result.checked;
  for (const { variable, message } of draft.notices) if (result.checked.changed.has(variable)) io.err(`${message}\n`);
  io.out(result.kind === 'unchanged' ? 'Nothing has changed.\n' : `Stored as set ${result.version}.\n`);
  return EXIT.ok;
}

function reportFaults(io: CommandIo, faults: readonly SettingFault[]): number {
  io.err('Nothing has changed:\n');
  for (const { name, problem, example } of faults) {
    io.err(`  ${name} ${problem}.${example === undefined ? '' : ` Example: ${name}=${example}`}\n`);
  }
  return EXIT.wrongUsage;
}

/** One line for each name: + added, ~ changed, - removed. */
function describeSet(
  { sealer }: SettingStore,
  before: StoredSettings | undefined,
  changed: ReadonlyMap<string, string | null>,
): string {
  const was = new Map((before?.entries ?? []).map((entry) => [entry.name, openEntry(sealer, entry)]));
  const placed = placeNames(changed.keys());
  const lines = [...changed].map(([name, text]) => {
    const sign = text === null ? '-' : was.has(name) ? '~' : '+';
    const isSecret = placed.get(name)?.setting.secret === true;
    return `  ${sign} ${name}${isSecret ? '  (secret)' : text === null ? '' : `  ${showText(text)}`}\n`;
  });
  return lines.join('');
}

/** On one line; JSON escapes control characters, so that no value can redraw the terminal. */
const showText = (text: string): string => (/[\u0000-\u001f\u007f-\u009f]/.test(text) ? JSON.stringify(text) : text);
