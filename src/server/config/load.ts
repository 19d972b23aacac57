import { parseTokenKeys } from '../../jws/parse-token-keys.js';
import { adjust, findContradictions, findIncomplete } from './checks.js';
import type { Environment } from './environment.js';
import { ConfigError, type Fault, type Notice } from './faults.js';
import {
  type Parsed,
  parseBool,
  parseCharacterSets,
  parseChoice,
  parseDuration,
  parseFloating,
  parseHeaders,
  parseInteger,
  parseList,
  parseMap,
  parsePostgresUrl,
  parseRate,
  parseSecretList,
  parseText,
  parseTime,
  parseUrl,
} from './parse.js';
import { parseDomains } from './parse-domains.js';
import { parseHookSecrets, parseHookUri } from './parse-hooks.js';
import { parseImage } from './parse-image.js';
import { parseIssuers } from './parse-issuers.js';
import { parseMailContents } from './parse-mail-contents.js';
import { type Config, mainNameOf, namesOf, type PlacedSetting, placeWithCustom, type Setting } from './settings.js';
import { type ConfigFiles, type Found, findText, openLayers, type StoredLayer } from './sources.js';
import { noticeUnknown } from './unknown.js';

export { type Environment, readEnvironment } from './environment.js';
export { ConfigError, type Fault, type Notice } from './faults.js';
export type { Config, ProviderConfig, ProviderName, Rate } from './settings.js';
export type { StoredLayer } from './sources.js';

/** Where the value of a setting came from. */
export interface Source {
  readonly origin: 'environment' | 'file' | 'database' | 'fallback' | 'default';
  /** The environment name that was read, or the main name of the setting. */
  readonly name: string;
  /** `environment`, the path of the file, `database`, or `default`. */
  readonly label: string;
  /** Of a file, from 1. */
  readonly line?: number;
  /** As it was written there; undefined: the default. */
  readonly text?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** All rows, including those of custom providers. */
  readonly settings: readonly PlacedSetting[];
  readonly notices: readonly Notice[];
  /** By the path in Config, joined with dots: `jwtSecret`, `providers.github.secret`. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** With the faults for which a start fails. */
export interface DraftedConfig extends LoadedConfig {
  readonly faults: readonly Fault[];
}

export interface ConfigSources extends ConfigFiles {
  readonly environment: Environment;
}

/**
 * Reads the whole configuration (docs/decisions.md, Values of settings).
 * @returns frozen plain data, with notices and the source of each value
 * @throws ConfigError with all faults
 */
export const loadConfig = (given: ConfigSources): LoadedConfig => settleDraft(draftConfig(given));

/** @returns the draft, frozen. @throws ConfigError with all its faults */
export function settleDraft({ faults, ...loaded }: DraftedConfig): LoadedConfig {
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...loaded, config: freezeDeep(loaded.config) };
}

/**
 * The same without an end at a fault: what cannot be used has its default.
 * @returns the configuration with its faults
 */
export function draftConfig({ environment, ...files }: ConfigSources): DraftedConfig {
  const faults: Fault[] = [];
  const notices: Notice[] = [];
  const layers = openLayers(environment, files, { faults, notices });
  const sources = new Map<string, Source>();
  const draft: Record<string, unknown> = { customProviders: {} };
  const settings = placeWithCustom(layers.flatMap(({ values }) => [...values.keys()]));
  const known = new Set<string>();

  const faulty = new Set<string>();

  for (const { path, setting } of settings) {
    const key = path.join('.');
    for (const name of namesOf(setting)) {
      known.add(name);
      if (setting.secret) known.add(`${name}_FILE`);
    }
    const found = findText(setting, layers, { faults, notices });
    const parsed = found ? parseSetting(setting, found.text) : undefined;
    if (found) {
      const { origin, label, lines } = found.layer;
      const line = lines?.get(found.name);
      sources.set(key, { origin, name: found.name, label, text: found.text, ...(line !== undefined && { line }) });
      noticeShadowed(setting, found, files.stored, notices);
      if (setting.deprecated !== undefined) {
        notices.push({ variable: found.name, message: `${found.name} is deprecated: ${setting.deprecated}.` });
      }
    } else {
      sources.set(key, { origin: 'default', name: mainNameOf(setting), label: 'default' });
    }
    if (found && parsed && 'fault' in parsed) faults.push(describeFault(setting, found, parsed.fault));
    if (found === undefined && setting.required) {
      faults.push({ variable: mainNameOf(setting), problem: 'is missing', example: setting.example });
    }
    if (found === null || (parsed && 'fault' in parsed)) faulty.add(key);
    // An invalid setting keeps its default, so that the checks below can find further faults.
    placeValue(draft, path, parsed && 'value' in parsed ? parsed.value : defaultOf(setting));
  }
  for (const { origin, values } of layers) {
    if (origin !== 'database') notices.push(...noticeUnknown(values.keys(), known));
  }

  // Each row of the table has a value, parsed according to its kind.
  const config = draft as { -readonly [K in keyof Config]: Config[K] };
  const nameOf = (...path: string[]) => sources.get(path.join('.'))!.name;
  const contradictions = findContradictions(config, nameOf).filter(({ keys }) => !keys.some((key) => faulty.has(key)));
  faults.push(...contradictions.map(({ fault }) => fault));
  if (faults.length === 0) {
    adjust(config, { notices, nameOf });
    findIncomplete(config, { notices, nameOf });
  }
  // What `latchkey dev` fills in is its own choice, which nobody has to be warned of.
  const filledIn = new Set([...sources.values()].filter(({ origin }) => origin === 'fallback').map(({ name }) => name));
  const told = notices.filter(({ variable }) => !filledIn.has(variable));
  return { config, settings, notices: told, sources, faults };
}

