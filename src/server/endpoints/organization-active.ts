import { activateOrganization } from '../organizations/activate.js';
import { readOrganizationId } from '../organizations/locked-organization.js';
import { assertOrganizationsOn } from '../organizations/organizations-on.js';
import { renderTokens } from '../sessions/open.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { policyErrors } from './shared/organization-docs.js';

const shared = {
  caller: 'user',
  callerMayHaveLeft: true,
  assertOn: assertOrganizationsOn,
  secondFactor: 'not asked',
  limit: 'token',
  tag: 'Organizations',
} as const;

export const postOrganizationActivate = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/organizations/{id}/activate',
  id: 'activateOrganization',
  summary: 'Makes an organization the active one of the session, and renews its tokens.',
  answers: ok('TokenResponse', 'Tokens that name the organization.'),
  errors: [
    'organizationsDisabled',
    'organizationNotFound',
    ...policyErrors,
    'sessionNotFound',
    'accessTokenTooLong',
    'overloaded',
  ],
  async handler(app, request) {
    const id = readOrganizationId(request.params.id);
    const answer = await activateOrganization(app, clientOf(request), request.caller, id);
    return { status: 200, json: renderTokens(answer) };
  },
});

export const deleteOrganizationsActive = defineEndpoint({
  ...shared,
  method: 'DELETE',
  path: '/organizations/active',
  id: 'deactivateOrganization',
  summary: 'Ends that the session acts for an organization, and renews its tokens.',
  answers: ok('TokenResponse', 'Tokens that name no organization.'),
  errors: ['organizationsDisabled', 'sessionNotFound', 'accessTokenTooLong', 'overloaded'],
  async handler(app, request) {
    const answer = await activateOrganization(app, clientOf(request), request.caller, null);
    return { status: 200, json: renderTokens(answer) };
  },
});
