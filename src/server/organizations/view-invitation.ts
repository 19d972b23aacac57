/** Objects of invitations in answers. */
import type { InvitationRow, OwnInvitationRow } from '../../db/organization-invitations.js';

/**
 * As members see it: nothing of whether an account has the address.
 * @param acceptable that it still gives its roles, as one does that has just been written
 */
export const viewInvitation = (row: InvitationRow, acceptable = true) => ({
  id: row.id,
  organization_id: row.organization_id,
  email: row.email,
  roles: row.roles,
  invited_by: row.invited_by,
  created_at: row.created_at,
  expires_at: row.expires_at,
  acceptable,
});

/** As the one who is invited sees it. */
export const viewOwnInvitation = (row: OwnInvitationRow) => ({
  ...viewInvitation(row),
  organization: { id: row.organization_id, name: row.name, slug: row.slug, logo_url: row.logo_url },
});