/** What the database has is not in use where another source comes first. The same text is what an import leaves behind. */
function noticeShadowed(
  setting: Setting,
  { name, layer, text }: Found,
  stored: StoredLayer | undefined,
  notices: Notice[],
): void {
  const variable = mainNameOf(setting);
  const inDatabase = stored?.values.get(variable);
  if (inDatabase === undefined || inDatabase === text || layer.origin === 'database') return;
  const message = `${variable} of the database has no effect: ${name} (${layer.label}) comes first.`;
  notices.push({ variable, message });
}

function describeFault(setting: Setting, { name, layer }: Found, problem: string): Fault {
  const where = layer.origin === 'file' ? ` (in ${layer.label})` : '';
  return {
    variable: name,
    problem: `${problem}${where}`,
    ...(!name.endsWith('_FILE') && { example: setting.example }),
  };
}

/** Parses text according to the kind of a row. */
export function parseSetting(setting: Setting, text: string): Parsed<unknown> {
  switch (setting.kind) {
    case 'bool':
      return parseBool(text);
    case 'int':
      return parseInteger(text, setting);
    case 'float':
      return parseFloating(text, setting);
    case 'duration':
      return parseDuration(text, setting);
    case 'text':
      return parseText(text, setting.pattern, setting.patternInWords);
    case 'url':
      return parseUrl(text, setting);
    case 'postgresUrl':
      return parsePostgresUrl(text);
    case 'list':
      return setting.secret ? parseSecretList(text) : parseList(text);
    case 'domains':
      return parseDomains(text);
    case 'issuers':
      return parseIssuers(text);
    case 'map':
      return parseMap(text);
    case 'characterSets':
      return parseCharacterSets(text);
    case 'rate':
      return parseRate(text);
    case 'time':
      return parseTime(text);
    case 'headers':
      return parseHeaders(text);
    case 'image':
      return parseImage(text);
    case 'mailContents':
      return parseMailContents(text);
    case 'tokenKeys':
      return parseTokenKeys(text);
    case 'choice':
      return parseChoice(text, setting.choices, setting.synonyms);
    case 'hookUri':
      return parseHookUri(text);
    case 'hookSecrets':
      return parseHookSecrets(text);
  }
}

/** Parsed once: each reading of the configuration needs nearly all of them. */
const defaults = new WeakMap<Setting, { readonly value: unknown }>();

/** The value of an unset row, without checks of pattern and URL. It is frozen: all who ask share it. */
export function defaultOf(setting: Setting): unknown {
  const known = defaults.get(setting) ?? { value: freezeDeep(parseDefault(setting)) };
  defaults.set(setting, known);
  return known.value;
}

function parseDefault(setting: Setting): unknown {
  if (setting.default === undefined || setting.default === null) return null;
  if (setting.default === '' && ['text', 'url', 'image'].includes(setting.kind)) return '';
  const parsed = parseSetting(setting, setting.default);
  if ('fault' in parsed) throw new Error(`The default of ${mainNameOf(setting)} ${parsed.fault}`);
  return parsed.value;
}

/** Sets the value of a path. */
export function placeValue(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = target;
  for (const key of path.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  at[path.at(-1)!] = value;
}

function freezeDeep<T>(value: T): T {
  if (value !== null && typeof value === 'object') {
    for (const inner of Object.values(value)) freezeDeep(inner);
    Object.freeze(value);
  }
  return value;
}
