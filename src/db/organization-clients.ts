/** The statements of sql/queries/organization-clients.sql. */
import type { OauthClientRow } from './oauth-clients.js';
import type { Database, Statements, TimePlace } from './types.js';

/** A client in a list, whose `created_at` has the form of a place. */
export interface ListedClient {
  readonly client: OauthClientRow;
  readonly created_at: string;
}

/** Newest first. @param place of the last one of the page before */
export const listOrganizationClients = (
  db: Database,
  organizationId: string,
  place: TimePlace | null,
  limit: number,
): Promise<ListedClient[]> =>
  db.run<ListedClient>('organization-clients.page', [
    organizationId,
    place?.createdAt ?? null,
    place?.id ?? null,
    limit,
  ]);

/** Call it with the organization locked. */
export async function countOrganizationClients(statements: Statements, organizationId: string): Promise<number> {
  return (await statements.run<{ clients: number }>('organization-clients.count', [organizationId]))[0]!.clients;
}

/**
 * Locks the row until the end of the transaction. Call it with the organization locked.
 * @returns undefined when the organization has no such client
 */
export async function lockOrganizationClient(
  statements: Statements,
  id: string,
  organizationId: string,
): Promise<OauthClientRow | undefined> {
  const values = [id, organizationId];
  return (await statements.run<{ client: OauthClientRow }>('organization-clients.lock', values))[0]?.client;
}
