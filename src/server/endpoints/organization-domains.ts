import { json, noContent } from '../http/types.js';
import { accessGuardErrors } from '../organizations/access-guard.js';
import { changerOfUser } from '../organizations/locked-organization.js';
import {
  addDomain,
  changeDomain,
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
const all = { ...shared, path: '/organizations/{id}/domains' } as const;
const one = { ...shared, path: '/organizations/{id}/domains/{domain}' } as const;
const joinErrors = ['organizationFieldInvalid', 'roleNotFound', ...accessGuardErrors] as const;

export const getOrganizationDomains = defineEndpoint({
  ...all,
  method: 'GET',
  id: 'listOrganizationDomains',
  summary:
    'Lists the domains of an organization with their records (domains:manage). There are 50 at most, on one page.',
  answers: organizationPage('domains', 'OrganizationDomain', 'The domains, by name.'),
  errors: organizationErrors,
  async handler(app, { id, caller, params }) {
    const rows = await listDomains(app, changerOfUser(caller, id), params.id);
    return json({ domains: rows.map(viewOrganizationDomain), next_cursor: null });
  },
});

export const postOrganizationDomain = defineEndpoint({
  ...all,
  method: 'POST',
  secondFactor: 'asked',
  limit: 'organizations',
  body: fields('domain', 'auto_join', 'roles'),
  id: 'addOrganizationDomain',
  summary: 'Adds a domain, which counts once its record is seen (domains:manage). One that is there is answered again.',
  answers: { 201: ok('OrganizationDomain', 'The domain, and the record to put up.')[200]! },
  errors: [...organizationErrors, ...joinErrors, 'tooManyDomains'],
  handler: async (app, { id, caller, params, body }) =>
    json(viewOrganizationDomain(await addDomain(app, changerOfUser(caller, id), params.id, body)), 201),
});

export const patchOrganizationDomain = defineEndpoint({
  ...one,
  method: 'PATCH',
  secondFactor: 'asked',
  body: fields('auto_join', 'roles'),
  id: 'updateOrganizationDomain',
  summary: 'Changes who joins by a domain (domains:manage, and what giving the roles needs).',
  answers: ok('OrganizationDomain', 'The domain after the change.'),
  errors: [...organizationErrors, ...joinErrors, 'domainNotFound'],
  handler: async (app, { id, caller, params, body }) =>
    json(viewOrganizationDomain(await changeDomain(app, changerOfUser(caller, id), params.id, params.domain, body))),
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
    json(viewOrganizationDomain(await verifyDomainOf(app, changerOfUser(caller, id), params.id, params.domain))),
});

export const deleteOrganizationDomain = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'removeOrganizationDomain',
  summary: 'Removes a domain (domains:manage).',
  answers: { 204: { description: 'Removed.' } },
  errors: [...organizationErrors, 'domainNotFound'],
  async handler(app, { id, caller, params }) {
    await removeDomain(app, changerOfUser(caller, id), params.id, params.domain);
    return noContent();
  },
});
