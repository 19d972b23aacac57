/** The settings in use: where each comes from, what a reload would change, and how another set of them differs. */
import { randomBytes } from 'node:crypto';
import { readStoredSettings, type StoredSettings } from '../../db/stored-settings.js';
import { type ConfigDifference, compareSettings, compareWithRunning } from '../admin/compare-config.js';
import { type RunningConfig, viewRunningConfig } from '../admin/running-config.js';
import { placeSettings, spellInVariables, valueAt } from '../config/changes.js';
import { makeComparable, mayHoldCredentials } from '../config/comparison.js';
import { parseEnvFile } from '../config/env-file.js';
import { ConfigError, draftConfig, type Fault, type LoadedConfig, type Source } from '../config/load.js';
import { mainNameOf, namesOf, type PlacedSetting, placeCustomSettings } from '../config/settings.js';
import { isStorable } from '../config/storable.js';
import type { App } from '../runtime/app.js';
import { loadWithStored, readerFrom } from '../stored-settings/load-stored.js';
import { storedEntries } from '../stored-settings/store.js';
import { type FormId, groupsOf, placeOnForm } from './setting-forms/index.js';
import { isOfOwners } from './setting-rights.js';

/** What all sources of the process say at this moment; they may have changed since the start. */
async function readConfigured(
  { db, settingSources }: App,
  newest: StoredSettings | undefined,
): Promise<{ readonly loaded: LoadedConfig | null; readonly faults: readonly Fault[] }> {
  try {
    const { loaded } = await loadWithStored(settingSources, readerFrom(db, newest));
    return { loaded, faults: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { loaded: null, faults: error.faults };
  }
}

/** How each row is shown. */
async function openView(app: App) {
  const running = viewRunningConfig(app);
  // The values are those of the version: a change that comes later is a conflict for who sends it, and not overwritten.
  const newest = await readStoredSettings(app.db, null);
  const { loaded, faults } = await readConfigured(app, newest);
  const differences = loaded === null ? [] : compareWithRunning(loaded, running).differences;
  const stored = new Set(storedEntries(newest).map(({ name }) => name));
  const pending = new Map(differences.map((one) => [one.variable, one]));
  const view = (placed: PlacedSetting) => ({
    ...describe(placed, running),
    is_of_owners: isOfOwners(placed),
    ...viewText(placed, loaded),
    source: viewSource(loaded?.sources.get(placed.path.join('.'))),
    pending: pendingOf(pending.get(mainNameOf(placed.setting))),
    storable: isStorable(placed.setting),
    stored: stored.has(mainNameOf(placed.setting)),
    form: placeOf(placed),
  });
  return {
    running,
    loaded,
    faults,
    view,
    stored_version: newest?.version ?? 0,
    rows: placeSettings(loaded === null ? [app.config] : [app.config, loaded.config]),
  };
}

const placeOf = (placed: PlacedSetting) => (isStorable(placed.setting) ? placeOnForm(placed) : null);

/** Secrets have a fingerprint in place of their value. @param form only what stands on this form of the console */
export async function readSettings(app: App, form?: FormId) {
  const { running, loaded, faults, view, rows, stored_version } = await openView(app);
  return {
    generation: running.generation,
    version: running.version,
    stored_version,
    settings: rows.filter((placed) => form === undefined || placeOf(placed)?.form === form).map(view),
    groups: form === undefined ? [] : groupsOf(form),
    faults: faults.map(({ variable, problem }) => ({ variable, problem })),
    notices: (loaded?.notices ?? []).map(({ variable, message }) => ({ variable, message })),
  };
}

/** The rows of one identity provider, of one of the operator's own also before anything is set for it. */
export async function readProviderSettings(app: App, name: ProviderSettingsName) {
  const { view, rows, stored_version } = await openView(app);
  const own =
    'custom' in name
      ? placeCustomSettings(spellInVariables(name.custom))
      : rows.filter((placed) => placeOf(placed)?.form === 'providers' && placeOf(placed)?.group === name.builtIn);
  return { stored_version, settings: own.map(view) };
}

type ProviderSettingsName = { readonly builtIn: string } | { readonly custom: string };

function describe({ section, setting }: PlacedSetting, running: RunningConfig) {
  const name = mainNameOf(setting);
  return {
    name,
    section,
    doc: setting.doc,
    default: setting.default ?? null,
    example: setting.example,
    kind: setting.kind,
    choices: setting.kind === 'choice' ? setting.choices : null,
    is_secret: setting.secret === true,
    needs_restart: setting.restart === true,
    ...(running.settings[name] ?? { is_set: false }),
  };
}

/** What a form shows as the value: the text of the source. What is or may hold a secret is only said to be there. */
function viewText({ path, setting }: PlacedSetting, loaded: LoadedConfig | null) {
  const source = loaded?.sources.get(path.join('.'));
  const isHidden = setting.secret === true || (loaded !== null && mayHoldCredentials(valueAt(loaded.config, path)));
  return { is_hidden: isHidden, text: isHidden ? null : (source?.text ?? null) };
}

/** @returns null while the files have faults */
const viewSource = (source: Source | undefined) =>
  source === undefined
    ? null
    : { origin: source.origin, name: source.name, label: source.label, line: source.line ?? null };

const pendingOf = (one: ConfigDifference | undefined): 'reload' | 'restart' | null =>
  one === undefined ? null : one.needs_restart ? 'restart' : 'reload';

export interface PastedComparison {
  readonly differences: readonly ConfigDifference[];
  /** Secrets that both have, and those in files. Whether they are equal is not told, since that would confirm a guess. */
  readonly notCompared: readonly string[];
  /** For which a start with this file alone would fail. */
  readonly faults: readonly Pick<Fault, 'variable' | 'problem'>[];
  readonly notices: readonly string[];
}

/** Compares the settings in use with the text of a .env file. Files that it names are not read. */
export function compareWithPasted(app: App, text: string): PastedComparison {
  const parsed = parseEnvFile(text, {});
  const environment = Object.fromEntries([...parsed.values].filter(([name]) => !name.endsWith('_FILE')));
  const draft = draftConfig({ environment, file: null });
  const running = viewRunningConfig(app);
  // Without a common key: secrets are not compared.
  const own = makeComparable(draft.config, randomBytes(32));
  const differences = compareSettings(own, draft.settings, running, false);
  const inFiles = new Set([...parsed.values.keys()].filter((name) => name.endsWith('_FILE')));
  const isInFile = (placed: PlacedSetting) => namesOf(placed.setting).some((name) => inFiles.has(`${name}_FILE`));
  const isGiven = (placed: PlacedSetting) => namesOf(placed.setting).some((name) => parsed.values.has(name));
  const isHidden = (variable: string) =>
    running.settings[variable]?.is_set === true && running.settings[variable].value === undefined;
  const notCompared = draft.settings
    .filter((placed) => isInFile(placed) || (isGiven(placed) && isHidden(mainNameOf(placed.setting))))
    .map(({ setting }) => mainNameOf(setting));
  const fileFaults = parsed.faults.map(({ at, fault }) => ({ variable: at, problem: fault }));
  return {
    differences: differences.filter(({ variable }) => !notCompared.includes(variable)),
    notCompared,
    faults: [
      ...fileFaults,
      ...draft.faults
        .filter(({ variable }) => !inFiles.has(`${variable}_FILE`))
        .map(({ variable, problem }) => ({ variable, problem })),
    ],
    notices: draft.notices.map(({ message }) => message),
  };
}
