/** The statements of sql/queries/sso-domains.sql. */
import type { Database } from './types.js';

/** @returns the secret part of the record of a domain; undefined: the provider does not have it */
export async function readDomainProof(db: Database, providerId: string, domain: string): Promise<string | undefined> {
  return (await db.run<{ proof: string }>('sso-domains.proof', [providerId, domain]))[0]?.proof;
}

export interface SeenProof {
  readonly providerId: string;
  readonly domain: string;
  readonly proof: string;
}

/** @returns false when the domain was removed or added anew in the meantime */
export async function verifyDomain(
  db: Database,
  { providerId, domain, proof }: SeenProof,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('sso-domains.verify', [providerId, domain, proof, JSON.stringify(audit)])).length === 1;
}

export interface DueDomain {
  readonly domain: string;
  readonly provider_id: string;
  readonly proof: string;
  readonly seen_at: string;
}

/** Verified domains that this process is to look at. @param days after which, and while their record is missing */
export const claimDueDomains = (
  db: Database,
  days: { readonly again: number; readonly whileMissing: number },
  most: number,
): Promise<DueDomain[]> => db.run<DueDomain>('sso-domains.claim_due', [days.again, days.whileMissing, most]);

export async function noteDomainSeen(db: Database, { domain, proof }: DueDomain): Promise<void> {
  await db.run('sso-domains.note_seen', [domain, proof]);
}

/** @returns whether it counts no more: its record was not seen for these days */
export async function loseDomain(
  db: Database,
  { domain, proof }: DueDomain,
  days: number,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('sso-domains.lose', [domain, proof, days, JSON.stringify(audit)])).length === 1;
}
