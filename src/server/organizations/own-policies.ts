/** Policies that would shut out the session that sets them are refused: there may be no other session that could take them back. */
import type { Statements } from '../../db/types.js';
import type { OrganizationPolicies } from '../../db/user-rows.js';
import type { FormFault } from '../errors.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { findRefusal } from '../sessions/admission.js';
import type { UserCaller } from '../sessions/caller.js';
import { NO_POLICIES } from './policies.js';
import type { PolicyError } from './rules.js';

const unmet: Readonly<Record<PolicyError, readonly [reason: string, fault: FormFault]>> = {
  organizationRequiresAal2: ['require_aal2: verify a second factor in this session first', 'unmet_factor'],
  organizationRequiresSso: [
    'require_sso: sign in at an identity provider of the organization first, or verify a second factor as an owner',
    'unmet_company',
  ],
  organizationSessionExpired: ['session_hours: sign in again first', 'unmet_hours'],
};

/**
 * @param policies that the organization is about to get; null: they ask for nothing
 * @throws ApiError organizationPolicyUnmet, where the session does not meet them itself
 */
export async function assertMeetsPolicies(
  app: Pick<App, 'config'>,
  statements: Statements,
  organizationId: string,
  caller: Pick<UserCaller, 'user' | 'sessionId'>,
  policies: OrganizationPolicies | null,
): Promise<void> {
  if (policies === null) return;
  const refusal = await findRefusal(app, statements, organizationId, caller, policies);
  if (refusal === null) return;
  const [reason, fault] = unmet[refusal];
  throw apiError('organizationPolicyUnmet', { reason }, { about: { userId: caller.user.id, fault } });
}

/** Which policies the session does not meet, for a page that says so before. */
export async function findUnmetPolicies(
  app: Pick<App, 'config' | 'db'>,
  caller: Pick<UserCaller, 'user' | 'sessionId'>,
  organizationId: string,
): Promise<Readonly<Record<'require_aal2' | 'require_sso', boolean>>> {
  const isUnmet = async (policies: Partial<OrganizationPolicies>): Promise<boolean> =>
    (await findRefusal(app, app.db, organizationId, caller, { ...NO_POLICIES, ...policies })) !== null;
  const [require_aal2, require_sso] = await Promise.all([
    isUnmet({ require_aal2: true }),
    isUnmet({ require_sso: true }),
  ]);
  return { require_aal2, require_sso };
}
