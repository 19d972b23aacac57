/** Schema of the user object. */
import type { JsonSchema } from './contract.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });
const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
const free = (description: string): JsonSchema => ({ type: 'object', description, additionalProperties: true });
const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description });
const of = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const userProperties = {
  id: uuid('Id of the user.'),
  aud: text('Audience.'),
  role: text('Role in access tokens.'),
  email: text('Email address; empty without one.'),
  email_confirmed_at: time('When the email address was confirmed.'),
  invited_at: time('When an invitation was sent.'),
  phone: text('Phone number without plus; empty without one.'),
  phone_confirmed_at: time('When the phone number was confirmed.'),
  confirmation_sent_at: time('When a confirmation was last sent.'),
  confirmed_at: time('The first of email_confirmed_at and phone_confirmed_at.'),
  recovery_sent_at: time('When a recovery or sign-in link was last sent.'),
  new_email: text('Email address that is not confirmed yet.'),
  email_change_sent_at: time('When the change of email was requested.'),
  new_phone: text('Phone number that is not confirmed yet.'),
  phone_change_sent_at: time('When the change of phone was requested.'),
  reauthentication_sent_at: time('When a nonce was last sent.'),
  last_sign_in_at: time('When the user last signed in.'),
  app_metadata: free('Set by the server and administrators: provider, providers and others.'),
  user_metadata: free('Set by the user.'),
  factors: { type: 'array', items: of('Factor'), description: 'Second factors; absent without any.' },
  identities: { type: 'array', items: of('Identity'), description: 'Linked identities.' },
  created_at: time('When the user was created.'),
  updated_at: time('When the user last changed.'),
  banned_until: time('End of the ban.'),
  deleted_at: time('When the user was soft-deleted.'),
  is_anonymous: flag('Signed up without email and phone.'),
};
export const userRequired = [
  ...['id', 'aud', 'role', 'email', 'phone', 'app_metadata', 'user_metadata', 'identities'],
  ...['created_at', 'updated_at', 'is_anonymous'],
];

export const user: JsonSchema = { type: 'object', properties: userProperties, required: userRequired };
