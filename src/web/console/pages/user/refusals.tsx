import { pathWith } from '../../core/api.js';
import type { RefusalPage } from '../../core/refusal.js';
import { useResource } from '../../core/resource.js';
import { List } from '../../parts/list.js';
import { Empty, View } from '../../parts/view.js';
import { NotRecording, refusalColumns } from '../requests/columns.js';

const MOST_SHOWN = '5';
/** The user is that of the page. */
const columns = refusalColumns.filter(({ title }) => title !== 'User');

/** Why requests of the user were refused lately. */
export function UserRefusals({ userId }: { readonly userId: string }) {
  const page = useResource<RefusalPage>(pathWith('/api/requests', { user: userId, limit: MOST_SHOWN }));
  return (
    <section>
      <h2>Refused in the last seven days</h2>
      <View of={page} rows={2}>
        {({ refusals, next_cursor, is_recording }) => (
          <>
            {!is_recording && <NotRecording />}
            {refusals.length === 0 ? (
              <Empty title="Nothing was refused">
                <p>A wrong password or code appears here about a second after its answer.</p>
              </Empty>
            ) : (
              <List label="Refused requests" rows={refusals} columns={columns} keyOf={({ id }) => id} />
            )}
            {next_cursor !== null && (
              <p>
                <a href={pathWith('/requests', { user: userId })}>All refusals of this user</a>
              </p>
            )}
          </>
        )}
      </View>
    </section>
  );
}
