/** Objects of organizations and members in answers. */
import type { MemberRow } from '../../db/organization-members.js';
import type { OrganizationRow } from '../../db/organizations.js';
import { viewPolicies } from './policies.js';

export const viewOrganization = (row: OrganizationRow): Record<string, unknown> => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  logo_url: row.logo_url,
  metadata: row.metadata,
  policies: viewPolicies(row.policies),
  domains: row.domains ?? [],
  created_at: row.created_at,
  updated_at: row.updated_at,
});

/** A member as the other members see it. */
export function viewMember({ user_id: id, email, phone, user_metadata: metadata, roles, joined_at, via }: MemberRow) {
  const text = (...keys: readonly string[]): string | null => {
    const found = keys.map((key) => metadata[key]).find((value) => typeof value === 'string' && value !== '');
    return (found as string | undefined) ?? null;
  };
  const user = { id, email, phone, name: text('name', 'full_name'), avatar_url: text('avatar_url', 'picture') };
  return { user, roles, joined_at, via };
}
