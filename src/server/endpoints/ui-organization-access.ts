/** Pages of an organization about its sessions, its identity providers, their provisioning, and its clients. */
import { organizationClientsPage } from '../pages/organizations/organization-clients-page.js';
import { organizationPoliciesPage, submitPolicies } from '../pages/organizations/organization-policies-page.js';
import { organizationScimPage } from '../pages/organizations/organization-scim-page.js';
import { organizationSsoPage } from '../pages/organizations/organization-sso-page.js';
import { submitClients } from '../pages/organizations/submit-clients.js';
import { submitScim } from '../pages/organizations/submit-scim.js';
import { submitSso } from '../pages/organizations/submit-sso.js';
import { defineEndpoint } from './shared/define.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { accountErrors, accountQuery, formEndpoint, shownPage } from './shared/page-definition.js';
import { joiningErrors, SSO_METADATA_BYTES, ssoFieldErrors } from './shared/sso-fields.js';
import { memberFormErrors, pagedListErrors, pagedListQuery } from './ui-organizations.js';

export const getUiOrganizationPolicies = defineEndpoint({
  ...shownPage(organizationPoliciesPage),
  path: '/ui/account/organizations/{id}/policies',
  query: accountQuery,
  id: 'showOrganizationPolicies',
  summary: 'The policies of an organization, where the person may change them.',
  errors: accountErrors,
});

export const postUiOrganizationPolicies = defineEndpoint({
  ...formEndpoint(organizationPoliciesPage),
  path: '/ui/account/organizations/{id}/policies',
  limit: 'user',
  body: fields('form_token', 'action'),
  id: 'submitOrganizationPolicies',
  summary:
    'Changes the policies: `require_aal2` and `require_sso` where they are ticked, `session_hours`, and `allowed_domains` by line.',
  errors: [...memberFormErrors, 'organizationFieldInvalid'],
  handler: (app, request) => answerForm(app, request, submitPolicies),
});

export const getUiOrganizationSso = defineEndpoint({
  ...shownPage(organizationSsoPage),
  path: '/ui/account/organizations/{id}/sso',
  query: accountQuery,
  id: 'showOrganizationSso',
  summary: 'The identity providers of an organization, where the person may manage them.',
  errors: accountErrors,
});

export const postUiOrganizationSso = defineEndpoint({
  ...formEndpoint(organizationSsoPage),
  path: '/ui/account/organizations/{id}/sso',
  limit: ({ body }) => (body.action === 'remove' ? 'user' : 'organizations'),
  maxBodyBytes: SSO_METADATA_BYTES,
  body: fields(
    'form_token',
    'action',
    'entry_id',
    'metadata_url',
    'metadata_xml',
    'name',
    'issuer',
    'client_id',
    'client_secret',
  ),
  id: 'submitOrganizationSso',
  summary:
    'Adds, changes or removes an identity provider of SAML or OpenID Connect: repeated fields `domains` and `roles`, `enforced` and `disabled` where they are ticked; or a rule of its role_mapping: `attribute`, `value` and `roles`.',
  errors: [
    ...memberFormErrors,
    'ownersOnly',
    ...joiningErrors,
    ...ssoFieldErrors,
    'samlMetadataMissing',
    'samlMetadataHasNoUrl',
    'samlIdpAlreadyExists',
    'samlEntityIdMismatch',
    'tooManySsoProviders',
    'customProvidersDisabled',
    'overCustomProviderQuota',
    'invalidParameter',
  ],
  handler: (app, request) => answerForm(app, request, submitSso),
});

export const getUiOrganizationScim = defineEndpoint({
  ...shownPage(organizationScimPage),
  path: '/ui/account/organizations/{id}/scim',
  query: accountQuery,
  id: 'showOrganizationScim',
  summary: 'The SCIM tokens of an organization, where the person may manage them.',
  errors: accountErrors,
});

export const postUiOrganizationScim = defineEndpoint({
  ...formEndpoint(organizationScimPage),
  path: '/ui/account/organizations/{id}/scim',
  limit: ({ body }) => (body.action === 'add' ? 'organizations' : 'user'),
  body: fields('form_token', 'action', 'entry_id', 'name', 'expires_at'),
  id: 'submitOrganizationScim',
  summary:
    'Makes a SCIM token, which is on the page, with a `name` and the day `expires_at` (as 2027-12-31) if it shall expire; or ends one.',
  errors: [...memberFormErrors, 'ownersOnly', 'scimTokenFieldInvalid', 'tooManyScimTokens'],
  handler: (app, request) => answerForm(app, request, (visit) => submitScim(visit, request.body)),
});

export const getUiOrganizationClients = defineEndpoint({
  ...shownPage(organizationClientsPage),
  path: '/ui/account/organizations/{id}/clients',
  query: pagedListQuery,
  id: 'showOrganizationClients',
  summary: 'The clients of an organization, where the person may manage them.',
  errors: pagedListErrors,
});

export const postUiOrganizationClients = defineEndpoint({
  ...formEndpoint(organizationClientsPage),
  path: '/ui/account/organizations/{id}/clients',
  limit: ({ body }) => (body.action === 'add' || body.action === 'renew' ? 'organizations' : 'user'),
  body: fields('form_token', 'action', 'entry_id', 'client_name'),
  id: 'submitOrganizationClients',
  summary:
    'Creates an API key with roles, which are repeated fields `roles`, changes or removes a client, or replaces its secret. A new secret is on the page.',
  errors: [
    ...memberFormErrors,
    'ownersOnly',
    'roleNotFound',
    'clientMetadataInvalid',
    'clientSecretOfPublic',
    'clientSecretOfKey',
    'tooManyClients',
    'overloaded',
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitClients(visit, request.body)),
});
