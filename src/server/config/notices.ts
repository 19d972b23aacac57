import { placeSettings } from './changes.js';
import { findIncomplete } from './checks.js';
import type { Notice } from './faults.js';
import { type Config, mainNameOf } from './settings.js';

/** What `latchkey check config` notes about a configuration with which the server runs. */
export function noticesOf(config: Config): readonly Notice[] {
  const names = new Map(placeSettings([config]).map(({ path, setting }) => [path.join('.'), mainNameOf(setting)]));
  const notices: Notice[] = [];
  findIncomplete(config, { notices, nameOf: (...path) => names.get(path.join('.')) ?? path.join('.') });
  return notices;
}
