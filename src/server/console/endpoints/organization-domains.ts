import { allFields } from '../../endpoints/shared/fields.js';
import {
  addDomain,
  changeDomain,
  listDomains,
  removeDomain,
  verifyDomainOf,
  viewOrganizationDomain,
} from '../../organizations/organization-domains.js';
import { consoleBody, defineConsole, listOf, objectOf, reasonField, textField } from '../define-console.js';
import { changerOf, changerReading, errorsOfOrganization, ofOrganizations } from './organizations.js';
import { done } from './user.js';

const all = { ...ofOrganizations, path: '/api/organizations/{organization_id}/domains' } as const;
const one = { ...ofOrganizations, path: '/api/organizations/{organization_id}/domains/{domain}' } as const;
const domain = { $ref: '#/components/schemas/OrganizationDomain' } as const;
const givenFields = { auto_join: allFields.auto_join, roles: allFields.roles, verified: allFields.verified };
const refused = ['organizationFieldInvalid', 'roleNotFound', 'domainTaken'] as const;

export const getConsoleOrganizationDomains = defineConsole({
  ...all,
  method: 'GET',
  role: 'viewer',
  id: 'listOrganizationDomains',
  summary: 'Lists the domains of an organization with their records.',
  answer: { description: 'All.', body: objectOf({ domains: listOf(domain) }) },
  errors: errorsOfOrganization,
  async handler(app, request) {
    const rows = await listDomains(app, changerReading(request), request.params.organization_id);
    return { status: 200, body: { domains: rows.map(viewOrganizationDomain) } };
  },
});

/** People whose address is of a verified domain sign in through the organization: as with companies, that needs a step-up. */
export const postConsoleOrganizationDomain = defineConsole({
  ...all,
  method: 'POST',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ domain: textField('The domain.'), ...givenFields, ...reasonField }, 'domain'),
  id: 'addOrganizationDomain',
  summary: 'Adds a domain, which with `verified` counts without a record. One that is there is answered again.',
  answer: { status: 201, description: 'The domain.', body: domain },
  errors: [...errorsOfOrganization, ...refused, 'tooManyDomains'],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const row = await addDomain(app, changerOf(request), request.params.organization_id, given);
    return { status: 201, body: viewOrganizationDomain(row) };
  },
});

export const putConsoleOrganizationDomain = defineConsole({
  ...one,
  method: 'PUT',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ ...givenFields, ...reasonField }),
  id: 'changeOrganizationDomain',
  summary: 'Changes who joins by a domain, and whether it counts; fields that are absent stay.',
  answer: { description: 'The domain.', body: domain },
  errors: [...errorsOfOrganization, ...refused, 'domainNotFound'],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const { organization_id, domain: name } = request.params;
    const row = await changeDomain(app, changerOf(request), organization_id, name, given);
    return { status: 200, body: viewOrganizationDomain(row) };
  },
});

export const postConsoleOrganizationDomainVerify = defineConsole({
  ...one,
  method: 'POST',
  path: '/api/organizations/{organization_id}/domains/{domain}/verify',
  role: 'admin',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'verifyOrganizationDomain',
  summary: 'Looks the record of a domain up. A domain is that of one organization only.',
  answer: { description: 'The verified domain.', body: domain },
  errors: [...errorsOfOrganization, 'domainNotFound', 'domainRecordMissing', 'domainTaken'],
  async handler(app, request) {
    const { organization_id, domain: name } = request.params;
    const row = await verifyDomainOf(app, changerOf(request), organization_id, name);
    return { status: 200, body: viewOrganizationDomain(row) };
  },
});

export const deleteConsoleOrganizationDomain = defineConsole({
  ...one,
  method: 'DELETE',
  role: 'admin',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'removeOrganizationDomain',
  summary: 'Removes a domain. Members who have joined by it stay.',
  answer: done,
  errors: [...errorsOfOrganization, 'domainNotFound'],
  async handler(app, request) {
    const { organization_id, domain: name } = request.params;
    await removeDomain(app, changerOf(request), organization_id, name);
    return { status: 204 };
  },
});
