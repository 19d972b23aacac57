/** Keeps in memory by which domains users join organizations, so that sign-ins of other addresses read nothing. */
import { lookAgain } from '../../batching/look-again.js';
import { listJoinDomains } from '../../db/organization-domains.js';
import type { Database } from '../../db/types.js';

export interface JoinDomains {
  /** Whether users may join an organization by an address of the domain: the database decides. @param domain lower case */
  mayHave(domain: string): boolean;
  /** Looks now: this thread has changed them. */
  look(): Promise<void>;
  close(): void;
}

/** A change is followed within 5 s. */
const LOOK_MS = 3500;
/** More are not kept: then any domain may be one. */
const MAX_KEPT = 1000;

/** Until the first look has succeeded, any domain may be one. */
export function followJoinDomains(db: Database): JoinDomains {
  let known: ReadonlySet<string> | null = null;
  let begun = 0;
  let adopted = 0;

  async function look(): Promise<void> {
    begun += 1;
    const turn = begun;
    // What was known may be old where the database cannot be asked; others say so.
    const domains = await listJoinDomains(db, MAX_KEPT + 1).catch(() => null);
    // A later look has ended before.
    if (turn < adopted) return;
    adopted = turn;
    known = domains === null || domains.length > MAX_KEPT ? null : new Set(domains);
  }

  const looks = lookAgain(look, () => LOOK_MS, 0);
  return { mayHave: (domain) => known === null || known.has(domain), look, close: looks.close };
}
