import { json, noContent } from '../http/types.js';
import {
  readOwnPasskeys,
  readPasskeyId,
  readSignal,
  removeOwnPasskey,
  renameOwnPasskey,
} from '../passkeys/own-passkeys.js';
import { assertPasskeysOn } from '../passkeys/passkey-rules.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

const all = { assertOn: assertPasskeysOn, caller: 'user', trailingSlash: true, tag: 'Passkeys' } as const;

export const getPasskeys = defineEndpoint({
  ...all,
  method: 'GET',
  path: '/passkeys',
  secondFactor: 'not asked',
  id: 'listPasskeys',
  summary: 'Lists the passkeys of the user, oldest first.',
  answers: {
    200: { description: 'The passkeys.', body: { type: 'array', items: { $ref: '#/components/schemas/Passkey' } } },
  },
  errors: ['passkeyDisabled', 'sessionNotFound'],
  handler: async (app, { caller }) => json(await readOwnPasskeys(app, caller)),
});

export const getPasskeysSignal = defineEndpoint({
  ...all,
  method: 'GET',
  path: '/passkeys/signal',
  secondFactor: 'not asked',
  id: 'getPasskeySignal',
  summary: 'Returns what tells authenticators which passkeys are still accepted.',
  description: 'The parameters of PublicKeyCredential.signalAllAcceptedCredentials() (WebAuthn Level 3, 5.1.10).',
  answers: ok('PasskeySignal', 'The parameters.'),
  errors: ['passkeyDisabled', 'sessionNotFound'],
  handler: async (app, { caller }) => json(await readSignal(app, caller)),
});

export const patchPasskey = defineEndpoint({
  ...all,
  method: 'PATCH',
  path: '/passkeys/{passkey_id}',
  secondFactor: 'not asked',
  body: fields('friendly_name'),
  id: 'renamePasskey',
  summary: 'Renames a passkey.',
  answers: ok('Passkey', 'The passkey.'),
  errors: ['passkeyDisabled', 'sessionNotFound', 'passkeyNotFound', 'passkeyNameRequired', 'passkeyNameTooLong'],
  async assertCaller(_app, { params }) {
    readPasskeyId(params['passkey_id']!);
  },
  handler: async (app, request) =>
    json(
      await renameOwnPasskey(
        app,
        clientOf(request),
        request.caller,
        request.params.passkey_id,
        request.body.friendly_name ?? '',
      ),
    ),
});

export const deletePasskey = defineEndpoint({
  ...all,
  method: 'DELETE',
  path: '/passkeys/{passkey_id}',
  secondFactor: 'asked',
  id: 'deletePasskey',
  summary: 'Deletes a passkey.',
  answers: { 204: { description: 'Deleted.' } },
  errors: ['passkeyDisabled', 'sessionNotFound', 'passkeyNotFound', 'aalForPasskeys', 'stepUpRequired'],
  async handler(app, request) {
    await removeOwnPasskey(app, clientOf(request), request.caller, request.params.passkey_id);
    return noContent();
  },
});
