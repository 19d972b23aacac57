import { resend } from '../codes/resend.js';
import { json } from '../http/types.js';
import { audienceOf, clientOf, redirectOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok, redirectQuery, sendErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';

export const postResend = defineEndpoint({
  method: 'POST',
  path: '/resend',
  caller: 'none',
  limit: 'resend',
  captcha: true,
  query: redirectQuery,
  body: fields('type', 'email', 'phone', 'code_challenge', 'code_challenge_method'),
  id: 'resendCode',
  tag: 'Sign-in',
  summary: 'Sends a confirmation or a code again.',
  description: 'An SMS is sent after the answer, so that its duration reveals nothing about accounts.',
  answers: ok('MessageId', 'Sent, if there is a recipient.'),
  errors: [
    ...sendErrors,
    'tooSoonForSms',
    'overSmsQuota',
    'overloaded',
    'resendType',
    'resendContactMissing',
    'resendOneContact',
  ],
  async handler(app, request) {
    const { body } = request;
    return json(
      await resend(app, clientOf(request), {
        type: body.type ?? '',
        email: body.email ?? '',
        phone: body.phone ?? '',
        codeChallenge: body.code_challenge ?? '',
        codeChallengeMethod: body.code_challenge_method ?? '',
        audience: audienceOf(app, request),
        redirectTo: redirectOf(app, request),
      }),
    );
  },
});
