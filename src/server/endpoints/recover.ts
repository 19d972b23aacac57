import { sendRecovery } from '../codes/recover.js';
import { json } from '../http/types.js';
import { audienceOf, clientOf, redirectOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { pkceErrors, redirectQuery, sendErrors, sent } from './shared/docs.js';
import { fields } from './shared/fields.js';

export const postRecover = defineEndpoint({
  method: 'POST',
  path: '/recover',
  caller: 'none',
  limit: 'recover',
  captcha: true,
  query: redirectQuery,
  body: fields('email', 'code_challenge', 'code_challenge_method'),
  id: 'recoverPassword',
  tag: 'Sign-in',
  summary: 'Mails a link that signs in, to set a new password.',
  answers: sent,
  errors: [...sendErrors, ...pkceErrors, 'recoveryEmailRequired'],
  async handler(app, request) {
    await sendRecovery(app, clientOf(request), {
      email: request.body.email ?? '',
      codeChallenge: request.body.code_challenge ?? '',
      codeChallengeMethod: request.body.code_challenge_method ?? '',
      audience: audienceOf(app, request),
      redirectTo: redirectOf(app, request),
    });
    return json({});
  },
});
