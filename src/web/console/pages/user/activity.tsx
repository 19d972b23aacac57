import { pathWith } from '../../core/api.js';
import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { Pager } from '../../parts/list.js';
import { Empty, View } from '../../parts/view.js';
import { Entries, type EntryPage } from '../activity/entries.js';

/** What the user did, and what was done to the account. */
export function UserActivity({ userId }: { readonly userId: string }) {
  const cursor = place.value.query.get('cursor');
  const page = useResource<EntryPage>(pathWith(`/api/users/${userId}/activity`, { cursor }));
  return (
    <section>
      <h2>What happened</h2>
      <View of={page}>
        {({ entries, next_cursor }) => (
          <>
            <p>
              <a href={pathWith('/activity', { person: userId })}>Filter or export these</a>
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
