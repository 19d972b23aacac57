import { asFault, send } from '../../core/api.js';
import { may, toast } from '../../core/state.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import type { ShownDelivery } from './shown-webhook.js';

interface DeliveriesProps {
  readonly webhookPath: string;
  readonly rows: readonly ShownDelivery[];
  readonly reload: () => Promise<void>;
}

export function Deliveries({ webhookPath, rows, reload }: DeliveriesProps) {
  const replay = async ({ id }: ShownDelivery) => {
    try {
      await send('POST', `${webhookPath}/deliveries/${id}/replay`, { body: {} });
      toast('It is delivered again');
      await reload();
    } catch (error) {
      toast(asFault(error).message, true);
    }
  };
  const columns: readonly Column<ShownDelivery>[] = [
    {
      title: 'Event',
      cell: ({ event }) => (
        <>
          {event.type} <code class="small muted clip">{event.id}</code>
        </>
      ),
    },
    {
      title: 'User',
      from: 'wide',
      cell: ({ event }) => (event.user_id === null ? '–' : <a href={`/users/${event.user_id}`}>{event.user_id}</a>),
    },
    { title: 'Queued', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Attempts', cell: ({ attempts }) => attempts },
    {
      title: 'Last answer',
      cell: ({ last_status, last_error, last_attempt_at }) => (
        <>
          {last_error ?? last_status ?? '–'} {last_attempt_at !== null && <Time at={last_attempt_at} />}
        </>
      ),
    },
    {
      title: 'Actions',
      isEnd: true,
      cell: (row) =>
        may('support') && (
          <button
            type="button"
            class="plain small"
            aria-label={`Replay ${row.event.type} ${row.event.id}`}
            onClick={() => void replay(row)}
          >
            Replay
          </button>
        ),
    },
  ];
  return <List label="Deliveries" rows={rows} columns={columns} keyOf={({ id }) => id} />;
}
