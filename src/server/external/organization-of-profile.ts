/** What the profile of a provider of an organization decides there, and what such a provider vouches for. */
import { hasVerifiedDomain } from '../../db/organization-domains.js';
import type { Joining } from '../organizations/join-at-sign-in.js';
import { rolesOfPerson } from '../organizations/joining-roles.js';
import type { ExternalProfile } from '../providers/contract.js';
import type { App } from '../runtime/app.js';

/**
 * The people of an organization say whose word counts at its provider, so it vouches for addresses of the domains that the
 * organization has proven only.
 * @returns the same profile where the provider belongs to none
 */
export async function withVouchedAddresses(
  { db }: Pick<App, 'db'>,
  profile: ExternalProfile,
): Promise<ExternalProfile> {
  const { organization } = profile;
  if (organization === undefined) return profile;
  const addresses = profile.addresses.map(async (address) => {
    const domain = address.email.slice(address.email.lastIndexOf('@') + 1).toLowerCase();
    return { ...address, isVerified: address.isVerified && (await hasVerifiedDomain(db, organization.id, domain)) };
  });
  return { ...profile, addresses: await Promise.all(addresses) };
}

/** Who signs in at the provider of an organization joins it. */
export function joiningOfProfile({ organization }: ExternalProfile): Joining | null {
  if (organization === undefined) return null;
  const roles = rolesOfPerson(organization, (claim) => textsOf(organization.said[claim]));
  return { organizationId: organization.id, roles, via: 'sso', followsRoles: organization.role_mapping.length > 0 };
}

const textsOf = (claim: unknown): readonly string[] =>
  [claim].flat().filter((value): value is string => typeof value === 'string');
