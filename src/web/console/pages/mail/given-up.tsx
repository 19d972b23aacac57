/** What was given up within a week. */
import { pathWith } from '../../core/api.js';
import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { Badge } from '../../parts/details.js';
import { type Column, List, Pager } from '../../parts/list.js';
import { sayStage } from '../../parts/mail-stages.js';
import { Time } from '../../parts/time.js';
import { Empty, View } from '../../parts/view.js';
import { Recipient, Stages, sayKind } from './stages.js';

interface Message {
  readonly id: string;
  readonly user_id: string | null;
  readonly kind: string;
  readonly recipient: string | null;
  readonly reason: 'refused' | 'expired' | 'unknown';
  readonly stage: string | null;
  readonly failure: string | null;
  readonly attempts: number;
  readonly created_at: string;
  readonly failed_at: string;
}

interface FailedPage {
  readonly messages: readonly Message[];
  readonly next_cursor: string | null;
  readonly stages: readonly {
    readonly reason: Message['reason'];
    readonly stage: string | null;
    readonly messages: number;
  }[];
}

const reasons = {
  refused: 'refused',
  expired: 'too late',
  unknown: 'may have arrived',
} as const;

export function GivenUp({ channel }: { readonly channel: 'mail' | 'text' }) {
  const query = { channel, cursor: place.value.query.get('cursor') };
  const page = useResource<FailedPage>(pathWith('/api/mail/failures', query));
  return (
    <View of={page}>
      {({ messages, next_cursor, stages }) => (
        <>
          <Stages
            counts={stages.map(({ reason, stage, messages: count }) => ({
              words: stage === null ? reasons[reason] : `${reasons[reason]}, ${sayStage(stage)}`,
              count,
            }))}
          />
          {messages.length === 0 ? (
            <Empty title="Nothing was given up">
              <p>Messages that could not be sent while they were of use stay here for a week.</p>
            </Empty>
          ) : (
            <>
              <List label="Messages that were given up" rows={messages} columns={columns} keyOf={({ id }) => id} />
              <p class="muted">None of them is sent again: send a new link from the page of the user.</p>
            </>
          )}
          <Pager next={next_cursor} />
        </>
      )}
    </View>
  );
}

const columns: readonly Column<Message>[] = [
  { title: 'To', cell: ({ user_id, recipient }) => <Recipient userId={user_id} recipient={recipient} /> },
  { title: 'Kind', cell: ({ kind }) => <span class="whole">{sayKind(kind)}</span> },
  {
    title: 'Why',
    cell: ({ reason, stage, failure, attempts }) => (
      <>
        <Badge tone={reason === 'unknown' ? 'warn' : 'danger'}>{reasons[reason]}</Badge>
        <p class="small muted break">
          {stage !== null && <strong>{sayStage(stage)}: </strong>}
          {failure ?? 'It was never tried.'} ({attempts} {attempts === 1 ? 'attempt' : 'attempts'})
        </p>
      </>
    ),
  },
  { title: 'When', cell: ({ failed_at }) => <Time at={failed_at} /> },
  { title: 'Asked for', from: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
];
