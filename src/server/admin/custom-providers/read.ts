import {
  type CustomProviderRow,
  type CustomProviderType,
  findCustomProvider,
  listCustomProviders,
} from '../../../db/custom-providers.js';
import { apiError } from '../../errors.js';
import type { StoredProviderTools } from '../../providers/stored/contract.js';
import type { App } from '../../runtime/app.js';
import { invalid } from './fields.js';

/** @throws ApiError customProvidersDisabled */
export function requireTools({ providers }: Pick<App, 'providers'>): StoredProviderTools {
  if (providers.stored === null) throw apiError('customProvidersDisabled');
  return providers.stored;
}

/**
 * The row of a path parameter.
 * @throws ApiError customProvidersDisabled, customProviderNotFound
 */
export async function readCustomProvider(app: App, identifier: string): Promise<CustomProviderRow> {
  requireTools(app);
  const row = await findCustomProvider(app.db, identifier);
  if (row === undefined) throw apiError('customProviderNotFound');
  return row;
}

/**
 * @param type of the query; '' for all
 * @throws ApiError customProvidersDisabled, invalidParameter
 */
export async function readCustomProviders(app: App, type: string): Promise<CustomProviderRow[]> {
  requireTools(app);
  const types: readonly string[] = ['', 'oauth2', 'oidc'];
  if (!types.includes(type)) throw invalid('type must be oauth2 or oidc');
  return listCustomProviders(app.db, type as CustomProviderType | '');
}
