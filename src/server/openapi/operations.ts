/** One entry a route. A route without one fails the house tests. */
import type { RefusalName } from '../errors.js';
import { adminOperations } from './admin-operations.js';
import type { OperationDoc } from './contract.js';
import { ok, pkce, query, redirect, redirectTo } from './parts.js';
import { providerOperations } from './provider-operations.js';

const emptyAnswer = ok('Empty', 'Sent, if it was to be; the answer does not tell.');

const sending: readonly RefusalName[] = ['tooSoonForEmail', 'overEmailQuota', 'emailInvalid', 'smsSendFailed'];
/** Metadata comes with them. */
const carrying: readonly RefusalName[] = [...sending, ...pkce, 'accessTokenTooLong'];
const texting: readonly RefusalName[] = ['tooSoonForSms', 'overSmsQuota', 'overloaded'];
/** An ID token with link_identity asks for a caller, and may find that the identity is somebody's. */
const ofLinking: readonly RefusalName[] = [
  'noAuthorization',
  'badJwt',
  'missingSubject',
  'subjectNotUuid',
  'subjectNotFound',
  'sessionNotFound',
  'userBanned',
  'manualLinkingDisabled',
  'identityAlreadyLinked',
  'identityOfOtherUser',
  'linkedEmailExists',
  'linkedEmailNotConfirmed',
];

