import { json } from '../http/types.js';
import { beginDeviceAuthorization } from '../oauth/device-request.js';
import { assertDeviceGrantOn } from '../oauth/switches.js';
import { presentedClient, readTokenParameters } from '../oauth/token-parameters.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

/** RFC 8628 3.1 */
export const postOauthDeviceAuthorization = defineEndpoint({
  method: 'POST',
  path: '/oauth/device_authorization',
  caller: 'none',
  assertOn: assertDeviceGrantOn,
  limit: 'oauth_device',
  form: 'or json',
  oauthErrors: true,
  body: fields(
    ...(['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'] as const),
    ...(['scope', 'resource', 'organization'] as const),
  ),
  id: 'oauthDeviceAuthorization',
  tag: 'OAuth server',
  summary: 'Begins the sign-in of a device, whose user types a code elsewhere (RFC 8628).',
  description: 'The body is a form, or JSON. A client proves who it is as at /oauth/token.',
  answers: ok('DeviceAuthorization', 'The codes, and where the user types one of them.'),
  errors: [
    'oauthServerDisabled',
    'deviceGrantDisabled',
    'clientNotProven',
    'deviceGrantRefused',
    'authorizationRequestInvalid',
  ],
  async handler(app, request) {
    const parameters = readTokenParameters(request);
    const presented = presentedClient(request, parameters);
    return json(await beginDeviceAuthorization(app, { client: clientOf(request), presented, parameters }));
  },
});
