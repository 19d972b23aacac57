/** Pages of an organization about its sessions, its identity providers and its clients. */
import { organizationPoliciesPage, submitPolicies } from '../pages/organizations/organization-policies-page.js';
import { defineEndpoint } from './shared/define.js';
import { fields } from './shared/fields.js';
import { answerForm } from './shared/page.js';
import { accountErrors, accountQuery, formEndpoint, shownPage } from './shared/page-definition.js';
import { memberFormErrors } from './ui-organizations.js';

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
