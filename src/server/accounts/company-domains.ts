/** Domains of companies whose people sign in at an identity provider of theirs, and which of them only there. */
import { findOpenidProviderOf, hasOpenidDomain } from '../../db/custom-providers.js';
import { type CompanyDomain, listCompanyDomains } from '../../db/sso-providers.js';
import type { Database } from '../../db/types.js';
import { apiError } from '../errors.js';
import { domainOf } from './addresses.js';

/** How old what is known may be. A change by another process counts after that time. */
const FRESH_MS = 3000;

/** Where the people of a domain sign in. */
export type Company = Pick<CompanyDomain, 'provider_id' | 'is_enforced'>;

export interface CompanyDomains {
  /** @param domain lower case. @returns undefined: its addresses sign in here as others do, or at a provider of OpenID Connect */
  find(domain: string): Promise<Company | undefined>;
  /** @param domain lower case. @returns identifier of the provider of OpenID Connect of the organization that has verified it */
  findOpenid(domain: string): Promise<string | undefined>;
  /** Whether there is any of either kind. */
  hasAny(): Promise<boolean>;
}

export interface CompanyKinds {
  readonly hasSaml: boolean;
  /** Of organizations. */
  readonly hasOpenid: boolean;
  /** Only domains that are verified count with SAML. */
  readonly isProofNeeded: boolean;
}

/**
 * Reads all of SAML, since they are few, once in some seconds in which one is asked for. Nothing is read of a kind that is off, and
 * then nothing is enforced.
 * @param nowMs for tests
 */
export function openCompanyDomains(
  db: Database,
  { hasSaml, hasOpenid, isProofNeeded }: CompanyKinds,
  nowMs = () => performance.now(),
): CompanyDomains {
  const readSaml = keepFresh(
    async (): Promise<ReadonlyMap<string, Company>> =>
      new Map((await listCompanyDomains(db, isProofNeeded)).map((row) => [row.domain, row])),
    nowMs,
  );
  const readOpenid = keepFresh(() => hasOpenidDomain(db), nowMs);
  return {
    find: async (domain) => (hasSaml ? (await readSaml()).get(domain) : undefined),
    async findOpenid(domain) {
      if (!hasOpenid || !(await readOpenid())) return undefined;
      const found = await findOpenidProviderOf(db, { domain });
      return found?.is_enabled ? found.identifier : undefined;
    },
    hasAny: async () => (hasSaml && (await readSaml()).size > 0) || (hasOpenid && (await readOpenid())),
  };
}

/** Reads again when what is known is too old. */
function keepFresh<Value>(read: () => Promise<Value>, nowMs: () => number): () => Promise<Value> {
  let known: Promise<Value> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (known === undefined || nowMs() - readAtMs > FRESH_MS) {
      readAtMs = nowMs();
      known = read();
      // The next request asks again.
      known.catch(() => {
        known = undefined;
      });
    }
    return known;
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
