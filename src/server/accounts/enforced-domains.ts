/** Companies whose people sign in there only: addresses of their domains have no password, code or link here. */
import { listEnforcedDomains } from '../../db/sso-providers.js';
import type { Database } from '../../db/types.js';
import { apiError } from '../errors.js';

/** How old what is known may be. A change by another process counts after that time. */
const FRESH_MS = 3000;

export interface EnforcedDomains {
  /** @param domain lower case. @returns id of the provider; undefined: its addresses sign in here as others do */
  find(domain: string): Promise<string | undefined>;
}

/** With sign-in at companies off nothing is read, and nothing is enforced. */
export const NO_ENFORCED_DOMAINS: EnforcedDomains = { find: async () => undefined };

/**
 * Reads all of them, since they are few, once in some seconds in which one is asked for.
 * @param isProofNeeded only domains that are verified count
 * @param nowMs for tests
 */
export function openEnforcedDomains(
  db: Database,
  isProofNeeded: boolean,
  nowMs = () => performance.now(),
): EnforcedDomains {
  let known: Promise<ReadonlyMap<string, string>> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<ReadonlyMap<string, string>> =>
    new Map((await listEnforcedDomains(db, isProofNeeded)).map(({ domain, provider_id }) => [domain, provider_id]));
  return {
    async find(domain) {
      if (known === undefined || nowMs() - readAtMs > FRESH_MS) {
        readAtMs = nowMs();
        known = read();
        // The next request asks again.
        known.catch(() => {
          known = undefined;
        });
      }
      return (await known).get(domain);
    },
  };
}

/**
 * Call it before any look-up, for every address alike, so that the answer says nothing about accounts.
 * @param address as normaliseEmail() or spellEmail() returns it
 * @throws ApiError ssoRequired
 */
export async function assertSignsInHere(
  app: { readonly enforcedDomains: EnforcedDomains },
  address: string,
): Promise<void> {
  const providerId = await app.enforcedDomains.find(address.slice(address.lastIndexOf('@') + 1));
  if (providerId !== undefined) throw apiError('ssoRequired', {}, { extra: { provider_id: providerId } });
}
