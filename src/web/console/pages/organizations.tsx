/** Customers that are companies, teams or households: by the beginning of slug or name, or newest first. */
import { useState } from 'preact/hooks';
import { pathWith } from '../core/api.js';
import { navigate, place } from '../core/location.js';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { type FilterField, Filters } from '../parts/filters.js';
import { Heading } from '../parts/heading.js';
import { type Column, List, Pager } from '../parts/list.js';
import { Time } from '../parts/time.js';
import { Empty } from '../parts/view.js';
import { OrganizationDialog } from './organizations/organization-dialogs.js';
import { OrganizationView } from './organizations/organization-view.js';
import { type ShownOrganization, sayLimit } from './organizations/shown-organization.js';

const fields: readonly FilterField[] = [
  { name: 'search', label: 'Search', kind: 'search', hint: 'Beginning of a slug or a name' },
];

const columns: readonly Column<ShownOrganization>[] = [
  {
    title: 'Organization',
    cell: ({ id, name }) => (
      <a href={`/orgs/${id}`} class="name">
        {name}
      </a>
    ),
  },
  { title: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
  { title: 'Members at most', from: 'wide', cell: ({ max_members }) => sayLimit(max_members) },
  { title: 'Created', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Changed', from: 'wide', cell: ({ updated_at }) => <Time at={updated_at} /> },
];

interface OrganizationPage {
  readonly organizations: readonly ShownOrganization[];
  readonly next_cursor: string | null;
}

export function Page() {
  const { query } = place.value;
  const [search, cursor] = [query.get('search'), query.get('cursor')];
  const page = useResource<OrganizationPage>(pathWith('/api/organizations', { search, cursor }));
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <Heading
        title="Organizations"
        about="Companies, teams or households, whose users are members with roles."
        of={page}
      >
        {page.data !== undefined && (
          <>
            <a class="button plain" href="/org-roles">
              Roles
            </a>
            {may('admin') && (
              <button type="button" onClick={() => setAdding(true)}>
                Add an organization
              </button>
            )}
          </>
        )}
      </Heading>
      {page.fault?.code !== 'feature_disabled' && <Filters fields={fields} />}
      <OrganizationView of={page} rows={12}>
        {({ organizations, next_cursor }) => (
          <>
            {organizations.length === 0 ? (
              <NoOrganizations isFiltered={search !== null} />
            ) : (
              <List
                label="Organizations"
                rows={organizations}
                columns={columns}
                keyOf={({ id }) => id}
                nameOf={({ name }) => name}
              />
            )}
            <Pager next={next_cursor} />
          </>
        )}
      </OrganizationView>
      {isAdding && <OrganizationDialog onClose={() => setAdding(false)} onDone={({ id }) => navigate(`/orgs/${id}`)} />}
    </>
  );
}

const NoOrganizations = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No organization matches">
      <p>The search finds beginnings: of a slug, or of a name.</p>
    </Empty>
  ) : (
    <Empty title="There are no organizations yet">
      <p>They appear here when a user creates one, or when one is added here with its owner.</p>
    </Empty>
  );