export const operations: Readonly<Record<string, OperationDoc>> = {
  'POST /signup': {
    id: 'signUp',
    tag: 'Sign-in',
    summary: 'Makes an account: by email, by phone, or with neither as an anonymous person.',
    query: [redirectTo],
    answers: ok('UserOrTokens', 'The account; signed in where nothing is left to confirm.'),
    refusals: [
      ...carrying,
      'signupDisabled',
      'emailSignupDisabled',
      'phoneSignupDisabled',
      'anonymousDisabled',
      'passwordRequired',
      'weakPassword',
      'emailAlreadyRegistered',
      'phoneAlreadyRegistered',
      'oneContactOnSignup',
      'overloaded',
    ],
  },
  'POST /token': {
    id: 'issueTokens',
    tag: 'Sign-in',
    summary: 'Gives tokens for a password, a refresh token, a code or an ID token.',
    query: [
      {
        ...query('grant_type', 'What is given for them.', { enum: ['password', 'refresh_token', 'pkce', 'id_token'] }),
        isRequired: true,
      },
    ],
    answers: ok('TokenResponse', 'Signed in.'),
    refusals: [
      'unsupportedGrantType',
      'invalidLogin',
      'emailNotConfirmed',
      'phoneNotConfirmed',
      'loginBanned',
      'signInThrottled',
      'refreshTokenNotFound',
      'refreshTokenAlreadyUsed',
      'sessionExpired',
      'flowStateNotFound',
      'flowStateExpired',
      'badCodeVerifier',
      'accessTokenTooLong',
      'emailLoginDisabled',
      'idTokenProviderDisabled',
      ...ofLinking,
      'overloaded',
    ],
  },
  'POST /otp': {
    id: 'sendSignInCode',
    tag: 'Sign-in',
    summary: 'Sends a link and a code by mail, or a code by text.',
    query: [redirectTo],
    answers: ok('MessageId', 'Sent, if it was to be.'),
    refusals: [...carrying, 'tooSoonForSms', 'otpDisabled', 'otpContactMissing', 'phoneInvalid'],
  },
  'POST /magiclink': {
    id: 'sendMagicLink',
    tag: 'Sign-in',
    summary: 'Sends a sign-in link by mail; /otp under its older name.',
    query: [redirectTo],
    answers: emptyAnswer,
    refusals: [...carrying, 'magicLinkDisabled', 'magicLinkEmailRequired'],
  },
  'POST /recover': {
    id: 'recoverPassword',
    tag: 'Sign-in',
    summary: 'Mails a link that signs in, so that a new password can be set.',
    query: [redirectTo],
    answers: emptyAnswer,
    refusals: [...sending, ...pkce, 'recoveryEmailRequired'],
  },
  'POST /resend': {
    id: 'resendCode',
    tag: 'Sign-in',
    summary: 'Sends a confirmation or a code again.',
    query: [redirectTo],
    description: 'A text leaves after the answer, so that the gateway tells nothing about accounts.',
    answers: ok('MessageId', 'Sent, if it was to be.'),
    refusals: [...sending, ...texting, 'resendType', 'resendContactMissing', 'resendOneContact'],
  },
  'POST /verify': {
    id: 'verifyCode',
    tag: 'Sign-in',
    summary: 'Redeems a code with its address, or the token of a link.',
    answers: {
      200: {
        description: 'Signed in; or, of a change of address that needs both, what to do next.',
        body: { anyOf: [{ $ref: '#/components/schemas/TokenResponse' }, { $ref: '#/components/schemas/Message' }] },
      },
    },
    refusals: [
      'codeInvalid',
      'linkInvalid',
      'verifyTypeRequired',
      'verifyTokenRequired',
      'verifyPasswordRequired',
      'accessTokenTooLong',
      'weakPassword',
    ],
  },
  'GET /verify': {
    id: 'followLink',
    tag: 'Sign-in',
    summary: 'Where links in mails lead: redeems and goes on to the application.',
    query: [
      query('token', 'The token of the link.'),
      query('token_hash', 'The same under its newer name.'),
      query('type', 'What is verified.'),
      redirectTo,
    ],
    answers: {
      200: {
        description: 'A page with a button, where links must not act by themselves.',
        body: { type: 'string' },
        contentType: 'text/html',
      },
      303: redirect(
        'To the application: tokens in the fragment, a code (PKCE), or error, error_code and error_description.',
      ),
    },
  },
  'POST /verify/confirm': {
    id: 'confirmLink',
    tag: 'Sign-in',
    summary: 'What the button of that page does.',
    description: 'Takes a form with token, type and redirect_to.',
    answers: { 303: redirect('As GET /verify.') },
  },
  'GET /reauthenticate': {
    id: 'sendNonce',
    tag: 'Account',
    summary: 'Sends the nonce that a change of password may ask for.',
    answers: ok('MessageId', 'Sent.'),
    refusals: [
      'tooSoonForEmail',
      'overEmailQuota',
      'smsSendFailed',
      'reauthenticationContact',
      'reauthenticationEmail',
      'reauthenticationPhone',
    ],
  },
  'GET /user': {
    id: 'getUser',
    tag: 'Account',
    summary: 'The account of the caller.',
    answers: ok('User', 'The account.'),
  },
  'PUT /user': {
    id: 'updateUser',
    tag: 'Account',
    summary: 'Changes the account of the caller; addresses and numbers once they are confirmed.',
    query: [redirectTo],
    answers: ok('User', 'The account after the change.'),
    refusals: [
      ...carrying,
      'weakPassword',
      'samePassword',
      'reauthenticationNeeded',
      'reauthenticationNotValid',
      'emailExists',
      'phoneExists',
      'anonymousPassword',
      'appMetadataNotAdmin',
      'ssoUserManaged',
      'overloaded',
    ],
  },
  'POST /logout': {
    id: 'signOut',
    tag: 'Account',
    summary: 'Ends sessions. Access tokens stay valid until they expire.',
    query: [query('scope', 'Which sessions end.', { enum: ['global', 'local', 'others'], default: 'global' })],
    answers: { 204: { description: 'Signed out.' } },
    refusals: ['unsupportedLogoutScope'],
  },
  'GET /settings': {
    id: 'getSettings',
    tag: 'Server',
    summary: 'What a client may offer.',
    answers: ok('Settings', 'The public settings.'),
  },
  'GET /.well-known/jwks.json': {
    id: 'getKeys',
    tag: 'Server',
    summary: 'The public keys that verify access tokens.',
    answers: ok('JsonWebKeySet', 'The keys.'),
  },
  'GET /openapi.json': {
    id: 'getOpenApi',
    tag: 'Server',
    summary: 'This document.',
    answers: { 200: { description: 'OpenAPI 3.1.', body: { type: 'object' } } },
  },
  'GET /health': {
    id: 'getHealth',
    tag: 'Server',
    summary: 'The server runs; asks nobody else.',
    description: 'With the token of an operator it says its version.',
    answers: ok('Health', 'It runs.'),
  },
  'GET /health/ready': {
    id: 'getReadiness',
    tag: 'Server',
    summary: 'The server may be given traffic.',
    description: 'With the token of an operator it says why not.',
    answers: { ...ok('Readiness', 'Yes.'), 503: { description: 'No.', body: 'Readiness' } },
  },
  ...providerOperations,
  ...adminOperations,
};
