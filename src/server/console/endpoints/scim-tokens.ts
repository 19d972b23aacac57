/** Tokens by which identity providers provision: of a company, and of an organization. */
import { allFields } from '../../endpoints/shared/fields.js';
import { assertOrganizationsOn } from '../../organizations/organizations-on.js';
import type { App } from '../../runtime/app.js';
import { locationOf } from '../../scim/resource-locations.js';
import { assertScimOn } from '../../scim/scim-on.js';
import {
  addToken,
  endToken,
  readTokens,
  type TokenManager,
  tokensOfAnyOrganization,
  tokensOfProvider,
} from '../../scim/scim-tokens.js';
import { consoleBody, defineConsole, listOf, objectOf, reasonField } from '../define-console.js';
import type { OperatorCaller } from '../operator.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { done } from './user.js';

const givenFields = { name: allFields.name, expires_at: allFields.expires_at, ...reasonField };
const shown = objectOf({
  base_url: { type: 'string', description: 'What is entered at the identity provider, beside a token.' },
  tokens: listOf({ $ref: '#/components/schemas/ScimToken' }),
});

export const ofProviderScim = {
  path: '/api/sso-providers/{sso_provider_id}',
  assertOn: assertScimOn,
  tag: 'Companies',
} as const;
export const ofOrganizationScim = {
  path: '/api/organizations/{organization_id}',
  assertOn(app: App): void {
    assertOrganizationsOn(app);
    assertScimOn(app);
  },
  tag: 'Organizations',
} as const;
export const providerScimErrors = ['scimDisabled', 'ssoIdentityProviderNotFound'] as const;
export const organizationScimErrors = ['scimDisabled', 'organizationsDisabled', 'organizationNotFound'] as const;
const newErrors = ['scimTokenFieldInvalid', 'tooManyScimTokens'] as const;

/** What every request of an operator has. */
interface Asked {
  readonly id: string;
  readonly caller: OperatorCaller;
  readonly body: { readonly reason?: string } | undefined;
}

const ofProvider = (app: App, request: Asked, id: string): Promise<TokenManager> =>
  tokensOfProvider(app, request.id, asAdministrator(deedOf(request)), id);
const ofOrganization = (app: App, request: Asked, id: string): Promise<TokenManager> =>
  tokensOfAnyOrganization(app, request.id, asAdministrator(deedOf(request)), id);

const show = async (app: App, manager: TokenManager) => ({
  status: 200,
  body: { base_url: locationOf(app, ''), tokens: await readTokens(app, manager) },
});

async function add(app: App, manager: TokenManager, { name, expires_at }: { name?: string; expires_at?: string }) {
  return { status: 201, body: await addToken(app, manager, { name, expires_at }) };
}

async function end(app: App, manager: TokenManager, tokenId: string) {
  await endToken(app, manager, tokenId);
  return { status: 204 };
}

const list = {
  method: 'GET',
  role: 'viewer',
  answer: { description: 'The tokens without their texts, oldest first.', body: shown },
} as const;
/** What is made so gives its holder the accounts. */
const addition = {
  method: 'POST',
  role: 'admin',
  stepUp: true,
  body: consoleBody(givenFields),
  bodyOptional: true,
  answer: {
    status: 201,
    description: 'The token, with its text.',
    body: { $ref: '#/components/schemas/NewScimToken' },
  },
} as const;
const removal = {
  method: 'DELETE',
  role: 'admin',
  body: consoleBody(reasonField),
  bodyOptional: true,
  answer: done,
} as const;

export const getConsoleProviderScimTokens = defineConsole({
  ...ofProviderScim,
  ...list,
  path: '/api/sso-providers/{sso_provider_id}/scim-tokens',
  id: 'listSsoProviderScimTokens',
  summary: 'Lists the SCIM tokens of the identity provider of a company.',
  errors: providerScimErrors,
  handler: async (app, { id, caller, params }) =>
    show(app, await ofProvider(app, { id, caller, body: undefined }, params.sso_provider_id)),
});

export const postConsoleProviderScimToken = defineConsole({
  ...ofProviderScim,
  ...addition,
  path: '/api/sso-providers/{sso_provider_id}/scim-tokens',
  id: 'createSsoProviderScimToken',
  summary: 'Makes a SCIM token of the identity provider of a company. Two at a time.',
  errors: [...providerScimErrors, ...newErrors],
  handler: async (app, request) =>
    add(app, await ofProvider(app, request, request.params.sso_provider_id), request.body ?? {}),
});

export const deleteConsoleProviderScimToken = defineConsole({
  ...ofProviderScim,
  ...removal,
  path: '/api/sso-providers/{sso_provider_id}/scim-tokens/{token_id}',
  id: 'deleteSsoProviderScimToken',
  summary: 'Ends a SCIM token of the identity provider of a company. What it has provisioned stays.',
  errors: [...providerScimErrors, 'scimTokenNotFound'],
  handler: async (app, request) =>
    end(app, await ofProvider(app, request, request.params.sso_provider_id), request.params.token_id),
});

export const getConsoleOrganizationScimTokens = defineConsole({
  ...ofOrganizationScim,
  ...list,
  path: '/api/organizations/{organization_id}/scim-tokens',
  id: 'listOrganizationScimTokens',
  summary: 'Lists the SCIM tokens of an organization.',
  errors: organizationScimErrors,
  handler: async (app, { id, caller, params }) =>
    show(app, await ofOrganization(app, { id, caller, body: undefined }, params.organization_id)),
});

export const postConsoleOrganizationScimToken = defineConsole({
  ...ofOrganizationScim,
  ...addition,
  path: '/api/organizations/{organization_id}/scim-tokens',
  id: 'createOrganizationScimToken',
  summary: 'Makes a SCIM token of an organization, which may do all. Two at a time.',
  errors: [...organizationScimErrors, ...newErrors],
  handler: async (app, request) =>
    add(app, await ofOrganization(app, request, request.params.organization_id), request.body ?? {}),
});

export const deleteConsoleOrganizationScimToken = defineConsole({
  ...ofOrganizationScim,
  ...removal,
  path: '/api/organizations/{organization_id}/scim-tokens/{token_id}',
  id: 'deleteOrganizationScimToken',
  summary: 'Ends a SCIM token of an organization. What it has provisioned stays.',
  errors: [...organizationScimErrors, 'scimTokenNotFound'],
  handler: async (app, request) =>
    end(app, await ofOrganization(app, request, request.params.organization_id), request.params.token_id),
});
