import { previewCustomProvider, testCustomProvider } from '../admin/custom-providers/try.js';
import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { fields } from './shared/fields.js';

const shared = { method: 'POST', trailingSlash: true, caller: 'admin', tag: 'Administration' } as const;
const found = ['customProvidersDisabled', 'customProviderNotFound'] as const;

const findings = {
  type: 'object',
  properties: {
    ok: { type: 'boolean', description: 'Nothing is wrong that can be seen without a browser.' },
    findings: {
      type: 'array',
      items: {
        type: 'object',
        properties: { kind: { enum: ['fine', 'wrong', 'hint'] }, text: { type: 'string' } },
        required: ['kind', 'text'],
      },
    },
  },
  required: ['ok', 'findings'],
};

const preview = {
  type: 'object',
  properties: {
    provider: { type: 'string', description: 'The identifier.' },
    id: { type: 'string', description: "The user's id at the provider." },
    email: { type: 'string', description: 'Address; empty without one.' },
    email_verified: { type: 'boolean', description: 'The provider vouches for the address.' },
    identity_data: { type: 'object', additionalProperties: true, description: 'What the identity would contain.' },
  },
  required: ['provider', 'id', 'email', 'email_verified', 'identity_data'],
};

export const postAdminCustomProviderTest = defineEndpoint({
  ...shared,
  path: '/admin/custom-providers/{identifier}/test',
  id: 'adminTestCustomProvider',
  summary: 'Calls an identity provider of the database as far as possible without a browser, and says what is wrong.',
  answers: { 200: { description: 'What was found.', body: findings } },
  errors: found,
  handler: async (app, { params }) => json(await testCustomProvider(app, params.identifier)),
});

export const postAdminCustomProviderPreview = defineEndpoint({
  ...shared,
  path: '/admin/custom-providers/{identifier}/preview',
  body: fields('claims', 'attribute_mapping', 'custom_claims_allowlist'),
  id: 'adminPreviewCustomProvider',
  summary: 'Shows what a sample answer of an identity provider becomes. Stores nothing.',
  answers: { 200: { description: 'What a sign-in would store.', body: preview } },
  errors: [...found, 'invalidParameter', 'accessTokenTooLong'],
  async handler(app, { params, body }) {
    const { claims = {}, ...given } = body;
    return json(await previewCustomProvider(app, params.identifier, claims, given));
  },
});
