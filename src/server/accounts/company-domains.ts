/** Domains of companies whose people sign in at an identity provider of theirs, and which of them only there. */
import { type CompanyDomain, listCompanyDomains } from '../../db/sso-providers.js';
import type { Database } from '../../db/types.js';
import { apiError } from '../errors.js';
import { domainOf } from './addresses.js';

/** How old what is known may be. A change by another process counts after that time. */
const FRESH_MS = 3000;

/** Where the people of a domain sign in. */
export type Company = Pick<CompanyDomain, 'provider_id' | 'is_enforced'>;

export interface CompanyDomains {
  /** @param domain lower case. @returns undefined: its addresses sign in here as others do */
  find(domain: string): Promise<Company | undefined>;
  /** Whether there is any. */
  hasAny(): Promise<boolean>;
}

/** With sign-in at companies off nothing is read, and nothing is enforced. */
export const NO_COMPANY_DOMAINS: CompanyDomains = { find: async () => undefined, hasAny: async () => false };

/**
 * Reads all of them, since they are few, once in some seconds in which one is asked for.
 * @param isProofNeeded only domains that are verified count
 * @param nowMs for tests
 */
export function openCompanyDomains(
  db: Database,
  isProofNeeded: boolean,
  nowMs = () => performance.now(),
): CompanyDomains {
  let known: Promise<ReadonlyMap<string, Company>> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<ReadonlyMap<string, Company>> =>
    new Map((await listCompanyDomains(db, isProofNeeded)).map((row) => [row.domain, row]));
  function readFresh(): Promise<ReadonlyMap<string, Company>> {
    if (known === undefined || nowMs() - readAtMs > FRESH_MS) {
      readAtMs = nowMs();
      known = read();
      // The next request asks again.
      known.catch(() => {
        known = undefined;
      });
    }
    return known;
  }
  return {
    find: async (domain) => (await readFresh()).get(domain),
    hasAny: async () => (await readFresh()).size > 0,
  };
}

/**
 * Call it before any look-up, for every address alike, so that the answer says nothing about accounts.
 * @param address as normaliseEmail() or spellEmail() returns it
 * @throws ApiError ssoRequired
 */
export async function assertSignsInHere(
  app: { readonly companyDomains: CompanyDomains },
  address: string,
): Promise<void> {
  const company = await app.companyDomains.find(domainOf(address));
  if (company?.is_enforced) throw apiError('ssoRequired', {}, { extra: { provider_id: company.provider_id } });
}
