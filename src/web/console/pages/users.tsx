/** People: by the beginning of an address, number or id, or newest first with filters. It never counts. */

import { useState } from 'preact/hooks';
import { pathWith } from '../core/api.js';
import { place } from '../core/location.js';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { nameOfUser, type User } from '../core/user.js';
import { ExportButton } from '../parts/export-button.js';
import { Filters } from '../parts/filters.js';
import { Heading } from '../parts/heading.js';
import { List, Pager } from '../parts/list.js';
import { Time } from '../parts/time.js';
import { Empty, View } from '../parts/view.js';
import { BulkBar } from './users/bulk.js';
import { userColumns } from './users/columns.js';
import { filterFields, filterNames } from './users/filters.js';
import { SavedFilters } from './users/saved.js';

interface UserPage {
  readonly users: readonly User[];
  readonly next_cursor: string | null;
  readonly searched_until: string | null;
  readonly about_total: number;
}

export function Page() {
  const { query } = place.value;
  const given = Object.fromEntries([...filterNames, 'cursor'].map((name) => [name, query.get(name)]));
  const page = useResource<UserPage>(pathWith('/api/users', given));
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const isFiltered = filterNames.some((name) => query.has(name));
  const total = page.data?.about_total ?? 0;
  return (
    <>
      <Heading title="Users" about={total > 0 ? `About ${total.toLocaleString('en')} accounts.` : undefined} />
      {/* The other filters are for the list without a search. */}
      <Filters fields={query.has('q') ? filterFields.slice(0, 1) : filterFields} />
      <SavedFilters />
      <View of={page} rows={12}>
        {({ users, next_cursor, searched_until }) => (
          <>
            {users.length === 0 && searched_until === null ? (
              <NoUsers isFiltered={isFiltered} />
            ) : (
              <List
                label="Users"
                rows={users}
                columns={userColumns}
                keyOf={({ id }) => id}
                nameOf={nameOfUser}
                selection={may('support') ? { ids, change: setIds } : undefined}
              />
            )}
            <BulkBar
              users={users.filter(({ id }) => ids.has(id))}
              reload={page.reload}
              clear={() => setIds(new Set())}
            />
            <ExportButton path="/api/users/export" name="users" filter={{ ...given, cursor: null }} />
            <Pager next={next_cursor}>
              {searched_until !== null && (
                <>
                  Looked at the accounts back to <Time at={searched_until} isExact />; older ones follow. A prefix of an
                  address finds more at once.
                </>
              )}
            </Pager>
          </>
        )}
      </View>
    </>
  );
}

const NoUsers = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No account matches">
      <p>The search finds beginnings: of an address, a number with its country, or an id of at least 4 digits.</p>
    </Empty>
  ) : (
    <Empty title="There are no accounts yet">
      <p>
        They appear here when somebody signs up, when one is created through the API for administrators, or when a file
        of them is imported.
      </p>
    </Empty>
  );
