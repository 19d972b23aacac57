import { pathWith } from '../../core/api.js';
import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { Pager } from '../../parts/list.js';
import { Empty, View } from '../../parts/view.js';
import { Entries, type EntryPage } from '../activity/entries.js';
import type { ShownOrganization } from './shown-organization.js';

/** What was done to an organization, its members, invitations and domains. */
export function OrganizationActivity({ organization: { id } }: { readonly organization: ShownOrganization }) {
  const cursor = place.value.query.get('cursor');
  const page = useResource<EntryPage>(pathWith('/api/activity', { organization_id: id, cursor }));
  return (
    <section>
      <View of={page}>
        {({ entries, next_cursor }) => (
          <>
            <p>
              <a href={pathWith('/activity', { organization_id: id })}>Filter or export these</a>
            </p>
            {entries.length === 0 ? (
              <Empty title="Nothing is recorded" />
            ) : (
              <Entries label="Activity" entries={entries} />
            )}
            <Pager next={next_cursor} />
          </>
        )}
      </View>
    </section>
  );
}
