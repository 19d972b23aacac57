/** Schemas of passkeys (built in passkeys/). */
import type { JsonSchema } from './contract.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });

const members = {
  id: uuid('Id of the passkey.'),
  friendly_name: text('Its name: that of the authenticator, until the user changes it.'),
  created_at: time('When it was registered.'),
};

export const newPasskey: JsonSchema = { type: 'object', properties: members, required: Object.keys(members) };

export const passkey: JsonSchema = {
  type: 'object',
  properties: { ...members, last_used_at: time('Its last sign-in; absent before the first one.') },
  required: Object.keys(members),
};

const ceremony = (options: string): JsonSchema => ({
  type: 'object',
  properties: {
    challenge_id: uuid('Goes into the verification.'),
    options: { type: 'object', description: options },
    expires_at: { type: 'integer', description: 'End of the challenge, seconds since the epoch.' },
  },
  required: ['challenge_id', 'options', 'expires_at'],
});

export const passkeyCreation = ceremony('PublicKeyCredentialCreationOptionsJSON of WebAuthn Level 3.');
export const passkeyRequest = ceremony('PublicKeyCredentialRequestOptionsJSON of WebAuthn Level 3.');

export const passkeySignal: JsonSchema = {
  type: 'object',
  properties: {
    rpId: text('Relying party ID.'),
    userId: text('User handle, base64url.'),
    allAcceptedCredentialIds: {
      type: 'array',
      items: { type: 'string' },
      description: 'Ids of the credentials that still sign in, base64url.',
    },
  },
  required: ['rpId', 'userId', 'allAcceptedCredentialIds'],
};
