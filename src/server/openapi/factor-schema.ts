/** Schemas of second factors. */
import type { JsonSchema } from './contract.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });
const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description });
const kind: JsonSchema = { enum: ['totp', 'phone', 'webauthn', 'recovery_code'], description: 'Kind of the factor.' };

const factor: JsonSchema = {
  type: 'object',
  properties: {
    id: uuid('Id of the factor.'),
    friendly_name: text('Its name; absent if empty.'),
    factor_type: kind,
    status: { enum: ['unverified', 'verified'], description: 'Only verified factors count.' },
    phone: text('Phone number without plus; empty for other kinds.'),
    last_challenged_at: { type: ['string', 'null'], format: 'date-time', description: 'When it was last challenged.' },
    web_authn_aaguid: uuid('Model of the authenticator.'),
    created_at: time('When it was enrolled.'),
    updated_at: time('When it last changed.'),
  },
  required: ['id', 'factor_type', 'status', 'phone', 'last_challenged_at', 'created_at', 'updated_at'],
};

const enrolledFactor: JsonSchema = {
  type: 'object',
  properties: {
    id: uuid('Id of the factor.'),
    type: kind,
    friendly_name: text('Its name; absent if empty.'),
    totp: {
      type: 'object',
      properties: {
        qr_code: text('SVG of the URI.'),
        secret: text('The secret in base32, to type in.'),
        uri: text('otpauth:// URI.'),
      },
      required: ['qr_code', 'secret', 'uri'],
    },
    phone: text('The number, as it was sent.'),
  },
  required: ['id', 'type'],
};

const factorChallenge: JsonSchema = {
  type: 'object',
  properties: {
    id: uuid('Id of the challenge.'),
    type: kind,
    expires_at: { type: 'integer', description: 'End of the challenge in Unix time.' },
    webauthn: { type: 'object', description: 'Of a webauthn factor: type, and credential_options for the browser.' },
  },
  required: ['id', 'type', 'expires_at'],
};

const recoveryCodes: JsonSchema = {
  type: 'object',
  properties: {
    id: uuid('Id of the factor.'),
    type: { const: 'recovery_code' },
    total: { type: 'integer', description: 'Codes that were generated.' },
    remaining: { type: 'integer', description: 'Codes that are unused.' },
  },
  required: ['id', 'type', 'total', 'remaining'],
};

const generatedRecoveryCodes: JsonSchema = {
  type: 'object',
  properties: {
    id: uuid('Id of the factor.'),
    type: { const: 'recovery_code' },
    friendly_name: text('Its name.'),
    total: { type: 'integer', description: 'Number of codes.' },
    codes: { type: 'array', items: { type: 'string' }, description: 'The codes; each can be used once.' },
  },
  required: ['id', 'type', 'friendly_name', 'total', 'codes'],
};

const factorId: JsonSchema = {
  type: 'object',
  properties: { id: uuid('Id of the factor.') },
  required: ['id'],
};

const trustedDevice: JsonSchema = {
  type: 'object',
  properties: {
    id: uuid('Id of the device.'),
    name: text('Its name.'),
    factor_id: uuid('The factor that was verified.'),
    created_at: time('When that was.'),
    last_used_at: { type: ['string', 'null'], format: 'date-time', description: 'When it last signed in.' },
    expires_at: time('When it stops to be trusted.'),
  },
  required: ['id', 'name', 'factor_id', 'created_at', 'last_used_at', 'expires_at'],
};

const factorReset: JsonSchema = {
  type: 'object',
  properties: {
    id: uuid('Id of the user.'),
    removed_factors: { type: 'integer', description: 'Second factors that were removed, recovery codes included.' },
    removed_passkeys: { type: 'integer', description: 'Passkeys that were removed.' },
  },
  required: ['id', 'removed_factors', 'removed_passkeys'],
};

export const factorSchemas: Readonly<Record<string, JsonSchema>> = {
  Factor: factor,
  EnrolledFactor: enrolledFactor,
  FactorChallenge: factorChallenge,
  FactorId: factorId,
  FactorReset: factorReset,
  TrustedDevice: trustedDevice,
  RecoveryCodes: recoveryCodes,
  GeneratedRecoveryCodes: generatedRecoveryCodes,
};
