import { inviteUser } from '../codes/invite.js';
import { json } from '../http/types.js';
import { adminAudienceOf, clientOf, redirectOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { METADATA_BODY_BYTES, ok, text } from './shared/docs.js';
import { fields } from './shared/fields.js';

export const postInvite = defineEndpoint({
  method: 'POST',
  path: '/invite',
  caller: 'admin',
  maxBodyBytes: METADATA_BODY_BYTES,
  query: { redirect_to: text('Redirect target of the link.') },
  body: fields('email', 'data'),
  id: 'adminInviteUser',
  tag: 'Administration',
  summary: 'Creates a user and mails an invitation.',
  answers: ok('User', 'The user.'),
  errors: ['emailExists', 'emailInvalid', 'overEmailQuota', 'accessTokenTooLong'],
  async handler(app, request) {
    return json(
      await inviteUser(app, clientOf(request), {
        email: request.body.email ?? '',
        data: request.body.data ?? {},
        audience: adminAudienceOf(app, request),
        redirectTo: redirectOf(app, request),
        admin: request.caller,
      }),
    );
  },
});
