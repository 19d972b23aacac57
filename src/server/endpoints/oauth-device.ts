import { apiError } from '../errors.js';
import { type ApiRequest, json } from '../http/types.js';
import { assertConsentOrigin } from '../oauth/consent-origin.js';
import { viewDeviceRequest } from '../oauth/consent-view.js';
import { decideDeviceRequest, openDeviceRequest } from '../oauth/device-consent.js';
import { assertDeviceGrantOn } from '../oauth/switches.js';
import type { App } from '../runtime/app.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

const one = {
  path: '/oauth/device/{user_code}',
  caller: 'user',
  assertOn: assertDeviceGrantOn,
  assertCaller: async (app: App, request: ApiRequest) => assertConsentOrigin(app, request.header('origin')),
  tag: 'OAuth server',
} as const;
const findErrors = [
  ...(['oauthServerDisabled', 'deviceGrantDisabled', 'originRefused', 'clientTokenRefused'] as const),
  ...(['userCodeWrong', 'authorizationDecided', 'overRequestRate', 'notAMember'] as const),
] as const;

export const getOauthDevice = defineEndpoint({
  ...one,
  method: 'GET',
  secondFactor: 'not asked',
  id: 'getOauthDevice',
  summary: 'Returns what a device asks of the user, by the code that it shows.',
  answers: ok('OauthDeviceRequest', 'The request.'),
  errors: findErrors,
  async handler(app, request) {
    const { caller, params } = request;
    const found = await openDeviceRequest(app, request, caller, params.user_code);
    return json(viewDeviceRequest(found, caller.user));
  },
});

export const postOauthDeviceConsent = defineEndpoint({
  ...one,
  method: 'POST',
  path: '/oauth/device/{user_code}/consent',
  body: fields('action', 'organization_id'),
  secondFactor: 'asked',
  id: 'decideOauthDevice',
  summary: 'Approves or denies what a device asks.',
  answers: ok('OauthDeviceDecision', 'The decision, which the device learns when it asks again.'),
  errors: [...findErrors, 'consentActionInvalid', 'aalForConsent', 'stepUpRequired', 'organizationChoiceMissing'],
  async handler(app, request) {
    const { caller, params, body } = request;
    const { action, organization_id: organizationId } = body;
    if (action !== 'approve' && action !== 'deny') throw apiError('consentActionInvalid');
    await decideDeviceRequest(app, request, caller, params.user_code, action, organizationId);
    return json({ status: action === 'approve' ? 'approved' : 'denied' });
  },
});
