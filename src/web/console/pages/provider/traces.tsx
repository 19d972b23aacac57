import { useResource } from '../../core/resource.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { Empty, View } from '../../parts/view.js';
import type { ShownTrace } from './shown-provider.js';
import { TraceBadge } from './trace-badge.js';

const KIND: Column<ShownTrace> = {
  title: 'Kind',
  from: 'medium',
  cell: ({ is_dry }) => (is_dry ? 'dry run' : 'real sign-in'),
};

const columns: readonly Column<ShownTrace>[] = [
  {
    title: 'Opened',
    cell: ({ id, created_at }) => (
      <a href={`/traces/${id}`}>
        <Time at={created_at} />
      </a>
    ),
  },
  { title: 'By', from: 'medium', cell: ({ operator_name }) => operator_name },
  KIND,
  { title: 'Result', cell: ({ state }) => <TraceBadge state={state} /> },
];

interface TracesProps {
  /** Of the list. */
  readonly path: string;
  /** False: all are dry runs. */
  readonly hasKinds?: boolean;
}

/** The traces of a provider of the last day. */
export function Traces({ path, hasKinds = true }: TracesProps) {
  const list = useResource<{ traces: readonly ShownTrace[] }>(path);
  return (
    <View of={list} rows={3}>
      {({ traces }) =>
        traces.length === 0 ? (
          <Empty title="No trace within the last day">
            <p>Open one, and sign in: each step is shown as it happens.</p>
          </Empty>
        ) : (
          <List
            label="Traces"
            rows={traces}
            columns={hasKinds ? columns : columns.filter((column) => column !== KIND)}
            keyOf={({ id }) => id}
          />
        )
      }
    </View>
  );
}
