/** The decision of a user about a request, of a browser or a device: one rule for both. */
import { withLockedUser } from '../../db/account-locks.js';
import {
  type AnswerTarget,
  approveAuthorization,
  type DecidedRequest,
  denyAuthorization,
} from '../../db/oauth-authorizations.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { readAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';

/** The user and the session that decide. */
export type ConsentCaller = Pick<UserCaller, 'user' | 'sessionId' | 'claims'>;

export interface Decision<Request = Pick<DecidedRequest, 'id' | 'userCode'>> {
  readonly request: Request;
  /** How long such a request waits for its user. */
  readonly ttlSeconds: number;
}

/**
 * A user with a verified second factor approves at AAL2 only.
 * @param requestId for the audit log
 * @param decision the hash of the code is null where the device has its code already
 * @returns undefined when the request cannot be approved, for any reason
 * @throws ApiError aalForConsent, stepUpRequired, sessionNotFound
 */
export async function approveRequest(
  app: App,
  requestId: string,
  caller: ConsentCaller,
  { request, ttlSeconds, codeHash }: Decision<DecidedRequest> & { readonly codeHash: string | null },
): Promise<AnswerTarget | undefined> {
  const owner = ownerOf(caller);
  const served = request.organizationId === null ? {} : { organization_id: request.organizationId };
  const entryOf = (traits: object) =>
    auditEntry(caller.user, 'oauth_authorized', { authorization_id: request.id, ...served, ...traits });
  const audit = storedAudit(app, [entryOf({})]);
  const target = await withLockedUser(app.db, owner.userId, async (statements) => {
    await readAssurance(app, statements, caller, 'aalForConsent');
    return approveAuthorization(statements, request, owner, ttlSeconds, codeHash, audit);
  });
  if (target !== undefined) logAudit(app, requestId, [entryOf({ client_id: target.client_id })]);
  return target;
}

/**
 * @param requestId for the audit log
 * @returns undefined when the request cannot be denied, for any reason
 * @throws ApiError sessionNotFound
 */
export async function denyRequest(
  app: App,
  requestId: string,
  caller: ConsentCaller,
  { request, ttlSeconds }: Decision,
): Promise<AnswerTarget | undefined> {
  const { userId } = ownerOf(caller);
  const entryOf = (traits: object) =>
    auditEntry(caller.user, 'oauth_denied', { authorization_id: request.id, ...traits });
  const target = await denyAuthorization(app.db, request, userId, ttlSeconds, storedAudit(app, [entryOf({})]));
  if (target !== undefined) logAudit(app, requestId, [entryOf({ client_id: target.client_id })]);
  return target;
}

/** @throws ApiError sessionNotFound for a token that an administrator has signed */
export function ownerOf({ user, sessionId }: ConsentCaller): { userId: string; sessionId: string } {
  if (sessionId === null) throw apiError('sessionNotFound');
  return { userId: user.id, sessionId };
}
