/** The statements of sql/queries/organization-domains.sql. */
import type { Statements } from './types.js';

export interface OrganizationDomainRow {
  readonly domain: string;
  /** The secret part of the TXT record. */
  readonly proof: string;
  readonly created_at: string;
  /** Null: the record was not seen. */
  readonly verified_at: string | null;
}

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

/** @param domain lower case */
export async function hasVerifiedDomain(
  statements: Statements,
  organizationId: string,
  domain: string,
): Promise<boolean> {
  const rows = await statements.run<{ is_verified: boolean }>('organization-domains.is_verified', [
    organizationId,
    domain,
  ]);
  return rows[0]!.is_verified;
}

/** @returns undefined: the organization has it already, or as many as it may have */
export async function insertOrganizationDomain(
  statements: Statements,
  organizationId: string,
  domain: string,
  limit: number,
): Promise<OrganizationDomainRow | undefined> {
  const values = [organizationId, domain, limit];
  return (await statements.run<OrganizationDomainRow>('organization-domains.insert', values))[0];
}

export type VerifiedDomainRow = OrganizationDomainRow & { readonly is_new: boolean };

/** @returns undefined: the domain was removed, or added anew, in the meantime */
export async function verifyOrganizationDomain(
  statements: Statements,
  organizationId: string,
  { domain, proof }: Pick<OrganizationDomainRow, 'domain' | 'proof'>,
  audit: readonly object[],
): Promise<VerifiedDomainRow | undefined> {
  const values = [organizationId, domain, proof, JSON.stringify(audit)];
  return (await statements.run<VerifiedDomainRow>('organization-domains.verify', values))[0];
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
