/** Who may call the endpoints of factors, and which factor a request means. */
import type { FactorSummary } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import { assertNotAnonymous, requireSession } from '../accounts/access-change.js';
import { apiError } from '../errors.js';
import type { UserCaller } from '../sessions/caller.js';
import { type EnrolledKind, isEnrolledKind } from './kinds.js';

/** A caller with a session that existed at authentication. */
export type FactorCaller = UserCaller & { readonly sessionId: string };

/**
 * @throws ApiError sessionNotFound, also for a token without a session: factors raise sessions; anonymousNotAllowed
 */
export function requireFactorCaller(caller: UserCaller): asserts caller is FactorCaller {
  requireSession(caller);
  assertNotAnonymous(caller);
}

export type OwnFactor = FactorSummary & { readonly kind: EnrolledKind };

/**
 * Finds a factor of the caller; of others it finds none.
 * @throws ApiError factorIdNotUuid, factorNotFound, recoveryCodesElsewhere
 */
export function findOwnFactor({ user }: UserCaller, factorId: string): OwnFactor {
  const id = readUuid(factorId);
  if (id === null) throw apiError('factorIdNotUuid');
  const factor = user.factors?.find((one) => one.id === id);
  if (factor === undefined) throw apiError('factorNotFound');
  const { kind } = factor;
  if (!isEnrolledKind(kind)) throw apiError('recoveryCodesElsewhere');
  return { ...factor, kind };
}

/**
 * For the endpoints of one factor, which look it up before they read the body.
 * @throws ApiError those of requireFactorCaller() and findOwnFactor()
 */
export async function assertOwnFactor(
  _app: unknown,
  { caller, params }: { readonly caller: UserCaller; readonly params: Readonly<Record<string, string>> },
): Promise<void> {
  requireFactorCaller(caller);
  findOwnFactor(caller, params['factor_id'] ?? '');
}

/** For the endpoints of a user's factors. @throws ApiError those of requireFactorCaller() */
export async function assertFactorCaller(_app: unknown, { caller }: { readonly caller: UserCaller }): Promise<void> {
  requireFactorCaller(caller);
}
