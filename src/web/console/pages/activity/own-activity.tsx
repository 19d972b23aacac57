import { pathWith } from '../../core/api.js';
import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { Pager } from '../../parts/list.js';
import { Empty, View } from '../../parts/view.js';
import { Entries, type EntryPage } from './entries.js';

type Filter = Readonly<Record<string, string>>;

interface OwnActivityProps {
  /** Of the API. */
  readonly path: string;
  readonly query?: Filter;
  /** What finds the same on the page Activity. */
  readonly filter: Filter;
  readonly title?: string;
}

/** What one user or organization did, and what was done to it. */
export function OwnActivity({ path, query = {}, filter, title }: OwnActivityProps) {
  const cursor = place.value.query.get('cursor');
  const page = useResource<EntryPage>(pathWith(path, { ...query, cursor }));
  return (
    <section>
      {title !== undefined && <h2>{title}</h2>}
      <View of={page}>
        {({ entries, next_cursor }) => (
          <>
            <p>
              <a href={pathWith('/activity', filter)}>Filter or export these</a>
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
