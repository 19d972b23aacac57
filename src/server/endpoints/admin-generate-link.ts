import { generateLink } from '../codes/generate-link.js';
import { json } from '../http/types.js';
import { adminAudienceOf, clientOf, redirectOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { METADATA_BODY_BYTES, ok, text } from './shared/docs.js';
import { fields } from './shared/fields.js';

export const postAdminGenerateLink = defineEndpoint({
  method: 'POST',
  path: '/admin/generate_link',
  trailingSlash: true,
  caller: 'admin',
  maxBodyBytes: METADATA_BODY_BYTES,
  query: { redirect_to: text('Redirect target of the link, unless the body has one.') },
  body: fields('type', 'email', 'new_email', 'password', 'data', 'redirect_to'),
  id: 'adminGenerateLink',
  tag: 'Administration',
  summary: 'Creates a link and a code without sending them.',
  answers: ok('GeneratedLink', 'The user, and what the mail would contain.'),
  errors: [
    ...['emailExists', 'emailInvalid', 'ssoRequired', 'weakPassword', 'linkTypeInvalid', 'linkUserNotFound'],
    'accessTokenTooLong',
  ] as const,
  async handler(app, request) {
    const { body } = request;
    return json(
      await generateLink(app, clientOf(request), request.caller, {
        type: body.type ?? '',
        email: body.email ?? '',
        newEmail: body.new_email ?? '',
        password: body.password ?? '',
        data: body.data ?? {},
        audience: adminAudienceOf(app, request),
        redirectTo: redirectOf(app, request, body.redirect_to),
      }),
    );
  },
});
