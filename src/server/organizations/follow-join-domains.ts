/** Keeps in memory by which domains users join organizations, so that sign-ins of other addresses read nothing. */
import { lookAgain } from '../../batching/look-again.js';
import { lookInTurn } from '../../batching/look-in-turn.js';
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
  const look = lookInTurn(
    // What was known may be old where the database cannot be asked; others say so.
    () => listJoinDomains(db, MAX_KEPT + 1).catch(() => null),
    (domains) => {
      known = domains === null || domains.length > MAX_KEPT ? null : new Set(domains);
    },
  );

  const looks = lookAgain(look, () => LOOK_MS, 0);
  return { mayHave: (domain) => known === null || known.has(domain), look, close: looks.close };
}
