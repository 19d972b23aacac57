/** What answers are made of (accounts/user-view.ts, accounts/sessions.ts, errors.ts make the real ones). */
import { providerNames } from '../config/settings.js';
import { catalogue } from '../errors.js';
import type { JsonSchema } from './contract.js';

/** Keys of /settings.external that every installation has (routes/settings.ts); providers of its own come on top. */
const WAYS_TO_SIGN_IN: readonly string[] = [
  ...['anonymous_users', 'email', 'phone'],
  ...providerNames,
  ...['fly', 'kakao', 'linkedin_oidc', 'slack_oidc', 'zoom'],
];

const text = (description: string): JsonSchema => ({ type: 'string', description });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });
const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
const free = (description: string): JsonSchema => ({ type: 'object', description, additionalProperties: true });
const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description });
const of = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const userProperties = {
  id: uuid('The account.'),
  aud: text('Audience it belongs to.'),
  role: text('Role in its access tokens.'),
  email: text('Address; empty where there is none.'),
  email_confirmed_at: time('When the address was proved.'),
  invited_at: time('When an invitation was sent.'),
  phone: text('Number without plus; empty where there is none.'),
  phone_confirmed_at: time('When the number was proved.'),
  confirmation_sent_at: time('When a confirmation was last sent.'),
  confirmed_at: time('The first of email_confirmed_at and phone_confirmed_at.'),
  recovery_sent_at: time('When a recovery or sign-in link was last sent.'),
  new_email: text('Address that waits to be confirmed.'),
  email_change_sent_at: time('When the change of address was asked for.'),
  new_phone: text('Number that waits to be confirmed.'),
  phone_change_sent_at: time('When the change of number was asked for.'),
  reauthentication_sent_at: time('When a nonce was last sent.'),
  last_sign_in_at: time('When the person last signed in.'),
  app_metadata: free('Kept by operators: provider, providers, and what they add.'),
  user_metadata: free('Kept by the person.'),
  identities: { type: 'array', items: of('Identity'), description: 'Ways to sign in.' },
  created_at: time('When it was made.'),
  updated_at: time('When it last changed.'),
  banned_until: time('No sign-in before.'),
  deleted_at: time('When it was deleted softly.'),
  is_anonymous: flag('Made without address and number.'),
};
const userRequired = [
  'id',
  'aud',
  'role',
  'email',
  'phone',
  'app_metadata',
  'user_metadata',
  'identities',
  'created_at',
  'updated_at',
  'is_anonymous',
];

const tokenProperties = {
  access_token: text('JWT (RFC 7519), HS256.'),
  token_type: { const: 'bearer' },
  expires_in: { type: 'integer', description: 'Seconds the access token lives.' },
  expires_at: { type: 'integer', description: 'When it expires, in Unix time.' },
  refresh_token: text('Opaque; good for one redemption.'),
  user: of('User'),
};
const tokenRequired = Object.keys(tokenProperties);

const codes = [...new Set(Object.values(catalogue).map(([, code]) => code))].sort();

