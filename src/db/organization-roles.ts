/** The statements of sql/queries/organization-roles.sql. */
import type { Statements } from './types.js';

export interface OrganizationRoleRow {
  readonly name: string;
  readonly description: string;
  /** Sorted. */
  readonly permissions: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

export const readOrganizationRoles = (statements: Statements): Promise<OrganizationRoleRow[]> =>
  statements.run<OrganizationRoleRow>('organization-roles.all', []);
