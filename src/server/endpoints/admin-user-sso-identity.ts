import { linkSsoIdentity } from '../admin/link-sso-identity.js';
import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { ok, userErrors } from './shared/docs.js';
import { fields } from './shared/fields.js';

export const postAdminUserSsoIdentity = defineEndpoint({
  method: 'POST',
  path: '/admin/users/{user_id}/sso_identity',
  trailingSlash: true,
  caller: 'admin',
  body: fields('provider_id', 'subject'),
  id: 'adminLinkSsoIdentity',
  tag: 'Administration',
  summary: 'Lets a person of a company sign in to an account that exists.',
  description: 'Without it, people of companies have accounts of their own, also where the address is the same.',
  answers: ok('User', 'The user, with the identity.'),
  errors: [
    ...userErrors,
    'ssoIdentityProviderNotFound',
    'ssoFieldInvalid',
    'identityAlreadyLinked',
    'identityOfOtherUser',
  ],
  handler: async (app, { id, caller, params, body }) =>
    json(
      await linkSsoIdentity(app, id, caller, params.user_id, {
        providerId: body.provider_id ?? '',
        subject: body.subject ?? '',
      }),
    ),
});
