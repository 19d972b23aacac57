import { json, noContent } from '../http/types.js';
import { changerOfAdmin } from '../organizations/locked-organization.js';
import {
  addDomain,
  changeDomain,
  listDomains,
  removeDomain,
  viewOrganizationDomain,
} from '../organizations/organization-domains.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationAdminEndpoint, organizationPage } from './shared/organization-docs.js';

const all = { ...organizationAdminEndpoint, path: '/admin/organizations/{id}/domains' } as const;
const one = { ...organizationAdminEndpoint, path: '/admin/organizations/{id}/domains/{domain}' } as const;
const found = ['organizationsDisabled', 'organizationNotFound'] as const;
const refused = ['organizationFieldInvalid', 'roleNotFound', 'domainTaken'] as const;

export const getAdminOrganizationDomains = defineEndpoint({
  ...all,
  method: 'GET',
  id: 'adminListOrganizationDomains',
  summary: 'Lists the domains of an organization with their records. There are 50 at most, on one page.',
  answers: organizationPage('domains', 'OrganizationDomain', 'The domains, by name.'),
  errors: found,
  async handler(app, { id, caller, params }) {
    const rows = await listDomains(app, changerOfAdmin(caller, id), params.id);
    return json({ domains: rows.map(viewOrganizationDomain), next_cursor: null });
  },
});

export const postAdminOrganizationDomains = defineEndpoint({
  ...all,
  method: 'POST',
  body: fields('domain', 'auto_join', 'roles', 'verified'),
  id: 'adminAddOrganizationDomain',
  summary: 'Adds a domain, which with `verified` counts without a record. One that is there is answered again.',
  answers: { 201: ok('OrganizationDomain', 'The domain.')[200]! },
  errors: [...found, ...refused, 'tooManyDomains'],
  handler: async (app, { id, caller, params, body }) =>
    json(viewOrganizationDomain(await addDomain(app, changerOfAdmin(caller, id), params.id, body)), 201),
});

export const patchAdminOrganizationDomain = defineEndpoint({
  ...one,
  method: 'PATCH',
  body: fields('auto_join', 'roles', 'verified'),
  id: 'adminUpdateOrganizationDomain',
  summary: 'Changes who joins by a domain, and whether it counts.',
  answers: ok('OrganizationDomain', 'The domain after the change.'),
  errors: [...found, ...refused, 'domainNotFound'],
  handler: async (app, { id, caller, params, body }) =>
    json(viewOrganizationDomain(await changeDomain(app, changerOfAdmin(caller, id), params.id, params.domain, body))),
});

export const deleteAdminOrganizationDomain = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'adminRemoveOrganizationDomain',
  summary: 'Removes a domain.',
  answers: { 204: { description: 'Removed.' } },
  errors: [...found, 'domainNotFound'],
  async handler(app, { id, caller, params }) {
    await removeDomain(app, changerOfAdmin(caller, id), params.id, params.domain);
    return noContent();
  },
});
