import { readCustomProvidersOf } from '../../admin/custom-providers/of-organization.js';
import { viewCustomProvider } from '../../admin/custom-providers/view.js';
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
  summary: 'Lists the identity providers of an organization, oldest first: those of SAML, and those of OpenID Connect.',
  answer: {
    description: 'All, without their metadata and secrets.',
    body: objectOf({
      providers: listOf(shownSsoProvider),
      openid: listOf({ $ref: '#/components/schemas/CustomProvider' }),
    }),
  },
  errors: errorsOfOrganization,
  async handler(app, { params }) {
    const { id } = await readOrganization(app, params.organization_id);
    const [saml, openid] = await Promise.all([
      readSsoProvidersOf(app, id),
      readCustomProvidersOf(app, { organizationId: id }),
    ]);
    const providers = saml.map((row) => viewSsoInConsole(app, row, true));
    return { status: 200, body: { providers, openid: openid.map(viewCustomProvider) } };
  },
});
