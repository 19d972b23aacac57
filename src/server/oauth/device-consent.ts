/** A user decides what a device may do (RFC 8628 3.3). The endpoints and the hosted page share these rules. */
import { type DeviceRequest, findDeviceRequest } from '../../db/oauth-devices.js';
import { type ApiError, apiError } from '../errors.js';
import type { ApiRequest } from '../http/types.js';
import type { App } from '../runtime/app.js';
import type { ConsentAction } from './consent.js';
import { approveRequest, type ConsentCaller, denyRequest, ownerOf } from './decide-request.js';
import { chooseOrganization, type OrganizationChoice, readOrganizationChoice } from './organization-choice.js';
import { readUserCode } from './user-code.js';

/** The request of the person, for limits and the audit log. */
export type DeviceVisit = Pick<ApiRequest, 'id' | 'headerValues' | 'socketAddress'>;

/**
 * What a device asks for. A remembered consent does not answer, since somebody else may have begun the request (RFC 8628
 * 5.4). Wrong codes are counted by client and by account.
 * @param code as typed
 * @throws ApiError userCodeWrong, authorizationDecided, overRequestRate, sessionNotFound
 */
export async function readDeviceRequest(
  app: App,
  request: DeviceVisit,
  caller: ConsentCaller,
  code: string,
): Promise<DeviceRequest> {
  const { userId } = ownerOf(caller);
  const userCode = readUserCode(code);
  if (userCode === null) throw apiError('userCodeWrong');
  // Counted before the look-up, so that concurrent tries do not exceed the limit.
  const giveBack = await app.limits.takeGuess('oauth_user_code', request, userId);
  const found = await findDeviceRequest(app.db, userCode, app.config.oauthServerDeviceCodeTtlSeconds);
  const fault = found === undefined ? apiError('userCodeWrong') : findFault(found, userId);
  if (fault?.entry === 'userCodeWrong') throw fault;
  await giveBack();
  if (fault !== null) throw fault;
  return found!;
}

/** What a device asks for, and for which organization. */
export interface OpenedDevice extends DeviceRequest {
  readonly choice: OrganizationChoice;
}

/**
 * The same, where the user may approve it.
 * @param code as typed
 * @throws ApiError those of {@link readDeviceRequest}; notAMember
 */
export async function openDeviceRequest(
  app: App,
  visit: DeviceVisit,
  caller: ConsentCaller,
  code: string,
): Promise<OpenedDevice> {
  const found = await readDeviceRequest(app, visit, caller, code);
  return { ...found, choice: await readOrganizationChoice(app, found.request, found.client, caller.user.id) };
}

/** @param code as typed. @returns what this user has decided about a device before; null: nothing */
export async function findDeviceDecision(
  app: App,
  { user }: ConsentCaller,
  code: string,
): Promise<ConsentAction | null> {
  const userCode = readUserCode(code) ?? '';
  const found = await findDeviceRequest(app.db, userCode, app.config.oauthServerDeviceCodeTtlSeconds);
  if (found === undefined || found.request.status === 'pending' || found.request.user_id !== user.id) return null;
  return found.request.status === 'denied' ? 'deny' : 'approve';
}

/** Nobody learns that a code was right which another user has used. */
function findFault({ request }: DeviceRequest, userId: string): ApiError | null {
  if (request.status === 'pending') return null;
  return apiError(request.user_id === userId ? 'authorizationDecided' : 'userCodeWrong');
}

/**
 * @param code as typed
 * @param organizationId that the user has chosen; undefined: none
 * @throws ApiError those of {@link readDeviceRequest}; of an approval aalForConsent, stepUpRequired, notAMember,
 *   organizationChoiceMissing
 */
export async function decideDeviceRequest(
  app: App,
  visit: DeviceVisit,
  caller: ConsentCaller,
  code: string,
  action: ConsentAction,
  organizationId?: string,
): Promise<void> {
  const { request, client } = await readDeviceRequest(app, visit, caller, code);
  const decided = { id: request.id, userCode: request.user_code };
  const ttlSeconds = app.config.oauthServerDeviceCodeTtlSeconds;
  const target =
    action === 'deny'
      ? await denyRequest(app, visit.id, caller, { request: decided, ttlSeconds })
      : await approveRequest(app, visit.id, caller, {
          request: {
            ...decided,
            organizationId: await chooseOrganization(app, request, client, caller.user.id, organizationId),
          },
          ttlSeconds,
          codeHash: null,
        });
  if (target === undefined) throw apiError('authorizationDecided');
}
