/** What administrators do. */
import type { ErrorEntries } from './entry.js';

export const adminEntries = {
  // Admin
  adminContactMissing: [400, 'validation_failed', 'Cannot create a user without either an email or phone'],
  phoneRegistered: [422, 'phone_exists', 'Phone number already registered by another user'],
  passwordOrHash: [400, 'validation_failed', 'Only a password or a password hash should be provided'],
  passwordHashUnusable: [
    400,
    'validation_failed',
    'The password hash cannot be used: bcrypt, argon2i, argon2id and Firebase scrypt are understood, at bounded cost',
  ],
  idNotUuid: [400, 'validation_failed', 'ID must conform to the uuid v4 format'],
  idNil: [400, 'validation_failed', 'ID cannot be a nil uuid'],
  idMismatch: [400, 'validation_failed', 'ID in the body must match the user_id in the path'],
  idTaken: [409, 'conflict', 'A user with this id already exists'],
  banDurationInvalid: [400, 'validation_failed', 'invalid format for ban duration: <detail>'],
  userIdNotUuid: [404, 'validation_failed', 'user_id must be an UUID'],
  userNotFound: [404, 'user_not_found', 'User not found'],
  factorIdNotUuid: [404, 'validation_failed', 'factor_id must be an UUID'],
  factorNotFound: [404, 'mfa_factor_not_found', 'Factor not found'],
  trustedDeviceNotFound: [404, 'trusted_device_not_found', 'Trusted device not found'],
  badPagination: [400, 'validation_failed', 'Bad Pagination Parameters: <reason>'],
  badSort: [400, 'validation_failed', 'Bad Sort Parameters: <reason>'],
  badFilter: [400, 'validation_failed', 'Bad Filter Parameters: <reason>'],
  queryScopeInvalid: [400, 'validation_failed', 'Invalid query scope: <query>'],
  linkTypeInvalid: [400, 'validation_failed', 'Invalid email action link type requested: <type>'],
  linkUserNotFound: [404, 'user_not_found', 'User with this email not found'],
  secureEmailChangeNeeded: [400, 'validation_failed', 'Enable secure email change to generate link for current email'],

  // Providers in the database
  customProvidersDisabled: [404, 'feature_disabled', 'Custom OAuth providers are disabled'],
  customProviderNotFound: [404, 'custom_provider_not_found', 'Custom OAuth provider not found'],
  customProviderExists: [400, 'conflict', 'A custom OAuth provider with this identifier already exists'],
  overCustomProviderQuota: [400, 'over_custom_provider_quota', 'Maximum number of custom OAuth/OIDC providers reached'],

  // Webhooks
  webhookNotFound: [404, 'webhook_not_found', 'Webhook not found'],
  webhookDeliveryNotFound: [404, 'webhook_delivery_not_found', 'There is no such delivery to this webhook'],
  webhookConfigured: [
    409,
    'conflict',
    'This webhook is in the configuration: change AUTH_WEBHOOKS_URL, AUTH_WEBHOOKS_EVENTS or AUTH_WEBHOOKS_SECRETS',
  ],
} as const satisfies ErrorEntries;
