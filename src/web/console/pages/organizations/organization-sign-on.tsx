/** How people come to an organization: the identity providers at which they sign in, which have their own pages, and provisioning. */
import { useResource } from '../../core/resource.js';
import { Badge } from '../../parts/details.js';
import { type Column, List } from '../../parts/list.js';
import { Empty, View } from '../../parts/view.js';
import { nameOfCompany, type ShownCompany, sayDomain } from '../companies/shown-company.js';
import { CompanyState } from '../companies/state.js';
import { Provisioning } from '../provisioning/tokens.js';
import { pathOfOrganization, type ShownOrganization } from './shown-organization.js';

/** A provider of OpenID Connect, as the API shows it. */
interface ShownOpenid {
  readonly identifier: string;
  readonly name: string;
  readonly issuer?: string;
  readonly enabled: boolean;
  readonly roles?: readonly string[];
}

interface SignOn {
  readonly providers: readonly ShownCompany[];
  readonly openid: readonly ShownOpenid[];
}

/** One of either kind. */
type Shown = { readonly saml: ShownCompany } | { readonly openid: ShownOpenid };

const nameOf = (row: Shown): string => ('saml' in row ? nameOfCompany(row.saml) : row.openid.name);
const pathOf = (row: Shown): string =>
  'saml' in row ? `/companies/${row.saml.id}` : `/providers/${encodeURIComponent(row.openid.identifier)}`;

const columns: readonly Column<Shown>[] = [
  {
    title: 'Provider',
    cell: (row) => (
      <a href={pathOf(row)} class="name">
        {nameOf(row)}
      </a>
    ),
  },
  { title: 'Kind', from: 'medium', cell: (row) => ('saml' in row ? 'SAML' : 'OpenID Connect') },
  {
    title: 'State',
    cell: (row) =>
      'saml' in row ? (
        <CompanyState company={row.saml} />
      ) : (
        <span class="badges">{row.openid.enabled ? <Badge tone="ok">on</Badge> : <Badge>disabled</Badge>}</span>
      ),
  },
  {
    title: 'Domains',
    from: 'medium',
    cell: (row) => ('saml' in row ? row.saml.domains.map(sayDomain).join(', ') || '–' : 'all proved'),
  },
  {
    title: 'Join as',
    from: 'wide',
    cell: (row) => (('saml' in row ? row.saml.roles : row.openid.roles) ?? []).join(', '),
  },
];

export function OrganizationSignOn({ organization }: { readonly organization: ShownOrganization }) {
  const list = useResource<SignOn>(`${pathOfOrganization(organization.id)}/sso-providers`);
  return (
    <>
      <section>
        <p class="muted">Who signs in at one of them joins. Members with sso:manage add them, too.</p>
        <View of={list}>
          {({ providers, openid }) => {
            const rows: readonly Shown[] = [
              ...providers.map((saml) => ({ saml })),
              ...openid.map((one) => ({ openid: one })),
            ];
            return rows.length === 0 ? (
              <Empty title="It has no identity provider">
                <p>
                  One of <a href="/companies">Companies</a> can belong to it.
                </p>
              </Empty>
            ) : (
              <List label="Identity providers" rows={rows} columns={columns} keyOf={pathOf} nameOf={nameOf} />
            );
          }}
        </View>
      </section>
      <Provisioning path={pathOfOrganization(organization.id)} />
    </>
  );
}
