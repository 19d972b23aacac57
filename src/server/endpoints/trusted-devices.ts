import { listOwnDevices, readOwnDevice, removeOwnDevices } from '../factors/trust.js';
import { json, noContent } from '../http/types.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';

const callerErrors = ['sessionNotFound', 'anonymousNotAllowed'] as const;
const guardErrors = [...callerErrors, 'aalForAccess', 'stepUpRequired'] as const;
const removed = { 204: { description: 'Removed.' } };

export const getTrustedDevices = defineEndpoint({
  method: 'GET',
  path: '/trusted-devices',
  trailingSlash: true,
  caller: 'user',
  secondFactor: 'not asked',
  id: 'listTrustedDevices',
  tag: 'Second factors',
  summary: 'Lists the trusted devices.',
  answers: {
    200: {
      description: 'The devices, oldest first.',
      body: { type: 'array', items: { $ref: '#/components/schemas/TrustedDevice' } },
    },
  },
  errors: callerErrors,
  handler: async (app, request) => json(await listOwnDevices(app, request.caller)),
});

export const getTrustedDevice = defineEndpoint({
  method: 'GET',
  path: '/trusted-devices/{device_id}',
  trailingSlash: true,
  caller: 'user',
  secondFactor: 'not asked',
  id: 'getTrustedDevice',
  tag: 'Second factors',
  summary: 'Returns a trusted device.',
  answers: ok('TrustedDevice', 'The device.'),
  errors: [...callerErrors, 'trustedDeviceNotFound'],
  handler: async (app, request) => json(await readOwnDevice(app, request.caller, request.params.device_id)),
});

export const deleteTrustedDevicesEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/trusted-devices',
  trailingSlash: true,
  caller: 'user',
  secondFactor: 'asked',
  id: 'removeTrustedDevices',
  tag: 'Second factors',
  summary: 'Ends the trust in all devices.',
  answers: removed,
  errors: guardErrors,
  async handler(app, request) {
    await removeOwnDevices(app, clientOf(request), request.caller, null);
    return noContent();
  },
});

export const deleteTrustedDevice = defineEndpoint({
  method: 'DELETE',
  path: '/trusted-devices/{device_id}',
  trailingSlash: true,
  caller: 'user',
  secondFactor: 'asked',
  id: 'removeTrustedDevice',
  tag: 'Second factors',
  summary: 'Ends the trust in a device.',
  answers: removed,
  errors: [...guardErrors, 'trustedDeviceNotFound'],
  async handler(app, request) {
    await removeOwnDevices(app, clientOf(request), request.caller, request.params.device_id);
    return noContent();
  },
});
