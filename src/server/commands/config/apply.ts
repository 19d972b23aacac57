/** What the commands share that change the settings in the database. */
import { readStoredSettings, type StoredEntry, type StoredSettings } from '../../../db/stored-settings.js';
import { adminActor, auditEntry } from '../../accounts/audit.js';
import { sourcesOf } from '../../cli/configuration.js';
import { withDatabaseOf } from '../../cli/database.js';
import { developmentOption } from '../../cli/development.js';
import { onOneLine } from '../../cli/one-line.js';
import { type CommandArguments, type CommandIo, EXIT } from '../../cli/types.js';
import { type Config, ConfigError, draftConfig } from '../../config/load.js';
import { placeNames } from '../../config/storable.js';
import { changeSettings, type SettingChangeOptions, type SettingStore } from '../../stored-settings/change-settings.js';
import { type ChangedTexts, checkChanges, type SettingFault } from '../../stored-settings/check-changes.js';
import { describeForAudit } from '../../stored-settings/setting-history.js';
import { settingConnection } from '../../stored-settings/setting-source.js';
import { showSettingText } from '../../stored-settings/show-text.js';
import { openEntry, openSettingSealer, storedEntries } from '../../stored-settings/store.js';

/** Names the command in the history. */
export const commandAuthor = ({ environment }: CommandIo): string =>
  `latchkey config (${environment['USER'] || environment['LOGNAME'] || 'unknown user'})`;

/**
 * Runs work on the settings in the database. Other faults of the sources do not keep it from that.
 * @param work gets what the sources alone say, too
 * @throws ConfigError when the sources do not name a database; DatabaseUnavailableError; what `work` throws
 */
export async function withSettingStore<Result>(
  args: Pick<CommandArguments, 'configFiles' | 'values'>,
  io: CommandIo,
  work: (store: SettingStore, own: Config) => Promise<Result>,
): Promise<Result> {
  const sources = sourcesOf(args, io);
  const { config, faults } = draftConfig(sources);
  if (!config.databaseUrl) {
    if (io.dataDirectory !== undefined) io.err(BESIDE_DEVELOPMENT);
    throw new ConfigError(faults);
  }
  const withStore = (db: SettingStore['db']) => work({ db, sources, sealer: openSettingSealer(config) }, config);
  return withDatabaseOf(config, io, withStore, settingConnection);
}

const BESIDE_DEVELOPMENT =
  'Beside latchkey dev: run this in the directory where that was started, or with --data DIR, which it was started with.\n\n';

/** Of all commands that store a set. */
export const changeOptions = {
  'dry-run': { type: 'boolean', doc: 'check, and show what would change' },
  comment: { type: 'string', argument: 'TEXT', doc: 'why, for the history' },
  ...developmentOption,
} as const;

export type CommandChange = Pick<SettingChangeOptions, 'texts' | 'restored'>;

/** Stores a set, or with --dry-run says what it would change. @returns the exit code */
export async function applyChange(
  { values }: Pick<CommandArguments, 'values'>,
  io: CommandIo,
  store: SettingStore,
  change: CommandChange,
): Promise<number> {
  const before = await readStoredSettings(store.db, null);
  if (values['dry-run'] === true) {
    const { faults, changed } = checkChanges(store.sources, store.sealer, storedEntries(before), change.texts);
    if (faults.length > 0) return reportFaults(io, faults);
    io.out(describeSet(store, before, changed));
    io.out(changed.size === 0 ? 'Nothing would change.\n' : 'Nothing has been stored.\n');
    return EXIT.ok;
  }
  const result = await changeSettings(store, {
    ...{ ...change, baseVersion: null, comment: String(values['comment'] ?? ''), changedBy: commandAuthor(io) },
    auditOf: ({ changed, draft }, entries) =>
      draft.config.auditLogDisablePostgres ? [] : [auditOf(change, changed, entries)],
  });
  if (result.kind === 'conflict') throw new Error('Without a base there are no conflicts');
  if (result.kind === 'faulty') return reportFaults(io, result.faults);
  const { changed, draft } = result.checked;
  io.out(describeSet(store, before, changed));
  for (const { variable, message } of draft.notices) if (changed.has(variable)) io.err(`${message}\n`);
  io.out(result.kind === 'unchanged' ? 'Nothing has changed.\n' : `Stored as set ${result.version}.\n`);
  return EXIT.ok;
}

function auditOf({ restored }: CommandChange, changed: ChangedTexts, entries: readonly StoredEntry[]) {
  const actor = adminActor({ role: 'command_line', subject: null });
  const action = restored === undefined ? 'settings_changed' : 'settings_restored';
  return auditEntry(actor, action, {
    ...describeForAudit(changed, entries),
    ...(restored !== undefined && { restored }),
  });
}

/** @returns the exit code */
export function reportFaults(io: CommandIo, faults: readonly SettingFault[]): number {
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
    return `  ${sign} ${name}${isSecret ? '  (secret)' : text === null ? '' : `  ${onOneLine(showSettingText(name, text))}`}\n`;
  });
  return lines.join('');
}
