import {
  type CustomProviderRow,
  type CustomProviderType,
  findCustomProvider,
  listCustomProviderPage,
  listCustomProviders,
} from '../../../db/custom-providers.js';
import { apiError } from '../../errors.js';
import { type ListPage, readTimePage } from '../../organizations/list-cursor.js';
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
 * All of them: what the API answers where no page is asked for, as supabase/auth does.
 * @param type of the query; '' for all
 * @throws ApiError customProvidersDisabled, invalidParameter
 */
export async function readCustomProviders(app: App, type: string): Promise<CustomProviderRow[]> {
  return listCustomProviders(app.db, readType(app, type));
}

/**
 * A page, newest first.
 * @param query type, limit, cursor
 * @throws ApiError customProvidersDisabled, invalidParameter, organizationFieldInvalid
 */
export function readCustomProviderPage(
  app: App,
  query: ReadonlyMap<string, string>,
): Promise<ListPage<CustomProviderRow>> {
  const type = readType(app, query.get('type') ?? '');
  return readTimePage(
    query,
    (place, count) => listCustomProviderPage(app.db, type, place, count),
    ({ created_at, id }) => [created_at, id],
  );
}

function readType(app: App, type: string): CustomProviderType | '' {
  requireTools(app);
  const types: readonly string[] = ['', 'oauth2', 'oidc'];
  if (!types.includes(type)) throw invalid('type must be oauth2 or oidc');
  return type as CustomProviderType | '';
}
