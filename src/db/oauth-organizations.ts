/** The statements of sql/queries/oauth-organizations.sql. */
import type { OrganizationRow } from './organizations.js';
import type { Database } from './types.js';
import { readUuid } from './uuid.js';

/** An organization as its members see it on a page that asks them. */
export type NamedOrganization = Pick<OrganizationRow, 'id' | 'name' | 'slug'>;

/**
 * The organizations of a user that a request may be for, the newest membership first.
 * @param servedId the only one that the client serves; null: all
 * @param named id or slug; null: any. What has the form of an id is one, so that no slug takes the place of an id
 */
export const listCandidates = (
  db: Database,
  userId: string,
  servedId: string | null,
  named: string | null,
  limit: number,
): Promise<NamedOrganization[]> => {
  const id = named === null ? null : readUuid(named);
  const values = [userId, servedId, id, id === null ? named : null, limit];
  return db.run<NamedOrganization>('oauth-organizations.candidates', values);
};
