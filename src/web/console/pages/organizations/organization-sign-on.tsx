/** How people come to an organization: the identity providers (SAML) at which they sign in, which have their own pages, and provisioning. */
import { useResource } from '../../core/resource.js';
import { type Column, List } from '../../parts/list.js';
import { Empty, View } from '../../parts/view.js';
import { nameOfCompany, type ShownCompany, sayDomain } from '../companies/shown-company.js';
import { CompanyState } from '../companies/state.js';
import { Provisioning } from '../provisioning/tokens.js';
import { pathOfOrganization, type ShownOrganization } from './shown-organization.js';

const columns: readonly Column<ShownCompany>[] = [
  {
    title: 'Company',
    cell: (company) => (
      <a href={`/companies/${company.id}`} class="name">
        {nameOfCompany(company)}
      </a>
    ),
  },
  { title: 'State', cell: (company) => <CompanyState company={company} /> },
  { title: 'Domains', from: 'medium', cell: ({ domains }) => domains.map(sayDomain).join(', ') || '–' },
  { title: 'Join as', from: 'wide', cell: ({ roles = [] }) => roles.join(', ') },
];

export function OrganizationSignOn({ organization }: { readonly organization: ShownOrganization }) {
  const list = useResource<{ readonly providers: readonly ShownCompany[] }>(
    `${pathOfOrganization(organization.id)}/sso-providers`,
  );
  return (
    <>
      <section>
        <p class="muted">Who signs in at one of them joins. Members with sso:manage add them, too.</p>
        <View of={list}>
          {({ providers }) =>
            providers.length === 0 ? (
              <Empty title="It has no identity provider">
                <p>
                  One of <a href="/companies">Companies</a> can belong to it.
                </p>
              </Empty>
            ) : (
              <List
                label="Identity providers"
                rows={providers}
                columns={columns}
                keyOf={({ id }) => id}
                nameOf={nameOfCompany}
              />
            )
          }
        </View>
      </section>
      <Provisioning path={pathOfOrganization(organization.id)} />
    </>
  );
}
