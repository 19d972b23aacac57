import { challengeFactor } from '../factors/challenge-factor.js';
import { enrolFactor } from '../factors/enrol.js';
import { assertFactorCaller, assertOwnFactor, findOwnFactor } from '../factors/own-factor.js';
import { unenrolFactor } from '../factors/unenrol.js';
import { verifyChallenge } from '../factors/verify-factor.js';
import { json } from '../http/types.js';
import { renderTokens } from '../sessions/open.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

const callerErrors = ['sessionNotFound', 'anonymousNotAllowed'] as const;
const factorErrors = [...callerErrors, 'factorIdNotUuid', 'factorNotFound', 'recoveryCodesElsewhere'] as const;
const verificationOff = ['totpVerificationOff', 'phoneVerificationOff', 'webauthnVerificationOff'] as const;

export const postFactors = defineEndpoint({
  method: 'POST',
  path: '/factors',
  trailingSlash: true,
  caller: 'user',
  callerMayBePending: true,
  assertCaller: assertFactorCaller,
  secondFactor: 'asked',
  body: fields('factor_type', 'friendly_name', 'issuer', 'phone'),
  id: 'enrollFactor',
  tag: 'Second factors',
  summary: 'Enrols a second factor; a first verification of it makes it count.',
  answers: ok('EnrolledFactor', 'The factor, with its secret.'),
  errors: [
    ...callerErrors,
    'factorTypeUnknown',
    'totpEnrolmentOff',
    'phoneEnrolmentOff',
    'webauthnEnrolmentOff',
    'issuerTooLong',
    'factorPhoneRequired',
    'phoneInvalid',
    'factorPhoneTaken',
    'factorNameTaken',
    'tooManyFactors',
    'aalForEnrolment',
    'stepUpRequired',
  ],
  async handler(app, request) {
    const { factor_type = '', friendly_name = '', issuer = '', phone = '' } = request.body;
    const wanted = { factorType: factor_type, friendlyName: friendly_name, issuer, phone };
    return json(await enrolFactor(app, clientOf(request), request.caller, wanted));
  },
});

export const postFactorChallenge = defineEndpoint({
  method: 'POST',
  path: '/factors/{factor_id}/challenge',
  trailingSlash: true,
  caller: 'user',
  callerMayBeLimited: true,
  callerMayBePending: true,
  assertCaller: assertOwnFactor,
  secondFactor: 'asked',
  limit: 'factor_challenge',
  body: fields('channel'),
  bodyOptional: true,
  // Only of a phone factor does it say something; clients of supabase/auth may send anything for an authenticator app.
  ignoresBody: ({ caller, params }) => findOwnFactor(caller, params['factor_id'] ?? '').kind === 'totp',
  id: 'challengeFactor',
  tag: 'Second factors',
  summary: 'Opens a challenge of a factor. To a phone factor it sends a code.',
  answers: ok('FactorChallenge', 'The challenge.'),
  errors: [
    ...factorErrors,
    ...verificationOff,
    'aalForEnrolment',
    'invalidChannel',
    'tooSoonForSms',
    'smsProviderMissing',
    'factorTextFailed',
    'factorTextHookFailed',
  ],
  async handler(app, request) {
    const { channel = '' } = request.body;
    return json(await challengeFactor(app, clientOf(request), request.caller, request.params.factor_id, channel));
  },
});

export const postFactorVerify = defineEndpoint({
  method: 'POST',
  path: '/factors/{factor_id}/verify',
  trailingSlash: true,
  caller: 'user',
  callerMayBeLimited: true,
  callerMayBePending: true,
  assertCaller: assertOwnFactor,
  secondFactor: 'asked',
  limit: 'factor_verify',
  body: fields('challenge_id', 'code', 'webauthn', 'trust_device'),
  id: 'verifyFactor',
  tag: 'Second factors',
  summary: 'Answers a challenge, which raises the session to AAL2.',
  answers: ok('TokenResponse', 'Tokens of the raised session.'),
  errors: [
    ...factorErrors,
    ...verificationOff,
    'challengeIdNotUuid',
    'factorCodeEmpty',
    'challengeNotFound',
    'challengeUsed',
    'challengeExpired',
    'challengeAddress',
    'factorThrottled',
    'totpCodeWrong',
    'phoneCodeWrong',
    'factorAttemptRejected',
    'webauthnConfigRequired',
    'webauthnTypeInvalid',
    'webauthnResponseRequired',
    'factorResponseUnreadable',
    'factorResponseFalse',
    'factorCredentialTaken',
    'aalForEnrolment',
  ],
  async handler(app, request) {
    const { challenge_id = '', code = '', webauthn, trust_device } = request.body;
    const trustedName = trust_device === undefined ? null : (trust_device.name ?? '');
    const answer = { challengeId: challenge_id, code, webauthn, trustedName };
    const tokens = await verifyChallenge(app, clientOf(request), request.caller, request.params.factor_id, answer);
    return { status: 200, json: renderTokens(tokens) };
  },
});

export const deleteFactor = defineEndpoint({
  method: 'DELETE',
  path: '/factors/{factor_id}',
  trailingSlash: true,
  caller: 'user',
  callerMayBePending: true,
  assertCaller: assertOwnFactor,
  secondFactor: 'asked',
  id: 'unenrollFactor',
  tag: 'Second factors',
  summary: 'Removes a factor.',
  answers: ok('FactorId', 'Removed.'),
  errors: [...factorErrors, 'aalForUnenrolment', 'stepUpRequired', 'soleRecoveryCodes'],
  handler: async (app, request) =>
    json(await unenrolFactor(app, clientOf(request), request.caller, request.params.factor_id)),
});
