/** Whoever signs in at the provider of an organization may have been provisioned there before (docs/scim.md). */
import type { Owner } from '../../db/identities.js';
import { findProvisionedOwner } from '../../db/provisioned-accounts.js';
import type { ExternalProfile } from '../providers/contract.js';
import type { App } from '../runtime/app.js';

/** Target of a mapping. */
const USER_NAME_CLAIM = 'scim_user_name';

/**
 * @param provider as identities name it @param profile with the addresses that the provider may vouch for
 * @returns the account, which may be banned; undefined: there is none, or the provider belongs to no organization
 */
export async function findProvisionedPerson(
  { config, db }: Pick<App, 'config' | 'db'>,
  provider: string,
  { organization, subject, claims, addresses }: ExternalProfile,
): Promise<Owner | undefined> {
  if (!config.scimEnabled || organization === undefined) return undefined;
  const { id: organizationId } = organization;
  const { [USER_NAME_CLAIM]: mapped, preferred_username: preferred } = claims;
  if (typeof mapped === 'string') {
    return findProvisionedOwner(db, { organizationId, externalId: null, userNames: [mapped], provider });
  }
  const verified = addresses.filter(({ isVerified }) => isVerified).map(({ email }) => email);
  const userNames = [subject, ...(typeof preferred === 'string' ? [preferred] : []), ...verified];
  return findProvisionedOwner(db, { organizationId, externalId: subject, userNames, provider });
}
