import { apiError } from '../errors.js';
import { type ApiRequest, json } from '../http/types.js';
import { decideAuthorization, readAuthorization } from '../oauth/consent.js';
import { assertConsentOrigin } from '../oauth/consent-origin.js';
import { viewAuthorization } from '../oauth/consent-view.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import type { App } from '../runtime/app.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

const one = {
  path: '/oauth/authorizations/{authorization_id}',
  caller: 'user',
  assertOn: assertOauthServerOn,
  assertCaller: async (app: App, request: ApiRequest) => assertConsentOrigin(app, request.header('origin')),
  tag: 'OAuth server',
} as const;

export const getOauthAuthorization = defineEndpoint({
  ...one,
  method: 'GET',
  changesOnGet: true,
  secondFactor: 'not asked',
  id: 'getOauthAuthorization',
  summary: 'Returns what a client asks of the user.',
  answers: ok('OauthAuthorization', 'The request, or where to send the browser if the user has allowed it before.'),
  errors: [
    'oauthServerDisabled',
    'originRefused',
    'authorizationNotFound',
    'authorizationNotOpen',
    'loginTooOld',
    'aalForConsent',
    'notAMember',
    'clientTokenRefused',
  ],
  async handler(app, { id, caller, params }) {
    const authorization = await readAuthorization(app, id, caller, params.authorization_id);
    return authorization.redirectUrl === undefined
      ? json(viewAuthorization(authorization.asked, authorization.choice, caller.user))
      : json({ redirect_url: authorization.redirectUrl });
  },
});

export const postOauthConsent = defineEndpoint({
  ...one,
  method: 'POST',
  path: '/oauth/authorizations/{authorization_id}/consent',
  body: fields('action', 'organization_id'),
  secondFactor: 'asked',
  id: 'decideOauthAuthorization',
  summary: 'Approves or denies what a client asks.',
  answers: ok('OauthRedirect', 'Where to send the browser: to the client.'),
  errors: [
    'oauthServerDisabled',
    'originRefused',
    'consentActionInvalid',
    'authorizationNotFound',
    'authorizationDecided',
    'aalForConsent',
    'stepUpRequired',
    'notAMember',
    'organizationChoiceMissing',
    'clientTokenRefused',
  ],
  async handler(app, { id, caller, params, body }) {
    const { action, organization_id: organizationId } = body;
    if (action !== 'approve' && action !== 'deny') throw apiError('consentActionInvalid');
    const { authorization_id: authorizationId } = params;
    const target = await decideAuthorization(app, id, caller, authorizationId, action, organizationId);
    return json({ redirect_url: target });
  },
});
