/** What a session breaks of the policies of the organization that it acts for (docs/organizations.md, Policies). */
import type { SessionFacts, UserRow } from '../../db/user-rows.js';
import { findPolicyBreach, type PolicyError } from '../organizations/rules.js';
import type { App } from '../runtime/app.js';

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Administrators of the installation are not bound. */
export const isBound = ({ config }: Pick<App, 'config'>, { role }: Pick<UserRow, 'role'>): boolean =>
  !config.jwtAdminRoles.includes(role);

/** @returns why the session may not act for the organization that it names; null: it may, or names none */
export function findBreach(
  app: Pick<App, 'config'>,
  user: Readonly<UserRow>,
  { organization, aal, amr }: Pick<SessionFacts, 'organization' | 'aal' | 'amr'>,
): PolicyError | null {
  if (!organization?.policies || !isBound(app, user)) return null;
  return findPolicyBreach(organization.policies, organization.roles, { aal, amr }, nowSeconds());
}
