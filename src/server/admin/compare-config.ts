/** What a running server would change if it had another configuration. */
import { isDeepStrictEqual } from 'node:util';
import { type ComparableConfig, type ComparableSetting, identifyKey, makeComparable } from '../config/comparison.js';
import type { LoadedConfig } from '../config/load.js';
import { type Config, mainNameOf } from '../config/settings.js';
import { fingerprintKeyOf, type RunningConfig } from './running-config.js';

/** One setting that differs. Secrets have no values here. */
export interface ConfigDifference {
  readonly variable: string;
  readonly kind: 'added' | 'changed' | 'removed';
  readonly needs_restart: boolean;
  readonly secret: boolean;
  /** Where the configuration has it from: environment, the path of a file, database, or default. */
  readonly source?: string;
  readonly running?: unknown;
  readonly configured?: unknown;
}

export interface ConfigComparison {
  readonly differences: readonly ConfigDifference[];
  /** False: the server has a secret that this configuration does not know, so that fingerprints cannot be compared. */
  readonly comparesSecrets: boolean;
}

const UNSET: ComparableSetting = { is_set: false };

export function compareWithRunning(
  { config, settings, sources }: Pick<LoadedConfig, 'config' | 'settings' | 'sources'>,
  running: RunningConfig,
): ConfigComparison {
  const key = findFingerprintKey(config, running);
  const own = makeComparable(config, key ?? fingerprintKeyOf(config.jwtSecret));
  const labels = new Map(
    settings.map(({ path, setting }) => [mainNameOf(setting), sources.get(path.join('.'))?.label]),
  );
  const differences = compareSettings(own, settings, running, key !== null).map((one) => {
    const source = labels.get(one.variable);
    return source === undefined ? one : { ...one, source };
  });
  return { differences, comparesSecrets: key !== null };
}

/** @param comparesSecrets false: of secrets it only says where one of both is unset */
export function compareSettings(
  own: ComparableConfig,
  settings: LoadedConfig['settings'],
  running: RunningConfig,
  comparesSecrets: boolean,
): readonly ConfigDifference[] {
  const restarts = new Set(
    settings.filter(({ setting }) => setting.restart === true).map(({ setting }) => mainNameOf(setting)),
  );
  const variables = [...new Set([...Object.keys(own), ...Object.keys(running.settings)])];
  return variables.flatMap((variable): ConfigDifference[] => {
    const [before, after] = [running.settings[variable] ?? UNSET, own[variable] ?? UNSET];
    if (!isDifferent(before, after, comparesSecrets)) return [];
    const secret = [before, after].some((one) => one.is_set && !('value' in one));
    const kind = !before.is_set && after.is_set ? 'added' : before.is_set && !after.is_set ? 'removed' : 'changed';
    const values = secret ? {} : { running: before.value ?? null, configured: after.value ?? null };
    return [{ variable, kind, needs_restart: restarts.has(variable), secret, ...values }];
  });
}

function isDifferent(before: ComparableSetting, after: ComparableSetting, comparesSecrets: boolean): boolean {
  if (before.is_set !== after.is_set) return true;
  if ('value' in before && 'value' in after) return !isDeepStrictEqual(before.value, after.value);
  // One of them is an address with a secret in it.
  if ('value' in before || 'value' in after) return before.is_set;
  return comparesSecrets && before.fingerprint !== after.fingerprint;
}

/** The server may still have an earlier secret. */
function findFingerprintKey({ jwtSecret, jwtPreviousSecrets }: Config, running: RunningConfig): Buffer | null {
  const keys = [jwtSecret, ...jwtPreviousSecrets].map(fingerprintKeyOf);
  return keys.find((key) => identifyKey(key) === running.fingerprint_key) ?? null;
}