export const schemas: Readonly<Record<string, JsonSchema>> = {
  User: { type: 'object', properties: userProperties, required: userRequired },
  Identity: {
    type: 'object',
    properties: {
      identity_id: uuid('The identity.'),
      id: text('The person, as the provider knows it.'),
      user_id: uuid('The account.'),
      identity_data: free('What the provider said of the person.'),
      provider: text('email, phone, or the name of a provider.'),
      last_sign_in_at: time('When it was last used.'),
      created_at: time('When it was linked.'),
      updated_at: time('When it last changed.'),
      email: text('Address the provider knows.'),
    },
    required: ['identity_id', 'id', 'user_id', 'provider', 'created_at', 'updated_at'],
  },
  TokenResponse: {
    type: 'object',
    properties: {
      ...tokenProperties,
      type: text('Of an answer to /verify by email: what was verified.'),
      weak_password: {
        description: 'Of a sign-in with a password: why the password would not be accepted today, or null.',
        oneOf: [of('WeakPassword'), { type: 'null' }],
      },
      provider_token: { type: ['string', 'null'], description: "The provider's access token, where it gave one." },
      provider_refresh_token: {
        type: ['string', 'null'],
        description: "The provider's refresh token, where it gave one.",
      },
    },
    required: tokenRequired,
  },
  WeakPassword: {
    type: 'object',
    properties: {
      message: text('In words.'),
      reasons: { type: 'array', items: { enum: ['length', 'characters'] } },
    },
    required: ['reasons'],
  },
  UserOrTokens: {
    description: 'Tokens where nothing is left to confirm, else the account.',
    anyOf: [of('TokenResponse'), of('User')],
  },
  GeneratedLink: {
    type: 'object',
    properties: {
      ...userProperties,
      action_link: text('Link to give to the person.'),
      email_otp: text('Code that does the same.'),
      hashed_token: text('For `token_hash` of /verify.'),
      verification_type: text('For `type` of /verify.'),
      redirect_to: text('Where the link leads in the end.'),
    },
    required: [...userRequired, 'action_link', 'email_otp', 'hashed_token', 'verification_type', 'redirect_to'],
  },
  UserList: {
    type: 'object',
    properties: {
      users: { type: 'array', items: of('User') },
      aud: text('Audience that was listed.'),
      pagination: {
        type: 'object',
        properties: {
          next_cursor: { type: ['string', 'null'], description: 'For `cursor` of the next request.' },
          has_more: flag('There are more.'),
        },
        required: ['next_cursor', 'has_more'],
      },
    },
    required: ['users', 'aud'],
  },
  AuditEntry: {
    type: 'object',
    properties: {
      id: uuid('The entry.'),
      payload: free('Actor, action, log_type and traits.'),
      created_at: time('When it happened.'),
      ip_address: text('Where the request came from; empty where unknown.'),
    },
    required: ['id', 'payload', 'created_at', 'ip_address'],
  },
  MessageId: {
    type: 'object',
    properties: { message_id: text("An id of the message; from /reauthenticate the gateway's, and absent for mails.") },
  },
  Message: { type: 'object', properties: { msg: text('What to do next.') }, required: ['msg'] },
  Url: { type: 'object', properties: { url: { type: 'string', format: 'uri' } }, required: ['url'] },
  Empty: { type: 'object', maxProperties: 0 },
  Settings: {
    type: 'object',
    properties: {
      external: {
        type: 'object',
        description:
          'Ways to sign in that are on, with those of supabase/auth that are not offered here: always false.',
        additionalProperties: { type: 'boolean' },
        required: WAYS_TO_SIGN_IN,
      },
      disable_signup: flag('Nobody new is let in.'),
      autoconfirm: flag('Addresses count as confirmed at once.'),
      mailer_autoconfirm: flag('The same under its older name.'),
      phone_autoconfirm: flag('Numbers count as confirmed at once.'),
      sms_provider: text('Name of the SMS gateway; empty where there is none.'),
      saml_enabled: { const: false },
      saml_private_key_next_configured: { const: false },
      passkeys_enabled: { const: false },
      mfa_enabled: { const: false },
    },
    required: [
      'external',
      'disable_signup',
      'autoconfirm',
      'mailer_autoconfirm',
      'phone_autoconfirm',
      'sms_provider',
      'saml_enabled',
      'saml_private_key_next_configured',
      'passkeys_enabled',
      'mfa_enabled',
    ],
  },
  JsonWebKeySet: {
    type: 'object',
    properties: {
      keys: { type: 'array', items: { type: 'object' }, description: 'Public keys (RFC 7517); none for HS256.' },
    },
    required: ['keys'],
  },
  Health: {
    type: 'object',
    properties: {
      version: text('Of this server, for operators; else empty.'),
      name: text('Its name.'),
      description: text('What it is.'),
    },
    required: ['version', 'name', 'description'],
  },
  Readiness: {
    type: 'object',
    properties: {
      ready: flag('May be given traffic.'),
      database: { enum: ['up', 'down'], description: 'For operators.' },
      schema: { enum: ['current', 'migrating', 'unknown'], description: 'For operators.' },
      draining: flag('Is about to stop. For operators.'),
    },
    required: ['ready'],
  },
  ErrorCode: { type: 'string', enum: codes },
  Error: {
    description: 'A refusal. The second shape is that of API version 2024-01-01.',
    anyOf: [
      {
        type: 'object',
        properties: {
          code: { type: 'integer', description: 'The HTTP status.' },
          error_code: of('ErrorCode'),
          msg: text('For people.'),
          error_id: text('Of a 5xx: the request id, under which the log tells the cause.'),
          weak_password: of('WeakPassword'),
        },
        required: ['code', 'error_code', 'msg'],
      },
      {
        type: 'object',
        properties: { code: of('ErrorCode'), message: text('For people.'), weak_password: of('WeakPassword') },
        required: ['code', 'message'],
      },
    ],
  },
};
