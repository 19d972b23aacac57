/** Which set of the settings in the database each process uses. */
import { useResource } from '../../core/resource.js';
import { ConfigNotes, type ConfigProcess, type ConfigState } from '../../parts/config-notes.js';
import { Badge } from '../../parts/details.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { Empty, View } from '../../parts/view.js';

export function Processes() {
  const config = useResource<ConfigState>('/api/config');
  return (
    <View of={config} rows={4}>
      {(state) => (
        <>
          <ConfigNotes state={state} put={config.put} />
          <p class="muted">
            {state.version === 0
              ? 'The database sets nothing yet.'
              : `Set ${state.version} of the settings in the database is the newest.`}{' '}
            {state.changed_at !== null && (
              <>
                {state.changed_by} stored it <Time at={state.changed_at} />.
              </>
            )}
          </p>
          {state.processes.length === 0 ? (
            <Empty title="No process has said yet what it uses" />
          ) : (
            <List label="Processes" rows={state.processes} columns={columnsFor(state.version)} keyOf={({ id }) => id} />
          )}
        </>
      )}
    </View>
  );
}

const columnsFor = (newest: number): readonly Column<ConfigProcess>[] => [
  { title: 'Machine', cell: ({ host }) => <code class="break">{host}</code> },
  {
    title: 'State',
    cell: ({ version, error }) => {
      if (error !== null) return <Badge tone="danger">cannot apply it</Badge>;
      return version === newest ? <Badge tone="ok">up to date</Badge> : <Badge tone="warn">follows</Badge>;
    },
  },
  { title: 'Uses', cell: ({ version }) => (version === 0 ? 'no set' : `set ${version}`) },
  { title: 'Seen', from: 'medium', cell: ({ seen_at }) => <Time at={seen_at} /> },
];
