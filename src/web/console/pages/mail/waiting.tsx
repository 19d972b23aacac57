/** What waits in the outbox: tried again at once, or discarded. */
import { useState } from 'preact/hooks';
import { pathWith, send } from '../../core/api.js';
import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { may, toast } from '../../core/state.js';
import { Badge } from '../../parts/details.js';
import { DeedDialog } from '../../parts/dialog.js';
import { type Column, List, Pager } from '../../parts/list.js';
import { sayStage } from '../../parts/mail-stages.js';
import { Time } from '../../parts/time.js';
import { Empty, Forbidden, View } from '../../parts/view.js';
import { Recipient, Stages, sayKind } from './stages.js';

interface Message {
  readonly id: string;
  readonly user_id: string | null;
  readonly kind: string;
  readonly recipient: string | null;
  readonly attempts: number;
  readonly created_at: string;
  readonly next_attempt_at: string;
  readonly is_being_sent: boolean;
  readonly failed_stage: string | null;
  readonly failure: string | null;
}

interface WaitingPage {
  readonly messages: readonly Message[];
  readonly next_cursor: string | null;
  readonly stages: readonly { readonly stage: string | null; readonly messages: number; readonly oldest_at: string }[];
}

type Verb = 'retry' | 'discard';

export function Waiting({ channel }: { readonly channel: 'mail' | 'text' }) {
  const isAllowed = may('support');
  const query = { channel, cursor: place.value.query.get('cursor') };
  const page = useResource<WaitingPage>(isAllowed ? pathWith('/api/mail/outbox', query) : null);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [verb, setVerb] = useState<Verb | null>(null);
  if (!isAllowed) return <Forbidden message="What waits needs the role support." />;
  const run = async (reason: string | undefined) => {
    const body = { ids: [...ids], reason };
    const { data } = await send<{ done: string[]; skipped: string[] }>('POST', `/api/mail/outbox/${verb}`, { body });
    const skipped = data.skipped.length === 0 ? '' : `; ${data.skipped.length} are being sent or gone`;
    toast(`${data.done.length} ${verb === 'retry' ? 'are tried now' : 'are discarded'}${skipped}`);
    setIds(new Set());
    await page.reload();
  };
  return (
    <View of={page}>
      {({ messages, next_cursor, stages }) => (
        <>
          <Stages
            counts={stages.map(({ stage, messages: count }) => ({
              words: stage ? sayStage(stage) : 'not tried yet',
              count,
            }))}
          />
          {messages.length === 0 ? (
            <Empty title="Nothing waits">
              <p>Whatever is sent leaves at once; what cannot be sent stays here while its code is valid.</p>
            </Empty>
          ) : (
            <>
              <div class="deeds">
                <button type="button" class="plain" disabled={ids.size === 0} onClick={() => setVerb('retry')}>
                  Try now
                </button>
                {may('admin') && (
                  <button
                    type="button"
                    class="danger plain"
                    disabled={ids.size === 0}
                    onClick={() => setVerb('discard')}
                  >
                    Discard
                  </button>
                )}
                <span class="small muted">{ids.size} selected</span>
                <button type="button" class="link small" onClick={() => void page.reload()} aria-busy={page.isLoading}>
                  Look again
                </button>
              </div>
              <List
                label="Waiting messages"
                rows={messages}
                columns={columns}
                keyOf={({ id }) => id}
                nameOf={({ kind, recipient }) => `${kind} to ${recipient ?? 'somebody'}`}
                selection={{ ids, change: setIds }}
              />
            </>
          )}
          <Pager next={next_cursor} />
          {verb !== null && (
            <DeedDialog
              title={verb === 'retry' ? 'Try again at once' : 'Discard messages'}
              verb={verb === 'retry' ? 'Try now' : 'Discard'}
              isDanger={verb === 'discard'}
              onClose={() => setVerb(null)}
              run={({ reason }) => run(reason)}
            >
              <p>
                {ids.size} selected.{' '}
                {verb === 'discard'
                  ? 'They are not sent; their codes stay valid until they expire.'
                  : 'Those that are being sent are left alone.'}
              </p>
            </DeedDialog>
          )}
        </>
      )}
    </View>
  );
}

const columns: readonly Column<Message>[] = [
  { title: 'To', cell: ({ user_id, recipient }) => <Recipient userId={user_id} recipient={recipient} /> },
  { title: 'Kind', cell: ({ kind }) => <span class="whole">{sayKind(kind)}</span> },
  {
    title: 'State',
    cell: ({ is_being_sent, failed_stage, failure, attempts }) => (
      <>
        {is_being_sent ? (
          <Badge>being sent</Badge>
        ) : failure === null ? (
          <Badge>waits</Badge>
        ) : (
          <Badge tone="warn">failed</Badge>
        )}
        {failure !== null && (
          <p class="small muted break">
            {failed_stage !== null && <strong>{sayStage(failed_stage)}: </strong>}
            {failure} ({attempts} {attempts === 1 ? 'attempt' : 'attempts'})
          </p>
        )}
      </>
    ),
  },
  { title: 'Next try', from: 'medium', cell: ({ next_attempt_at }) => <Time at={next_attempt_at} /> },
  { title: 'Since', from: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
];
