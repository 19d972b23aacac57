import { json } from '../http/types.js';
import { assertPasskeysOn } from '../passkeys/passkey-rules.js';
import { assertMayRegister, beginRegistration, finishRegistration } from '../passkeys/register.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok, passkeyVerifyErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';

const both = {
  method: 'POST',
  assertOn: assertPasskeysOn,
  caller: 'user',
  secondFactor: 'asked',
  trailingSlash: true,
  tag: 'Passkeys',
} as const;
const callerErrors = [
  'passkeyDisabled',
  'sessionNotFound',
  'anonymousNotAllowed',
  'ssoPasskeys',
  'aalForPasskeys',
  'stepUpRequired',
  'tooManyPasskeys',
] as const;

export const postPasskeyRegistrationOptions = defineEndpoint({
  ...both,
  path: '/passkeys/registration/options',
  assertCaller: (app, { caller }) => assertMayRegister(app, caller),
  id: 'beginPasskeyRegistration',
  summary: 'Returns what the browser needs to create a passkey.',
  answers: ok('PasskeyCreation', 'The challenge, and the options for navigator.credentials.create().'),
  errors: callerErrors,
  handler: async (app, { caller }) => json(await beginRegistration(app, caller)),
});

export const postPasskeyRegistrationVerify = defineEndpoint({
  ...both,
  path: '/passkeys/registration/verify',
  assertCaller: (app, { caller }) => assertMayRegister(app, caller),
  body: fields('challenge_id', 'credential'),
  id: 'finishPasskeyRegistration',
  summary: 'Registers the passkey that the browser has created.',
  answers: ok('NewPasskey', 'The passkey.'),
  errors: [...callerErrors, ...passkeyVerifyErrors, 'webauthnCredentialExists', 'overloaded'],
  async handler(app, request) {
    const { challenge_id: challengeId, credential } = request.body;
    return json(await finishRegistration(app, clientOf(request), request.caller, { challengeId, credential }));
  },
});
