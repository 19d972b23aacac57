/** What the profile of a provider of an organization decides there, and what such a provider vouches for. */
import { isVouchedFor } from '../../db/organization-domains.js';
import { domainOf, spellEmail } from '../accounts/addresses.js';
import type { Joining } from '../organizations/join-at-sign-in.js';
import { allJoiningRoles, joiningBy } from '../organizations/joining-roles.js';
import type { ExternalProfile } from '../providers/contract.js';
import type { App } from '../runtime/app.js';

/**
 * The people of an organization say whose word counts at its provider, so it vouches for addresses of the domains that the
 * organization has proven only, and not for those of members with other roles than it gives: whoever set it up could act with them.
 * @param provider its name in identities
 * @returns the same profile where the provider belongs to none
 */
export async function withVouchedAddresses(
  { db }: Pick<App, 'db'>,
  provider: string,
  profile: ExternalProfile,
): Promise<ExternalProfile> {
  const { organization, subject } = profile;
  if (organization === undefined) return profile;
  const roles = allJoiningRoles(organization);
  const addresses = profile.addresses.map(async (address) => {
    if (!address.isVerified) return address;
    const email = spellEmail(address.email);
    const about = { email, domain: domainOf(email), roles, provider, subject };
    return { ...address, isVerified: await isVouchedFor(db, organization.id, about) };
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
