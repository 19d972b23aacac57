/** Device authorization requests (RFC 8628 3.1, 3.2). */
import { randomBytes, randomUUID } from 'node:crypto';
import { insertDeviceRequest } from '../../db/oauth-devices.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { authenticateClient } from './client-authentication.js';
import { DEVICE_GRANT } from './client-fields.js';
import { hashAuthorizationCode } from './consent.js';
import type { TokenRequest } from './contract.js';
import { devicePage } from './device-address.js';
import { readOrganizationRequest } from './organization-choice.js';
import { answeringErrors, readRequestedResources, readRequestedScopes } from './request-fields.js';
import { formatUserCode, makeUserCode } from './user-code.js';

/** RFC 8628 3.2 */
export interface DeviceAuthorization {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  /** Seconds. */
  readonly expires_in: number;
  /** Seconds between two polls. */
  readonly interval: number;
}

const CODE_BYTES = 32;
/** Two codes of 20^8 are rarely the same. */
const MAX_ATTEMPTS = 5;

/**
 * Stores what a device asks for.
 * @throws ApiError clientNotProven, deviceGrantRefused, authorizationRequestInvalid
 */
export async function beginDeviceAuthorization(
  app: App,
  { client, presented, parameters }: Omit<TokenRequest, 'request'>,
): Promise<DeviceAuthorization> {
  const { config } = app;
  const { client: oauthClient } = await authenticateClient(app, presented, false);
  if (!oauthClient.grant_types.includes(DEVICE_GRANT)) throw apiError('deviceGrantRefused');
  const asked = await answeringErrors(async () => {
    const scoped = readRequestedScopes(app, oauthClient, parameters.get('scope'));
    const named = parameters.get('organization');
    const { askedOrganization } = readOrganizationRequest(config, oauthClient, scoped.scopes, named);
    return { ...scoped, askedOrganization, resources: await readRequestedResources(app, parameters.all('resource')) };
  });
  const deviceCode = randomBytes(CODE_BYTES).toString('base64url');
  const stored = {
    ...asked,
    clientId: oauthClient.id,
    deviceCodeHash: hashAuthorizationCode(deviceCode),
    pollSeconds: config.oauthServerDeviceIntervalSeconds,
    userAgent: client.userAgent,
    ip: client.ip,
  };
  const userCode = await storeUnderFreshCode((code) =>
    insertDeviceRequest(app.db, { ...stored, id: randomUUID(), userCode: code }),
  );
  app.housekeeping.recordFlow();
  const page = devicePage(config, userCode);
  return {
    device_code: deviceCode,
    user_code: formatUserCode(userCode),
    verification_uri: page.url,
    verification_uri_complete: page.complete,
    expires_in: Math.floor(config.oauthServerDeviceCodeTtlSeconds),
    interval: stored.pollSeconds,
  };
}

/** @param store returns false when the code is taken */
async function storeUnderFreshCode(store: (userCode: string) => Promise<boolean>): Promise<string> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const code = makeUserCode();
    if (await store(code)) return code;
  }
  throw new Error(`${MAX_ATTEMPTS} user codes in a row were taken`);
}
