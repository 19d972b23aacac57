import { readOrganization } from '../../organizations/change-organization.js';
import { readSsoProvidersOf } from '../../saml/providers/find-sso-provider.js';
import { defineConsole, listOf, objectOf } from '../define-console.js';
import { viewSsoInConsole } from '../view-sso.js';
import { errorsOfOrganization, ofOrganizations } from './organizations.js';
import { shownSsoProvider } from './sso-providers.js';

export const getConsoleOrganizationSsoProviders = defineConsole({
  ...ofOrganizations,
  method: 'GET',
  path: '/api/organizations/{organization_id}/sso-providers',
  role: 'viewer',
  id: 'listOrganizationSsoProviders',
  summary: 'Lists the identity providers (SAML) of an organization, oldest first.',
  answer: { description: 'All, without their metadata.', body: objectOf({ providers: listOf(shownSsoProvider) }) },
  errors: errorsOfOrganization,
  async handler(app, { params }) {
    const { id } = await readOrganization(app, params.organization_id);
    const rows = await readSsoProvidersOf(app, id);
    return { status: 200, body: { providers: rows.map((row) => viewSsoInConsole(app, row, true)) } };
  },
});
