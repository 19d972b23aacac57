import { readPasskeysOf, removePasskeyAsAdmin } from '../admin/passkeys.js';
import { json, noContent } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { userErrors } from './shared/docs.js';

const both = { caller: 'admin', trailingSlash: true, tag: 'Administration' } as const;

export const getAdminUserPasskeys = defineEndpoint({
  ...both,
  method: 'GET',
  path: '/admin/users/{user_id}/passkeys',
  id: 'adminListPasskeys',
  summary: 'Lists the passkeys of a user, oldest first.',
  answers: {
    200: { description: 'The passkeys.', body: { type: 'array', items: { $ref: '#/components/schemas/Passkey' } } },
  },
  errors: userErrors,
  handler: async (app, { params }) => json(await readPasskeysOf(app, params.user_id)),
});

export const deleteAdminUserPasskey = defineEndpoint({
  ...both,
  method: 'DELETE',
  path: '/admin/users/{user_id}/passkeys/{passkey_id}',
  id: 'adminDeletePasskey',
  summary: 'Deletes a passkey of a user.',
  answers: { 204: { description: 'Deleted.' } },
  errors: [...userErrors, 'passkeyNotFound'],
  async handler(app, { id, caller, params }) {
    await removePasskeyAsAdmin(app, id, caller, params.user_id, params.passkey_id);
    return noContent();
  },
});
