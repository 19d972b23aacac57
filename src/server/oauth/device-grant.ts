/** The grant of devices (RFC 8628 3.4, 3.5). */
import { pollDeviceRequest } from '../../db/oauth-devices.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { authenticateClient } from './client-authentication.js';
import { DEVICE_GRANT } from './client-fields.js';
import { assertGrantOf } from './client-sessions.js';
import { hashAuthorizationCode } from './consent.js';
import type { ClientTokenResponse, TokenRequest } from './contract.js';
import { readProvenKey } from './proven-key.js';
import { explainRefusedCode, issueByCode } from './redeem-code.js';

/**
 * @throws ApiError clientNotProven, grantTypeUnsupported, deviceCodeMissing, deviceCodeInvalid, devicePending,
 *   devicePollsTooFast, deviceDenied, deviceCodeExpired, clientCodeUserBanned, organizationNotServed, and those of the key and of the hook
 *   custom_access_token
 */
export async function redeemDeviceCode(
  app: App,
  { client, presented, parameters, request }: TokenRequest,
): Promise<ClientTokenResponse> {
  // A device asks every few seconds, so its client is simply read again.
  const { client: oauthClient } = await authenticateClient(app, presented, false);
  if (!app.config.oauthServerDeviceGrantEnabled) throw apiError('grantTypeUnsupported');
  assertGrantOf(oauthClient, DEVICE_GRANT);
  const given = parameters.get('device_code');
  if (given === undefined) throw apiError('deviceCodeMissing');
  const jkt = await readProvenKey(app, request, oauthClient);
  const ttl = app.config.oauthServerDeviceCodeTtlSeconds;
  const codeHash = hashAuthorizationCode(given);
  const poll = await pollDeviceRequest(app.db, codeHash, oauthClient.id, ttl);
  if (poll === undefined) throw apiError('deviceCodeInvalid');
  if (poll.status === 'denied') throw apiError('deviceDenied');
  if (poll.is_expired && poll.status !== 'redeemed') throw apiError('deviceCodeExpired');
  if (poll.status === 'pending') throw apiError(poll.is_early ? 'devicePollsTooFast' : 'devicePending');
  const code = {
    codeHash,
    redirectUri: null,
    codeVerifier: null,
    verifierHash: null,
    resources: null,
    isOfDevice: true,
    jkt,
  };
  const issued = poll.status === 'approved' ? await issueByCode(app, client, oauthClient, code) : undefined;
  if (issued !== undefined) return issued;
  const refusal = await explainRefusedCode(app, client, oauthClient, code);
  const { entry } = refusal;
  throw entry === 'clientCodeUserBanned' || entry === 'organizationNotServed' ? refusal : apiError('deviceCodeInvalid');
}
