import { json, noContent } from '../http/types.js';
import {
  addDomain,
  listDomains,
  removeDomain,
  verifyDomainOf,
  viewOrganizationDomain,
} from '../organizations/organization-domains.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationEndpoint, organizationErrors, organizationPage } from './shared/organization-docs.js';

const shared = { ...organizationEndpoint, secondFactor: 'not asked' } as const;

export const getOrganizationDomains = defineEndpoint({
  ...shared,
  method: 'GET',
  path: '/organizations/{id}/domains',
  id: 'listOrganizationDomains',
  summary:
    'Lists the domains of an organization with their records (domains:manage). There are 50 at most, on one page.',
  answers: organizationPage('domains', 'OrganizationDomain', 'The domains, by name.'),
  errors: organizationErrors,
  async handler(app, { caller, params }) {
    const rows = await listDomains(app, caller, params.id);
    return json({ domains: rows.map(viewOrganizationDomain), next_cursor: null });
  },
});

export const postOrganizationDomain = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/organizations/{id}/domains',
  limit: 'organizations',
  body: fields('domain'),
  id: 'addOrganizationDomain',
  summary: 'Adds a domain, which counts once its record is seen (domains:manage). One that is there is answered again.',
  answers: { 201: ok('OrganizationDomain', 'The domain, and the record to put up.')[200]! },
  errors: [...organizationErrors, 'organizationFieldInvalid', 'tooManyDomains'],
  handler: async (app, { id, caller, params, body }) =>
    json(viewOrganizationDomain(await addDomain(app, id, caller, params.id, body.domain)), 201),
});

export const postOrganizationDomainVerify = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/organizations/{id}/domains/{domain}/verify',
  limit: 'organizations',
  id: 'verifyOrganizationDomain',
  summary: 'Looks the record of a domain up (domains:manage). A domain is that of one organization only.',
  answers: ok('OrganizationDomain', 'The verified domain.'),
  errors: [...organizationErrors, 'domainNotFound', 'domainRecordMissing', 'domainTaken'],
  handler: async (app, { id, caller, params }) =>
    json(viewOrganizationDomain(await verifyDomainOf(app, id, caller, params.id, params.domain))),
});

export const deleteOrganizationDomain = defineEndpoint({
  ...shared,
  method: 'DELETE',
  path: '/organizations/{id}/domains/{domain}',
  id: 'removeOrganizationDomain',
  summary: 'Removes a domain (domains:manage).',
  answers: { 204: { description: 'Removed.' } },
  errors: [...organizationErrors, 'domainNotFound'],
  async handler(app, { id, caller, params }) {
    await removeDomain(app, id, caller, params.id, params.domain);
    return noContent();
  },
});
