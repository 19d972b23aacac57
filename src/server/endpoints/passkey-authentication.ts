import { json } from '../http/types.js';
import { assertPasskeysOn } from '../passkeys/passkey-rules.js';
import { beginSignIn, finishSignIn } from '../passkeys/passkey-sign-in.js';
import { renderTokens } from '../sessions/open.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok, passkeyVerifyErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { policyErrors } from './shared/organization-docs.js';

const both = {
  method: 'POST',
  assertOn: assertPasskeysOn,
  caller: 'none',
  trailingSlash: true,
  tag: 'Passkeys',
} as const;

export const postPasskeyAuthenticationOptions = defineEndpoint({
  ...both,
  path: '/passkeys/authentication/options',
  limit: 'passkey',
  captcha: true,
  body: fields('mediation'),
  bodyOptional: true,
  id: 'beginPasskeySignIn',
  summary: 'Returns what the browser needs to sign in with a passkey.',
  answers: ok('PasskeyRequest', 'The challenge, and the options for navigator.credentials.get().'),
  errors: ['passkeyDisabled'],
  handler: (app, { body }) => json(beginSignIn(app, body.mediation === 'conditional')),
});

export const postPasskeyAuthenticationVerify = defineEndpoint({
  ...both,
  path: '/passkeys/authentication/verify',
  takesTrustedDevice: true,
  body: fields('challenge_id', 'credential', 'organization_id'),
  id: 'finishPasskeySignIn',
  summary: 'Signs in with a passkey.',
  answers: ok('TokenResponse', 'Signed in.'),
  errors: [
    'passkeyDisabled',
    ...passkeyVerifyErrors,
    'passkeyEmailNotConfirmed',
    'passkeyPhoneNotConfirmed',
    'userBanned',
    'accessTokenTooLong',
    'notAMember',
    ...policyErrors,
    'overloaded',
  ],
  async handler(app, request) {
    const { challenge_id: challengeId, credential } = request.body;
    const answer = await finishSignIn(app, clientOf(request), { challengeId, credential });
    return { status: 200, json: renderTokens(answer) };
  },
});
