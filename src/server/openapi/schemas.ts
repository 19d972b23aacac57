/** Schemas of responses. */
import { providerNames } from '../config/settings.js';
import { catalogue } from '../errors.js';
import type { JsonSchema } from './contract.js';
import { customProvider } from './custom-provider-schema.js';
import { factorSchemas } from './factor-schema.js';
import { oauthRequestSchemas } from './oauth-request-schema.js';
import {
  introspection,
  newOauthClient,
  oauthAuthorization,
  oauthClient,
  oauthGrant,
  oauthRedirect,
  oauthTokens,
  registeredOauthClient,
  userinfo,
} from './oauth-schema.js';
import { organizationSchemas } from './organization-schema.js';
import { newPasskey, passkey, passkeyCreation, passkeyRequest, passkeySignal } from './passkey-schema.js';
import { ssoSchemas } from './sso-schema.js';
import { user, userProperties, userRequired } from './user-schema.js';
import { walletNonce } from './wallet-schema.js';
import { webhookSchemas } from './webhook-schema.js';

/** Keys of /settings.external in all installations (endpoints/settings.ts); custom providers are added. */
const SIGN_IN_METHODS = ['anonymous_users', 'email', 'phone', 'web3_ethereum', 'web3_solana', ...providerNames];

const text = (description: string): JsonSchema => ({ type: 'string', description });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });
const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
const free = (description: string): JsonSchema => ({ type: 'object', description, additionalProperties: true });
const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description });
const of = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const tokenProperties = {
  access_token: text('JWT (RFC 7519), HS256.'),
  token_type: { const: 'bearer' },
  expires_in: { type: 'integer', description: 'Lifetime of the access token in seconds.' },
  expires_at: { type: 'integer', description: 'Expiry of the access token in Unix time.' },
  refresh_token: text('Opaque; can be used once.'),
  user: of('User'),
};
const tokenRequired = Object.keys(tokenProperties);

const codes = [...new Set(Object.values(catalogue).map(([, code]) => code))].sort();

