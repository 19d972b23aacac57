/** The configuration in use, for administrators who compare it with their files. */

import { type ComparableConfig, identifyKey, makeComparable } from '../config/comparison.js';
import type { App } from '../runtime/app.js';
import { deriveBytes } from '../sealing/key-ring.js';

export interface RunningConfig {
  /** Counts the configurations of the process, from 1. */
  readonly generation: number;
  readonly version: string;
  /** Identifies the key of the fingerprints. */
  readonly fingerprint_key: string;
  readonly settings: ComparableConfig;
}

/** Key of the fingerprints of secrets. Only who has the server secret can try a guess. */
export const fingerprintKeyOf = (jwtSecret: string): Buffer =>
  deriveBytes(jwtSecret, 'latchkey configuration fingerprints v1');

export function viewRunningConfig({
  config,
  generation,
  version,
}: Pick<App, 'config' | 'generation' | 'version'>): RunningConfig {
  const key = fingerprintKeyOf(config.jwtSecret);
  return { generation, version, fingerprint_key: identifyKey(key), settings: makeComparable(config, key) };
}
