import { assertFactorCaller } from '../factors/own-factor.js';
import {
  deleteRecoveryCodes,
  generateRecoveryCodes,
  readRecoveryCodes,
  regenerateRecoveryCodes,
  requireRecoveryEnrolment,
} from '../factors/recovery-codes.js';
import { verifyRecoveryCode } from '../factors/recovery-verify.js';
import { json } from '../http/types.js';
import { renderTokens } from '../sessions/open.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

const callerErrors = ['sessionNotFound', 'anonymousNotAllowed'] as const;
const guardErrors = [...callerErrors, 'aalForRecoveryCodes', 'stepUpRequired'] as const;

export const getRecoveryCodes = defineEndpoint({
  method: 'GET',
  path: '/factors/recovery-codes',
  trailingSlash: true,
  caller: 'user',
  callerMayBePending: true,
  assertCaller: assertFactorCaller,
  secondFactor: 'not asked',
  id: 'getRecoveryCodes',
  tag: 'Second factors',
  summary: 'Counts the recovery codes that are left.',
  answers: ok('RecoveryCodes', 'How many there are.'),
  errors: [...callerErrors, 'recoveryCodesMissing'],
  handler: async (app, request) => json(await readRecoveryCodes(app, request.caller)),
});

export const postRecoveryCodes = defineEndpoint({
  method: 'POST',
  path: '/factors/recovery-codes',
  trailingSlash: true,
  caller: 'user',
  callerMayBePending: true,
  assertCaller: async (app, { caller }) => requireRecoveryEnrolment(app, caller),
  secondFactor: 'asked',
  body: fields('friendly_name'),
  bodyOptional: true,
  id: 'generateRecoveryCodes',
  tag: 'Second factors',
  summary: 'Generates recovery codes, which are shown once.',
  answers: ok('GeneratedRecoveryCodes', 'The codes.'),
  errors: [
    ...guardErrors,
    'recoveryEnrolmentOff',
    'recoveryCodesExist',
    'factorNameTaken',
    'tooManyFactors',
    'recoveryCodesAlone',
  ],
  async handler(app, request) {
    const { friendly_name = '' } = request.body;
    return json(await generateRecoveryCodes(app, clientOf(request), request.caller, friendly_name));
  },
});

export const postRecoveryCodesRegenerate = defineEndpoint({
  method: 'POST',
  path: '/factors/recovery-codes/regenerate',
  trailingSlash: true,
  caller: 'user',
  callerMayBePending: true,
  assertCaller: assertFactorCaller,
  secondFactor: 'asked',
  id: 'regenerateRecoveryCodes',
  tag: 'Second factors',
  summary: 'Replaces all recovery codes.',
  answers: ok('GeneratedRecoveryCodes', 'The new codes.'),
  errors: [...guardErrors, 'recoveryEnrolmentOff', 'recoveryCodesMissing'],
  handler: async (app, request) => json(await regenerateRecoveryCodes(app, clientOf(request), request.caller)),
});

export const postRecoveryCodesVerify = defineEndpoint({
  method: 'POST',
  path: '/factors/recovery-codes/verify',
  trailingSlash: true,
  caller: 'user',
  callerMayBeLimited: true,
  callerMayBePending: true,
  assertCaller: assertFactorCaller,
  secondFactor: 'not asked',
  limit: 'factor_verify',
  body: fields('code'),
  id: 'verifyRecoveryCode',
  tag: 'Second factors',
  summary: 'Spends a recovery code, which raises the session to AAL2.',
  answers: ok('TokenResponse', 'Tokens of the raised session.'),
  errors: [
    ...callerErrors,
    'recoveryVerificationOff',
    'factorCodeEmpty',
    'recoveryCodeWrong',
    'recoveryCodesLocked',
    'factorAttemptRejected',
  ],
  async handler(app, request) {
    const tokens = await verifyRecoveryCode(app, clientOf(request), request.caller, request.body.code ?? '');
    return { status: 200, json: renderTokens(tokens) };
  },
});

export const deleteRecoveryCodesEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/factors/recovery-codes',
  trailingSlash: true,
  caller: 'user',
  callerMayBePending: true,
  assertCaller: assertFactorCaller,
  secondFactor: 'asked',
  id: 'deleteRecoveryCodes',
  tag: 'Second factors',
  summary: 'Deletes the recovery codes.',
  answers: ok('FactorId', 'Deleted.'),
  errors: [...guardErrors, 'recoveryCodesMissing'],
  handler: async (app, request) => json(await deleteRecoveryCodes(app, clientOf(request), request.caller)),
});
