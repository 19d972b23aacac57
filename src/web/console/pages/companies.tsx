/** Identity providers of companies (SAML), and what to enter there. */
import { useState } from 'preact/hooks';
import { navigate } from '../core/location.js';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { Heading } from '../parts/heading.js';
import { type Column, List } from '../parts/list.js';
import { Time } from '../parts/time.js';
import { Empty, View } from '../parts/view.js';
import { CompanyDialog } from './companies/dialogs.js';
import { Guides, OwnValues } from './companies/own.js';
import { type CompanyList, nameOfCompany, type ShownCompany, sayDomain } from './companies/shown-company.js';
import { CompanyState } from './companies/state.js';

const lastEnd = ({ saml }: ShownCompany): string | undefined =>
  saml.certificates
    .map(({ not_after }) => not_after)
    .toSorted()
    .at(-1);

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
  { title: 'Domains', from: 'medium', cell: ({ domains }) => domains.map(sayDomain).join(', ') },
  { title: 'Entity ID', from: 'wide', cell: ({ saml }) => <span class="break">{saml.entity_id}</span> },
  { title: 'Certificate ends', from: 'medium', cell: (company) => <Time at={lastEnd(company)} /> },
];

export function Page() {
  const list = useResource<CompanyList>('/api/sso-providers');
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <Heading title="Companies" about="People who sign in at the identity provider of their company (SAML)." of={list}>
        {may('admin') && (
          <button type="button" onClick={() => setAdding(true)}>
            Add a company
          </button>
        )}
      </Heading>
      <View of={list}>
        {({ own, guides, providers }) => (
          <>
            {providers.length === 0 ? (
              <Empty title="There are no companies">
                <p>Enter the values below at the identity provider of the company, then add it by its metadata.</p>
              </Empty>
            ) : (
              <List
                label="Companies"
                rows={providers}
                columns={columns}
                keyOf={({ id }) => id}
                nameOf={nameOfCompany}
              />
            )}
            <OwnValues own={own} />
            <Guides guides={guides} />
          </>
        )}
      </View>
      {isAdding && <CompanyDialog onClose={() => setAdding(false)} onDone={({ id }) => navigate(`/companies/${id}`)} />}
    </>
  );
}
