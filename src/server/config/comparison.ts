/** A form of a configuration that shows no secret, in which two processes can compare theirs. */
import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { placeSettings, valueAt } from './changes.js';
import { defaultOf } from './load.js';
import { describeImage } from './parse-image.js';
import { type Config, mainNameOf, type PlacedSetting } from './settings.js';

/** One setting. */
export interface ComparableSetting {
  /** It differs from its default. */
  readonly is_set: boolean;
  /** Absent when it is or may contain a secret. */
  readonly value?: unknown;
  /** HMAC of a secret; the key decides whether two can be compared. */
  readonly fingerprint?: string;
}

/** By main name. */
export type ComparableConfig = Readonly<Record<string, ComparableSetting>>;

/** @param key of the fingerprints; who does not have it learns nothing about a secret from them */
export function makeComparable(config: Config, key: Buffer): ComparableConfig {
  return Object.fromEntries(
    placeSettings([config]).map((placed) => {
      const variable = mainNameOf(placed.setting);
      return [variable, describeSetting(placed, plain(valueAt(config, placed.path)), variable, key)];
    }),
  );
}

function describeSetting({ setting }: PlacedSetting, value: unknown, variable: string, key: Buffer): ComparableSetting {
  const isSet = !isDeepStrictEqual(value, plain(defaultOf(setting)));
  if (setting.kind === 'image') return { is_set: isSet, value: isSet ? describeImage(value as string) : '' };
  if (!setting.secret && !mayHoldCredentials(value)) return { is_set: isSet, value };
  return { is_set: isSet, ...(isSet && { fingerprint: fingerprint(key, `${variable}\n${JSON.stringify(value)}`) }) };
}

/** Identifies the key: fingerprints of two configurations are comparable when this is equal. */
export const identifyKey = (key: Buffer): string => fingerprint(key, 'key');

/** By which two who have the key see whether their secrets are equal. */
export const fingerprint = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);

/** URLs of hooks, gateways and collectors may have a token in their query, or a password. */
export function mayHoldCredentials(value: unknown): boolean {
  if (typeof value === 'string') {
    const url = URL.canParse(value) ? new URL(value) : null;
    return url !== null && (url.search !== '' || url.username !== '' || url.password !== '');
  }
  return value !== null && typeof value === 'object' && Object.values(value).some(mayHoldCredentials);
}

/** As it arrives in JSON, with the members of objects in one order. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, plain(inner)]));
}
