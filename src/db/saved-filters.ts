/** The statements of sql/queries/saved-filters.sql. */
import type { Database } from './types.js';

export type FilterQuery = Readonly<Record<string, string>>;

export interface SavedFilter {
  readonly id: string;
  readonly name: string;
  readonly query: FilterQuery;
  readonly is_shared: boolean;
  readonly is_own: boolean;
  readonly operator_name: string;
}

export const listSavedFilters = (db: Database, operatorId: string): Promise<SavedFilter[]> =>
  db.run<SavedFilter>('saved-filters.list', [operatorId]);

/** @returns its id; undefined when the operator has one of this name, or as many as one may have */
export async function saveFilter(
  db: Database,
  operatorId: string,
  { name, query, is_shared }: Pick<SavedFilter, 'name' | 'query' | 'is_shared'>,
  most: number,
): Promise<string | undefined> {
  const values = [operatorId, name, JSON.stringify(query), is_shared, most];
  return (await db.run<{ id: string }>('saved-filters.save', values))[0]?.id;
}

/** @param mayRemoveShared also those of others. @returns false when there is none */
export async function removeSavedFilter(
  db: Database,
  id: string,
  operatorId: string,
  mayRemoveShared: boolean,
): Promise<boolean> {
  return (await db.run('saved-filters.remove', [id, operatorId, mayRemoveShared])).length === 1;
}
