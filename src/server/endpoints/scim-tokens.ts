import { json, noContent } from '../http/types.js';
import { accessGuardErrors, assertMayChangeAccess } from '../organizations/access-guard.js';
import { assertOrganizationsOn } from '../organizations/organizations-on.js';
import type { App } from '../runtime/app.js';
import { assertScimOn } from '../scim/scim-on.js';
import { addToken, endToken, readTokens, tokensOfOrganization, tokensOfProvider } from '../scim/scim-tokens.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationEndpoint, organizationErrors } from './shared/organization-docs.js';

const ofProvider = {
  path: '/admin/sso/providers/{id}/scim_tokens',
  trailingSlash: true,
  caller: 'admin',
  assertOn: assertScimOn,
  tag: 'Administration',
} as const;
const ofOrganization = {
  ...organizationEndpoint,
  path: '/organizations/{id}/scim_tokens',
  assertOn(app: App): void {
    assertOrganizationsOn(app);
    assertScimOn(app);
  },
} as const;

const given = fields('name', 'expires_at');
const providerErrors = ['scimDisabled', 'ssoIdentityProviderNotFound'] as const;
const memberErrors = [...organizationErrors, 'scimDisabled', 'ownersOnly'] as const;
const newErrors = ['scimTokenFieldInvalid', 'tooManyScimTokens'] as const;
const listAnswer = ok('ScimTokens', 'The tokens, without their texts.');
const newAnswer = { 201: ok('NewScimToken', 'The token, with its text.')[200]! };
const goneAnswer = { 204: { description: 'It has ended.' } };

export const postAdminScimTokens = defineEndpoint({
  ...ofProvider,
  method: 'POST',
  body: given,
  bodyOptional: true,
  id: 'adminCreateScimToken',
  summary:
    'Makes a token by which an identity provider provisions (SCIM 2.0). Two at a time, so that one replaces the other.',
  answers: newAnswer,
  errors: [...providerErrors, ...newErrors],
  handler: async (app, { id, caller, params, body }) =>
    json(await addToken(app, await tokensOfProvider(app, id, caller, params.id), body), 201),
});

export const getAdminScimTokens = defineEndpoint({
  ...ofProvider,
  method: 'GET',
  id: 'adminListScimTokens',
  summary: 'Lists the SCIM tokens of an identity provider, oldest first.',
  answers: listAnswer,
  errors: providerErrors,
  handler: async (app, { id, caller, params }) =>
    json({ tokens: await readTokens(app, await tokensOfProvider(app, id, caller, params.id)) }),
});

export const deleteAdminScimToken = defineEndpoint({
  ...ofProvider,
  method: 'DELETE',
  path: '/admin/sso/providers/{id}/scim_tokens/{token_id}',
  id: 'adminDeleteScimToken',
  summary: 'Ends a SCIM token at once. What it has provisioned stays.',
  answers: goneAnswer,
  errors: [...providerErrors, 'scimTokenNotFound'],
  async handler(app, { id, caller, params }) {
    await endToken(app, await tokensOfProvider(app, id, caller, params.id), params.token_id);
    return noContent();
  },
});

export const postOrganizationScimTokens = defineEndpoint({
  ...ofOrganization,
  method: 'POST',
  secondFactor: 'asked',
  limit: 'organizations',
  body: given,
  bodyOptional: true,
  id: 'createOrganizationScimToken',
  summary: 'Makes a token by which the identity provider of an organization provisions (scim:manage). Two at a time.',
  answers: newAnswer,
  errors: [...memberErrors, ...newErrors, ...accessGuardErrors],
  async handler(app, { id, caller, params, body }) {
    const manager = await tokensOfOrganization(app, id, caller, params.id);
    await assertMayChangeAccess(app, caller);
    return json(await addToken(app, manager, body), 201);
  },
});

export const getOrganizationScimTokens = defineEndpoint({
  ...ofOrganization,
  method: 'GET',
  secondFactor: 'not asked',
  id: 'listOrganizationScimTokens',
  summary: 'Lists the SCIM tokens of an organization, oldest first (scim:manage).',
  answers: listAnswer,
  errors: memberErrors,
  handler: async (app, { id, caller, params }) =>
    json({ tokens: await readTokens(app, await tokensOfOrganization(app, id, caller, params.id)) }),
});

export const deleteOrganizationScimToken = defineEndpoint({
  ...ofOrganization,
  method: 'DELETE',
  path: '/organizations/{id}/scim_tokens/{token_id}',
  secondFactor: 'not asked',
  id: 'deleteOrganizationScimToken',
  summary: 'Ends a SCIM token at once (scim:manage). What it has provisioned stays.',
  answers: goneAnswer,
  errors: [...memberErrors, 'scimTokenNotFound'],
  async handler(app, { id, caller, params }) {
    const manager = await tokensOfOrganization(app, id, caller, params.id);
    await endToken(app, manager, params.token_id);
    return noContent();
  },
});
