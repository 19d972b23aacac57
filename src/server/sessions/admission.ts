/** Whether the policies of an organization admit a session (docs/organizations.md, Policies). */
import { leaveAtRefresh, readAdmission } from '../../db/active-organization.js';
import type { OwnedSession } from '../../db/sessions.js';
import type { Statements } from '../../db/types.js';
import type { OrganizationPolicies, SessionFacts, UserRow } from '../../db/user-rows.js';
import { apiError } from '../errors.js';
import { findPolicyBreach, type PolicyError } from '../organizations/rules.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from './caller.js';
import { findBreach, isBound, nowSeconds } from './policy-breach.js';

/** Before it is written. @throws ApiError organizationRequiresAal2, organizationRequiresSso, organizationSessionExpired */
export function assertAdmits(
  app: Pick<App, 'config'>,
  user: Readonly<UserRow>,
  session: Pick<SessionFacts, 'organization' | 'aal' | 'amr'>,
): void {
  const breach = findBreach(app, user, session);
  if (breach !== null) throw apiError(breach, {}, { about: { userId: user.id } });
}

/**
 * For the endpoints of an organization that has policies.
 * @throws ApiError organizationNotFound, organizationRequiresAal2, organizationRequiresSso, organizationSessionExpired
 */
export async function assertAdmitted(
  app: Pick<App, 'config'>,
  statements: Statements,
  organizationId: string,
  caller: Pick<UserCaller, 'user' | 'sessionId'>,
): Promise<void> {
  const refusal = await findRefusal(app, statements, organizationId, caller);
  if (refusal !== null) throw apiError(refusal, {}, { about: { userId: caller.user.id } });
}

/**
 * What the policies of an organization refuse a session with. The row of the session counts, as for other guards.
 * @param policies in place of its own, which it may get; null: its own
 * @returns null: nothing
 * @throws ApiError organizationNotFound
 */
export async function findRefusal(
  app: Pick<App, 'config'>,
  statements: Statements,
  organizationId: string,
  { user, sessionId }: Pick<UserCaller, 'user' | 'sessionId'>,
  policies: OrganizationPolicies | null = null,
): Promise<PolicyError | null> {
  if (!isBound(app, user)) return null;
  const found = await readAdmission(statements, organizationId, user.id, sessionId, policies);
  if (found === undefined) throw apiError('organizationNotFound');
  if (found.policies === null) return null;
  // A token without a session proves no more than one that began long ago with a password.
  const facts = { aal: found.aal ?? 'aal1', amr: found.amr ?? [{ method: 'password', timestamp: 0 }] };
  return findPolicyBreach(found.policies, found.roles, facts, nowSeconds());
}

/**
 * At a refresh, before its tokens leave. The session of one that is refused goes on without the organization: the next refresh, with the
 * same token, succeeds.
 * @param tokenGeneration what the session had before this refresh; that of the session where it counted nothing up
 * @throws ApiError organizationRequiresAal2, organizationRequiresSso, organizationSessionExpired
 */
export async function keepAdmitted(
  app: Pick<App, 'config' | 'db'>,
  { user, session, generation }: OwnedSession,
  tokenGeneration: number,
): Promise<void> {
  const breach = findBreach(app, user, session);
  if (breach === null) return;
  const left = { sessionId: session.session_id, userId: user.id, organizationId: session.organization!.id };
  await leaveAtRefresh(app.db, { ...left, generation, tokenGeneration });
  throw apiError(breach, {}, { about: { userId: user.id } });
}
