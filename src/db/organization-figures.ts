/** The statements of sql/queries/organization-figures.sql. */
import type { Statements } from './types.js';

export interface OrganizationCounts {
  readonly organizations: number;
  readonly members: number;
  /** Invitations that can be accepted. */
  readonly pending: number;
}

/** @param most are counted; beyond that the numbers are estimates, and pending is this number */
export async function countOrganizations(statements: Statements, most: number): Promise<OrganizationCounts> {
  return (await statements.run<OrganizationCounts>('organization-figures.counts', [most]))[0]!;
}
