/** Who may change which settings: owners all, administrators all but secrets, hooks, and what leads to one of them. */
import { valueAt } from '../config/changes.js';
import type { Config, PlacedSetting } from '../config/settings.js';
import { placeNames } from '../config/storable.js';
import { apiError } from '../errors.js';
import type { OperatorRole } from '../http/types.js';
import type { ChangedTexts } from '../stored-settings/check-changes.js';

/**
 * @param configs what is in use, and what would be: this process may not have followed the database yet
 * @throws ApiError operatorRoleTooLow
 */
export function requireRole(role: OperatorRole, texts: ChangedTexts, configs: readonly Config[]): void {
  if (role === 'owner') return;
  const placed = [...placeNames(texts.keys()).values()];
  if (placed.some((one) => configs.some((config) => isOfOwners(config, one)))) {
    throw apiError('operatorRoleTooLow', { role: 'owner' });
  }
}

export const isOfOwners = (config: Config, { path, section, setting }: PlacedSetting): boolean =>
  setting.secret === true ||
  setting.ofOwners === true ||
  section === 'Hooks' ||
  (setting.receives !== undefined && isGiven(valueAt(config, [...path.slice(0, -1), setting.receives])));

/** A secret that the operator may not read must not go to a server that the operator chooses. */
const isGiven = (secret: unknown): boolean =>
  typeof secret === 'string' ? secret !== '' : Object.keys(secret ?? {}).length > 0;
