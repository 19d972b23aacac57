import { type SignInCodeRequest, sendSignInCode, sendSignInLink } from '../codes/sign-in-codes.js';
import { type ApiRequest, json } from '../http/types.js';
import type { App } from '../runtime/app.js';
import { audienceOf, clientOf, redirectOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { METADATA_BODY_BYTES, ok, redirectQuery, sent, signUpErrors } from './shared/docs.js';
import { type BodyOf, fields } from './shared/fields.js';

const body = fields('email', 'phone', 'create_user', 'data', 'channel', 'code_challenge', 'code_challenge_method');

export const postOtp = defineEndpoint({
  method: 'POST',
  path: '/otp',
  caller: 'none',
  maxBodyBytes: METADATA_BODY_BYTES,
  limit: 'otp',
  captcha: true,
  query: redirectQuery,
  body,
  id: 'sendSignInCode',
  tag: 'Sign-in',
  summary: 'Sends a link and a code by mail, or a code by SMS.',
  answers: ok('MessageId', 'Sent, if there is a recipient.'),
  errors: [...signUpErrors, 'tooSoonForSms', 'otpDisabled', 'otpContactMissing', 'phoneInvalid'],
  async handler(app, request) {
    await sendSignInCode(app, clientOf(request), readRequest(app, request));
    return json({});
  },
});

export const postMagiclink = defineEndpoint({
  method: 'POST',
  path: '/magiclink',
  caller: 'none',
  maxBodyBytes: METADATA_BODY_BYTES,
  limit: 'magiclink',
  captcha: true,
  query: redirectQuery,
  body,
  badBody: 'badVerificationParams',
  id: 'sendMagicLink',
  tag: 'Sign-in',
  summary: 'Sends a sign-in link by mail; older name of /otp.',
  answers: sent,
  errors: [...signUpErrors, 'magicLinkDisabled', 'magicLinkEmailRequired'],
  async handler(app, request) {
    await sendSignInLink(app, clientOf(request), readRequest(app, request));
    return json({});
  },
});

function readRequest(app: App, request: ApiRequest<BodyOf<typeof body>>): SignInCodeRequest {
  const { body } = request;
  return {
    email: body.email ?? '',
    phone: body.phone ?? '',
    createUser: body.create_user ?? true,
    data: body.data ?? {},
    channel: body.channel ?? '',
    codeChallenge: body.code_challenge ?? '',
    codeChallengeMethod: body.code_challenge_method ?? '',
    audience: audienceOf(app, request),
    redirectTo: redirectOf(app, request),
  };
}
