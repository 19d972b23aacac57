/** Schemas of the requests that clients send themselves (built in oauth/device-request.ts, pushed-request.ts). */
import type { JsonSchema } from './contract.js';
import { namedClient, organizationChoice } from './oauth-schema.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });

const pushedRequest: JsonSchema = {
  type: 'object',
  properties: {
    request_uri: text('For /oauth/authorize, once.'),
    expires_in: { type: 'integer', description: 'Seconds until then.' },
  },
  required: ['request_uri', 'expires_in'],
};

const deviceAuthorization: JsonSchema = {
  type: 'object',
  properties: {
    device_code: text('For the token endpoint.'),
    user_code: text('For the user, who types it at verification_uri.'),
    verification_uri: text('The page for it.'),
    verification_uri_complete: text('The same with the code in its field, for a QR code.'),
    expires_in: { type: 'integer', description: 'Lifetime of the codes in seconds.' },
    interval: { type: 'integer', description: 'Least number of seconds between two questions at the token endpoint.' },
  },
  required: ['device_code', 'user_code', 'verification_uri', 'verification_uri_complete', 'expires_in', 'interval'],
};

const oauthDeviceRequest: JsonSchema = {
  type: 'object',
  properties: {
    user_code: text('The code that the device shows.'),
    client: namedClient,
    user: { type: 'object', properties: { id: text('Id of the user.'), email: text('Address of the user.') } },
    scope: text('As the client sent it.'),
    ip: { type: ['string', 'null'], description: 'Address from which the device asked.' },
    user_agent: { type: ['string', 'null'], description: 'What the device says it is.' },
    created_at: time('When it asked.'),
    ...organizationChoice,
  },
  required: ['user_code', 'client', 'user', 'scope', 'ip', 'user_agent', 'created_at'],
};

const oauthDeviceDecision: JsonSchema = {
  type: 'object',
  properties: { status: { enum: ['approved', 'denied'], description: 'What the user has decided.' } },
  required: ['status'],
};

export const oauthRequestSchemas: Readonly<Record<string, JsonSchema>> = {
  PushedRequest: pushedRequest,
  DeviceAuthorization: deviceAuthorization,
  OauthDeviceRequest: oauthDeviceRequest,
  OauthDeviceDecision: oauthDeviceDecision,
};
