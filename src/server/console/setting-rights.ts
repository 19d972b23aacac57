/** Who may change which settings: owners all, administrators all but secrets, hooks, and what the table gives to owners. */
import type { PlacedSetting } from '../config/settings.js';
import { placeNames } from '../config/storable.js';
import { apiError } from '../errors.js';
import type { OperatorRole } from '../http/types.js';
import type { ChangedTexts } from '../stored-settings/check-changes.js';

/** @throws ApiError operatorRoleTooLow */
export function requireRole(role: OperatorRole, texts: ChangedTexts): void {
  if (role === 'owner') return;
  if ([...placeNames(texts.keys()).values()].some(isOfOwners)) throw apiError('operatorRoleTooLow', { role: 'owner' });
}

export const isOfOwners = ({ section, setting }: Pick<PlacedSetting, 'section' | 'setting'>): boolean =>
  setting.secret === true || setting.ofOwners === true || section === 'Hooks';
