import { signUp } from '../accounts/sign-up.js';
import { json } from '../http/types.js';
import { audienceOf, clientOf, redirectOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { METADATA_BODY_BYTES, ok, redirectQuery, signUpErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';

export const postSignup = defineEndpoint({
  method: 'POST',
  path: '/signup',
  trailingSlash: true,
  caller: 'none',
  maxBodyBytes: METADATA_BODY_BYTES,
  // Anonymous sign-ins have a limit of their own, also while they are disabled.
  limit: ({ body: { email, phone } }) => (email || phone ? 'signup' : 'anonymous'),
  captcha: true,
  query: redirectQuery,
  body: fields('email', 'phone', 'password', 'data', 'channel', 'code_challenge', 'code_challenge_method'),
  id: 'signUp',
  tag: 'Sign-in',
  summary: 'Creates a user: by email, by phone, or anonymously without either.',
  answers: ok('UserOrTokens', 'The user; tokens if no confirmation is needed.'),
  errors: [
    ...signUpErrors,
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
  async handler(app, request) {
    const { body } = request;
    return json(
      await signUp(app, clientOf(request), {
        email: body.email ?? '',
        phone: body.phone ?? '',
        password: body.password ?? '',
        data: body.data ?? {},
        channel: body.channel ?? '',
        codeChallenge: body.code_challenge ?? '',
        codeChallengeMethod: body.code_challenge_method ?? '',
        audience: audienceOf(app, request),
        redirectTo: redirectOf(app, request),
      }),
    );
  },
});
