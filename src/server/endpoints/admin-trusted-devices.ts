import { adminActor } from '../accounts/audit.js';
import { readUser } from '../admin/change-user.js';
import { findDevice, listDevices, removeDevices } from '../factors/trust.js';
import { json, noContent } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { ok, userErrors } from './shared/docs.js';

const errors = [...userErrors, 'trustedDeviceNotFound'] as const;
const removed = { 204: { description: 'Removed.' } };

export const getAdminTrustedDevices = defineEndpoint({
  method: 'GET',
  path: '/admin/users/{user_id}/trusted-devices',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminListTrustedDevices',
  tag: 'Administration',
  summary: 'Lists the trusted devices of a user.',
  answers: {
    200: {
      description: 'The devices, oldest first.',
      body: { type: 'array', items: { $ref: '#/components/schemas/TrustedDevice' } },
    },
  },
  errors: userErrors,
  async handler(app, request) {
    const { id } = await readUser(app, request.params.user_id);
    return json(await listDevices(app, id));
  },
});

export const getAdminTrustedDevice = defineEndpoint({
  method: 'GET',
  path: '/admin/users/{user_id}/trusted-devices/{device_id}',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminGetTrustedDevice',
  tag: 'Administration',
  summary: 'Returns a trusted device of a user.',
  answers: ok('TrustedDevice', 'The device.'),
  errors,
  async handler(app, request) {
    const { id } = await readUser(app, request.params.user_id);
    return json(await findDevice(app, id, request.params.device_id));
  },
});

export const deleteAdminTrustedDevices = defineEndpoint({
  method: 'DELETE',
  path: '/admin/users/{user_id}/trusted-devices',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminRemoveTrustedDevices',
  tag: 'Administration',
  summary: 'Ends the trust in all devices of a user.',
  answers: removed,
  errors: userErrors,
  async handler(app, request) {
    const { id } = await readUser(app, request.params.user_id);
    await removeDevices(app, request.id, adminActor(request.caller), id, null);
    return noContent();
  },
});

export const deleteAdminTrustedDevice = defineEndpoint({
  method: 'DELETE',
  path: '/admin/users/{user_id}/trusted-devices/{device_id}',
  trailingSlash: true,
  caller: 'admin',
  id: 'adminRemoveTrustedDevice',
  tag: 'Administration',
  summary: 'Ends the trust in a device of a user.',
  answers: removed,
  errors,
  async handler(app, request) {
    const { id } = await readUser(app, request.params.user_id);
    await removeDevices(app, request.id, adminActor(request.caller), id, request.params.device_id);
    return noContent();
  },
});
