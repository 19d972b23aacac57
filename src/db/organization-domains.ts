/** The statements of sql/queries/organization-domains.sql. */
import type { Database, Statements } from './types.js';

export interface OrganizationDomainRow {
  readonly domain: string;
  /** The secret part of the TXT record. */
  readonly proof: string;
  readonly created_at: string;
  /** Null: the record was not seen. */
  readonly verified_at: string | null;
  /** Who has proven an address of it joins at the next sign-in. */
  readonly auto_join: boolean;
  /** Of those who join so. Sorted. */
  readonly roles: readonly string[];
}

/** Who joins by a domain. */
export type DomainJoins = Pick<OrganizationDomainRow, 'auto_join' | 'roles'>;

export const listOrganizationDomains = (
  statements: Statements,
  organizationId: string,
): Promise<OrganizationDomainRow[]> =>
  statements.run<OrganizationDomainRow>('organization-domains.all', [organizationId]);

export async function findOrganizationDomain(
  statements: Statements,
  organizationId: string,
  domain: string,
): Promise<OrganizationDomainRow | undefined> {
  return (await statements.run<OrganizationDomainRow>('organization-domains.by_name', [organizationId, domain]))[0];
}

export interface VouchedAddress {
  /** Lower case. */
  readonly email: string;
  /** Lower case. */
  readonly domain: string;
  /** All that the provider gives. */
  readonly roles: readonly string[];
  /** Of the identity. */
  readonly provider: string;
  readonly subject: string;
}

/** Whether a provider of an organization vouches for an address. */
export async function isVouchedFor(
  statements: Statements,
  organizationId: string,
  { email, domain, roles, provider, subject }: VouchedAddress,
): Promise<boolean> {
  const values = [organizationId, domain, email, roles, provider, subject];
  return (await statements.run<{ is_vouched_for: boolean }>('organization-domains.is_vouched_for', values))[0]!
    .is_vouched_for;
}

/** @returns undefined: the organization has it already, or as many as it may have */
export async function insertOrganizationDomain(
  statements: Statements,
  organizationId: string,
  domain: string,
  { auto_join, roles }: DomainJoins,
  limit: number,
): Promise<OrganizationDomainRow | undefined> {
  const values = [organizationId, domain, limit, auto_join, roles];
  return (await statements.run<OrganizationDomainRow>('organization-domains.insert', values))[0];
}

/** Call it with the organization locked. @returns undefined: there is no such domain */
export async function changeOrganizationDomain(
  statements: Statements,
  organizationId: string,
  domain: string,
  { auto_join, roles }: DomainJoins,
  audit: readonly object[],
): Promise<OrganizationDomainRow | undefined> {
  const values = [organizationId, domain, auto_join, roles, JSON.stringify(audit)];
  return (await statements.run<OrganizationDomainRow>('organization-domains.change', values))[0];
}

export type VerifiedDomainRow = OrganizationDomainRow & { readonly is_new: boolean };

/**
 * @param proof that was seen; null: an administrator vouches for the domain
 * @returns undefined: the domain was removed, or added anew, in the meantime
 * @throws a unique violation (23505) when another organization has it
 */
export async function verifyOrganizationDomain(
  statements: Statements,
  organizationId: string,
  { domain, proof }: { readonly domain: string; readonly proof: string | null },
  audit: readonly object[],
): Promise<VerifiedDomainRow | undefined> {
  const values = [organizationId, domain, proof, JSON.stringify(audit)];
  return (await statements.run<VerifiedDomainRow>('organization-domains.verify', values))[0];
}

/** @returns undefined: it was not verified */
export async function unverifyOrganizationDomain(
  statements: Statements,
  organizationId: string,
  domain: string,
  audit: readonly object[],
): Promise<OrganizationDomainRow | undefined> {
  const values = [organizationId, domain, JSON.stringify(audit)];
  return (await statements.run<OrganizationDomainRow>('organization-domains.unverify', values))[0];
}

/** @param audit written where the domain was verified. @returns whether it was; undefined: there is no such domain */
export async function removeOrganizationDomain(
  statements: Statements,
  organizationId: string,
  domain: string,
  audit: readonly object[],
): Promise<boolean | undefined> {
  const values = [organizationId, domain, JSON.stringify(audit)];
  return (await statements.run<{ was_verified: boolean }>('organization-domains.delete', values))[0]?.was_verified;
}

/** Domains by which users join. */
export async function listJoinDomains(db: Database, limit: number): Promise<readonly string[]> {
  const rows = await db.run<{ domain: string }>('organization-domains.all_joining', [limit]);
  return rows.map(({ domain }) => domain);
}

/** By which organization a user may be joined. */
export interface JoinDomainRow extends Pick<OrganizationDomainRow, 'domain' | 'roles'> {
  readonly organization_id: string;
  /** The user has proven an address of the domain. */
  readonly is_proven: boolean;
}

/** @returns undefined: none, the user is a member, or has been one */
export async function findJoinDomain(
  statements: Statements,
  domain: string,
  userId: string,
): Promise<JoinDomainRow | undefined> {
  return (await statements.run<JoinDomainRow>('organization-domains.joining', [domain, userId]))[0];
}

export interface DueOrganizationDomain extends Pick<OrganizationDomainRow, 'domain' | 'proof'> {
  readonly organization_id: string;
  readonly seen_at: string;
}

/** Verified domains that this process is to look at. @param days after which, and while their record is missing */
export const claimDueOrganizationDomains = (
  db: Database,
  days: { readonly again: number; readonly whileMissing: number },
  most: number,
): Promise<DueOrganizationDomain[]> =>
  db.run<DueOrganizationDomain>('organization-domains.claim_due', [days.again, days.whileMissing, most]);

export async function noteOrganizationDomainSeen(
  db: Database,
  { organization_id, domain, proof }: DueOrganizationDomain,
): Promise<void> {
  await db.run('organization-domains.note_seen', [organization_id, domain, proof]);
}

/** Call it with the organization locked. @returns whether it counts no more: its record was not seen for these days */
export async function loseOrganizationDomain(
  statements: Statements,
  { organization_id, domain, proof }: DueOrganizationDomain,
  days: number,
  audit: readonly object[],
): Promise<boolean> {
  const values = [organization_id, domain, proof, days, JSON.stringify(audit)];
  return (await statements.run('organization-domains.lose', values)).length === 1;
}