export const schemas: Readonly<Record<string, JsonSchema>> = {
  CustomProvider: customProvider,
  ...ssoSchemas,
  ...organizationSchemas,
  OauthClient: oauthClient,
  NewOauthClient: newOauthClient,
  RegisteredOauthClient: registeredOauthClient,
  OauthAuthorization: oauthAuthorization,
  OauthRedirect: oauthRedirect,
  ...oauthRequestSchemas,
  OauthGrant: oauthGrant,
  OauthTokens: oauthTokens,
  Introspection: introspection,
  Userinfo: userinfo,
  ...webhookSchemas,
  User: user,
  ...factorSchemas,
  Passkey: passkey,
  NewPasskey: newPasskey,
  PasskeyCreation: passkeyCreation,
  PasskeyRequest: passkeyRequest,
  PasskeySignal: passkeySignal,
  WalletNonce: walletNonce,
  Identity: {
    type: 'object',
    properties: {
      identity_id: uuid('Id of the identity.'),
      id: text("The user's id at the provider."),
      user_id: uuid('Id of the user.'),
      identity_data: free('Claims of the provider.'),
      provider: text('email, phone, or the name of a provider.'),
      last_sign_in_at: time('When it was last used.'),
      created_at: time('When it was linked.'),
      updated_at: time('When it last changed.'),
      email: text('Email address at the provider.'),
    },
    required: ['identity_id', 'id', 'user_id', 'provider', 'created_at', 'updated_at'],
  },
  TokenResponse: {
    type: 'object',
    properties: {
      ...tokenProperties,
      type: text('Only of /verify by email: the verified type.'),
      weak_password: {
        description: 'Only of the password grant: why the current rules would reject the password, or null.',
        oneOf: [of('WeakPassword'), { type: 'null' }],
      },
      trusted_device_token: text('Only of a verification that trusts the device.'),
      provider_token: { type: ['string', 'null'], description: "The provider's access token, if there is one." },
      provider_refresh_token: {
        type: ['string', 'null'],
        description: "The provider's refresh token, if there is one.",
      },
    },
    required: tokenRequired,
  },
  WeakPassword: {
    type: 'object',
    properties: {
      message: text('Human-readable message.'),
      reasons: { type: 'array', items: { enum: ['length', 'characters', 'pwned', 'common'] } },
    },
    required: ['reasons'],
  },
  UserOrTokens: {
    description: 'Tokens if no confirmation is needed, else the user.',
    anyOf: [of('TokenResponse'), of('User')],
  },
  GeneratedLink: {
    type: 'object',
    properties: {
      ...userProperties,
      action_link: text('The link of the mail.'),
      email_otp: text('The code of the mail.'),
      hashed_token: text('For `token_hash` of /verify.'),
      verification_type: text('For `type` of /verify.'),
      redirect_to: text('Redirect target of the link.'),
    },
    required: [...userRequired, 'action_link', 'email_otp', 'hashed_token', 'verification_type', 'redirect_to'],
  },
  UserList: {
    type: 'object',
    properties: {
      users: { type: 'array', items: of('User') },
      aud: text('Audience of the list.'),
      pagination: {
        type: 'object',
        properties: {
          next_cursor: text('For `cursor` of the next request; absent on the last page.'),
          has_more: flag('There is another page.'),
        },
        required: ['has_more'],
      },
    },
    required: ['users', 'aud'],
  },
  AuditEntry: {
    type: 'object',
    properties: {
      id: uuid('Id of the entry.'),
      payload: free('Actor, action, log_type and traits.'),
      created_at: time('When it happened.'),
      ip_address: text('Client address; empty if unknown.'),
    },
    required: ['id', 'payload', 'created_at', 'ip_address'],
  },
  MessageId: {
    type: 'object',
    properties: {
      message_id: text('Id of the message; from /reauthenticate that of the SMS gateway, absent for mails.'),
    },
  },
  Message: { type: 'object', properties: { msg: text('What to do next.') }, required: ['msg'] },
  Url: { type: 'object', properties: { url: { type: 'string', format: 'uri' } }, required: ['url'] },
  Empty: { type: 'object', maxProperties: 0 },
  Settings: {
    type: 'object',
    properties: {
      external: {
        type: 'object',
        description: 'Which sign-in methods are enabled.',
        additionalProperties: { type: 'boolean' },
        required: SIGN_IN_METHODS,
      },
      disable_signup: flag('Sign-up is disabled.'),
      autoconfirm: flag('Email addresses count as confirmed at once.'),
      mailer_autoconfirm: flag('The same as autoconfirm.'),
      phone_autoconfirm: flag('Phone numbers count as confirmed at once.'),
      sms_provider: text('Name of the SMS gateway; empty without one.'),
      saml_enabled: flag('Whether people of companies can sign in at their identity providers.'),
      saml_private_key_next_configured: flag('Whether a second key of ours is published for SAML.'),
      passkeys_enabled: flag('Whether users can sign in with passkeys.'),
      mfa_required: flag('Whether all users, or those of some roles, must have a second factor.'),
      mfa_enabled: flag('Whether second factors can be verified.'),
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
      'mfa_required',
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
      version: text('Version; empty except for administrators.'),
      name: text('Name of the server.'),
      description: text('Description of the server.'),
    },
    required: ['version', 'name', 'description'],
  },
  Readiness: {
    type: 'object',
    properties: {
      ready: flag('Accepts traffic.'),
      database: { enum: ['up', 'down'], description: 'For administrators.' },
      schema: { enum: ['current', 'migrating', 'unknown'], description: 'For administrators.' },
      draining: flag('The server is stopping. For administrators.'),
      generation: { type: 'integer', description: 'Counts its configurations, from 1. For administrators.' },
    },
    required: ['ready'],
  },
  ErrorCode: { type: 'string', enum: codes },
  Error: {
    description: 'An error. The second format is that of API version 2024-01-01.',
    anyOf: [
      {
        type: 'object',
        properties: {
          code: { type: 'integer', description: 'The HTTP status.' },
          error_code: of('ErrorCode'),
          msg: text('Human-readable message.'),
          error_id: text('Of a 5xx: the request id, to find the cause in the log.'),
          weak_password: of('WeakPassword'),
        },
        required: ['code', 'error_code', 'msg'],
      },
      {
        type: 'object',
        properties: {
          code: of('ErrorCode'),
          message: text('Human-readable message.'),
          weak_password: of('WeakPassword'),
        },
        required: ['code', 'message'],
      },
    ],
  },
};
