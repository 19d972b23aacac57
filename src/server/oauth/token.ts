/** The token endpoint (RFC 6749 3.2). */

import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { authenticateClient } from './client-authentication.js';
import { DEVICE_GRANT, MACHINE_GRANT } from './client-fields.js';
import type { ClientTokenResponse, TokenRequest } from './contract.js';
import { redeemDeviceCode } from './device-grant.js';
import { issueMachineToken } from './machine-grant.js';
import { redeemAuthorizationCode } from './redeem-code.js';
import { refreshClientTokens } from './refresh-grant.js';

type Grant = (app: App, request: TokenRequest) => Promise<ClientTokenResponse>;

/** grant_type → function. Each authenticates the client. */
const grants: ReadonlyMap<string, Grant> = new Map([
  ['authorization_code', redeemAuthorizationCode],
  ['refresh_token', refreshClientTokens],
  [MACHINE_GRANT, issueMachineToken],
  [DEVICE_GRANT, redeemDeviceCode],
]);

/** @throws ApiError clientNotProven, grantTypeMissing, grantTypeUnsupported, and those of the grant */
export async function issueClientTokens(app: App, request: TokenRequest): Promise<ClientTokenResponse> {
  const grantType = request.parameters.get('grant_type');
  const grant = grants.get(grantType ?? '');
  const name = grant === undefined ? 'other' : grantType!;
  try {
    const tokens = await (grant ?? refuseGrant)(app, request);
    app.oauthCounts.countGrant(name, null);
    return tokens;
  } catch (error) {
    app.oauthCounts.countGrant(name, error);
    throw error;
  }
}

/** The answer as JSON. Tokens need no escaping, and JSON.stringify takes 2 µs for them. */
export function renderClientTokens(answer: ClientTokenResponse): string {
  const { access_token, token_type, expires_in, refresh_token, id_token, scope } = answer;
  let text = `{"access_token":"${access_token}","token_type":"${token_type}","expires_in":${expires_in}`;
  if (refresh_token !== undefined) text += `,"refresh_token":"${refresh_token}"`;
  if (id_token !== undefined) text += `,"id_token":"${id_token}"`;
  if (scope !== undefined) text += `,"scope":${JSON.stringify(scope)}`;
  return `${text}}`;
}

/** @throws ApiError clientNotProven, grantTypeMissing, grantTypeUnsupported */
async function refuseGrant(app: App, { presented, parameters }: TokenRequest): Promise<never> {
  await authenticateClient(app, presented, false);
  throw apiError(parameters.get('grant_type') === undefined ? 'grantTypeMissing' : 'grantTypeUnsupported');
}
