/** TXT records of the DNS (RFC 1035 3.3.14), by the resolvers of the system or those of AUTH_DNS_SERVERS. */
import { Resolver } from 'node:dns/promises';
import type { Config } from '../config/settings.js';

/** Of one look-up, over all resolvers and tries. */
const TOTAL_MS = 5000;
const TRY_MS = 1500;

/** A fault: the DNS could not be asked, which says nothing about the name. */
export type TxtAnswer = { readonly texts: readonly string[] } | { readonly fault: string };

export interface TxtLookup {
  /** Never throws. @param name of the records */
  read(name: string): Promise<TxtAnswer>;
}

/** The name is not there, or has no such record (c-ares). */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

const faults: Readonly<Record<string, string>> = {
  ETIMEOUT: 'no resolver answered in time',
  ECANCELLED: 'no resolver answered in time',
  ECONNREFUSED: 'no resolver can be reached',
  ESERVFAIL: 'the resolver could not find out (SERVFAIL)',
  EREFUSED: 'the resolver refused',
};

/** @param totalMs for tests */
export const openTxtLookup = ({ dnsServers }: Pick<Config, 'dnsServers'>, totalMs = TOTAL_MS): TxtLookup => ({
  async read(name) {
    // One for each look-up: the end of its time ends no other.
    const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
    if (dnsServers.length > 0) resolver.setServers([...dnsServers]);
    const timer = setTimeout(() => resolver.cancel(), totalMs);
    try {
      const records = await resolver.resolveTxt(name);
      return { texts: records.map((parts) => parts.join('')) };
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      return ABSENT.has(code) ? { texts: [] } : { fault: faults[code] ?? `the look-up failed (${code})` };
    } finally {
      clearTimeout(timer);
    }
  },
});
