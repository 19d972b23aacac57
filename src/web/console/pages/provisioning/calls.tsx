/** The last calls of an identity provider that provisions: what they changed, and why they failed. */
import { useResource } from '../../core/resource.js';
import { Badge } from '../../parts/details.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { View } from '../../parts/view.js';

interface ShownCall {
  readonly id: string;
  readonly called_at: string;
  readonly request_id: string;
  readonly token_name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly scim_type: string | null;
  readonly detail: string | null;
  readonly changes: readonly string[];
  readonly resource_id: string | null;
}

interface ShownCalls {
  readonly is_recording: boolean;
  readonly calls: readonly ShownCall[];
}

const columns: readonly Column<ShownCall>[] = [
  { title: 'When', cell: ({ called_at }) => <Time at={called_at} /> },
  {
    title: 'Call',
    cell: (call) => (
      <>
        <code class="break">
          {call.method} <Place of={call} />
        </code>{' '}
        <Badge tone={call.status < 400 ? 'ok' : 'danger'}>
          {call.status} {call.scim_type}
        </Badge>
        <Story of={call} />
      </>
    ),
  },
  { title: 'Token', from: 'medium', cell: ({ token_name }) => <bdi>{token_name || '–'}</bdi> },
];

/** People have a page. */
function Place({ of: { path, resource_id } }: { readonly of: ShownCall }) {
  const isPerson = resource_id !== null && path.startsWith('/Users');
  return <>{isPerson ? <a href={`/users/${resource_id}`}>{path}</a> : path}</>;
}

const Story = ({ of: { status, detail, changes, request_id } }: { readonly of: ShownCall }) => (
  <>
    {detail !== null && (
      <div>
        <a href={`/requests/${encodeURIComponent(request_id)}`}>{detail}</a>
      </div>
    )}
    {changes.length > 0 && (
      <div class={`small break ${status < 400 ? '' : 'muted'}`}>
        {status < 400 ? '' : 'not changed: '}
        {changes.join(', ')}
      </div>
    )}
  </>
);

/** @param path of the provider or organization */
export function Calls({ path }: { readonly path: string }) {
  const list = useResource<ShownCalls>(`${path}/scim-calls`);
  return (
    <section>
      <header class="row">
        <h3>Last calls</h3>
        <button type="button" class="plain small" aria-busy={list.isLoading} onClick={() => void list.reload()}>
          Reload
        </button>
      </header>
      <View of={list} rows={3}>
        {({ is_recording, calls }) =>
          calls.length === 0 ? (
            <p class="muted">
              {is_recording
                ? 'The identity provider has not called yet.'
                : 'This server does not record them: set AUTH_CONSOLE_RECORDS_ENABLED.'}
            </p>
          ) : (
            <List label="Last SCIM calls" rows={calls} columns={columns} keyOf={({ id }) => id} />
          )
        }
      </View>
    </section>
  );
}
