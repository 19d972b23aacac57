/** The accounts of people who were provisioned, by what a provider says at a sign-in: statements of sql/queries/scim-users.sql. */
import { caseKey } from './case-key.js';
import type { Owner } from './identities.js';
import type { SsoAccount } from './sso.js';
import type { Database } from './types.js';

/** The account of a person who signs in. @param organizationId of the provider, or null @param userName as the provider says it */
export async function findProvisionedAccount(
  db: Database,
  providerId: string,
  organizationId: string | null,
  userName: string,
): Promise<SsoAccount | undefined> {
  const values = [providerId, organizationId, caseKey(userName)];
  return (await db.run<SsoAccount>('scim-users.provisioned', values))[0];
}

/** What a provider of OpenID Connect says of a person whom an account may have been made for. */
export interface ProvisionedQuery {
  readonly organizationId: string;
  /** Null: it is not looked for. */
  readonly externalId: string | null;
  /** The first one that a person has counts. */
  readonly userNames: readonly string[];
  /** As identities name it. */
  readonly provider: string;
}

/** The same for a provider of OpenID Connect. */
export async function findProvisionedOwner(
  db: Database,
  { organizationId, externalId, userNames, provider }: ProvisionedQuery,
): Promise<Owner | undefined> {
  const names = userNames.map(caseKey);
  return (await db.run<Owner>('scim-users.provisioned_owner', [organizationId, externalId, names, provider]))[0];
}
