import { json } from '../http/types.js';
import { readAuditOfOwn } from '../organizations/organization-audit.js';
import { defineEndpoint } from './shared/define.js';
import {
  organizationEndpoint,
  organizationErrors,
  organizationListQuery,
  organizationPage,
} from './shared/organization-docs.js';

export const getOrganizationAudit = defineEndpoint({
  ...organizationEndpoint,
  secondFactor: 'not asked',
  method: 'GET',
  path: '/organizations/{id}/audit',
  query: organizationListQuery,
  id: 'listOrganizationAudit',
  summary: 'Lists the audit entries of an organization, the newest first (audit:read).',
  answers: organizationPage('entries', 'OrganizationAuditEntry', 'The entries.'),
  errors: [...organizationErrors, 'organizationFieldInvalid'],
  handler: async (app, { caller, params, query }) => json(await readAuditOfOwn(app, caller, params.id, query)),
});
