/** What the profile of a provider of an organization decides there, and what such a provider vouches for. */
import { hasVerifiedDomain } from '../../db/organization-domains.js';
import { domainOf } from '../accounts/addresses.js';
import type { Joining } from '../organizations/join-at-sign-in.js';
import { joiningBy } from '../organizations/joining-roles.js';
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
    const domain = domainOf(address.email).toLowerCase();
    return { ...address, isVerified: address.isVerified && (await hasVerifiedDomain(db, organization.id, domain)) };
  });
  return { ...profile, addresses: await Promise.all(addresses) };
}

/** Who signs in at the provider of an organization joins it. */
export function joiningOfProfile({ organization }: ExternalProfile): Joining | null {
  if (organization === undefined) return null;
  return joiningBy(organization.id, organization, (claim) => textsOf(organization.said[claim]));
}

const textsOf = (claim: unknown): readonly string[] =>
  [claim].flat().filter((value): value is string => typeof value === 'string');
