/** One webhook: what it gets, what became of it, and what can be done. */
import { useState } from 'preact/hooks';
import { pathWith } from '../core/api.js';
import { place } from '../core/location.js';
import type { PageProps } from '../core/page.js';
import { usePolling } from '../core/polling.js';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { Details } from '../parts/details.js';
import { Heading } from '../parts/heading.js';
import { Pager } from '../parts/list.js';
import { SecretDialog } from '../parts/secret-dialog.js';
import { currentTab, Tabs } from '../parts/tabs.js';
import { Time } from '../parts/time.js';
import { Empty, View } from '../parts/view.js';
import { Deliveries } from './webhooks/deliveries.js';
import { type Deed, WebhookDialog } from './webhooks/dialogs.js';
import type { ShownDelivery, ShownWebhook } from './webhooks/shown-webhook.js';
import { WebhookState } from './webhooks/state.js';

/** While something waits to be delivered. */
const POLL_MS = 3000;

export function Page({ params }: PageProps) {
  const path = `/api/webhooks/${params['webhook_id']}`;
  const shown = useResource<ShownWebhook>(path);
  const [deed, setDeed] = useState<Deed | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const webhook = shown.data;
  const isOwn = webhook?.source === 'api';
  const state = currentTab(tabsOf(webhook));
  const list = useResource<DeliveryPage>(
    pathWith(`${path}/deliveries`, { state, cursor: place.value.query.get('cursor') }),
  );
  const reload = async () => {
    await Promise.all([shown.reload(), list.reload()]);
  };
  const isWaiting = (webhook?.pending ?? 0) > 0;
  usePolling<ShownWebhook>(isWaiting ? path : null, POLL_MS, (data) => {
    shown.put(data);
    void list.reload(true);
  });
  const button = (what: Deed, text: string) => (
    <button type="button" class="plain" onClick={() => setDeed(what)}>
      {text}
    </button>
  );
  return (
    <>
      <Heading title="Webhook" about={webhook?.url ?? ''} of={shown}>
        {may('support') && (
          <>
            {button('test', 'Send a test')}
            {button('replay', 'Replay a range')}
          </>
        )}
        {may('admin') && isOwn && (
          <>
            {button('change', 'Change')}
            {button('rotate', 'New secret')}
            {button('delete', 'Delete')}
          </>
        )}
      </Heading>
      <View of={shown}>{(data) => <Facts webhook={data} />}</View>
      <section>
        <Tabs label="Deliveries by state" tabs={tabsOf(webhook)} />
        <View of={list}>
          {({ deliveries, next_cursor }) => (
            <>
              {deliveries.length === 0 ? (
                <Empty title={nothing[state]!} />
              ) : (
                <Deliveries webhookPath={path} rows={deliveries} reload={reload} />
              )}
              <Pager next={next_cursor} />
            </>
          )}
        </View>
      </section>
      {deed !== null && webhook !== undefined && (
        <WebhookDialog
          deed={deed}
          webhook={webhook}
          path={path}
          reload={reload}
          onSecret={setSecret}
          onClose={() => setDeed(null)}
        />
      )}
      {secret !== null && (
        <SecretDialog title="New secret" what="the secret" secret={secret} onClose={() => setSecret(null)}>
          <p>The previous one signs beside it for 24 hours.</p>
        </SecretDialog>
      )}
    </>
  );
}

interface DeliveryPage {
  readonly deliveries: readonly ShownDelivery[];
  readonly next_cursor: string | null;
}

const tabsOf = (webhook: ShownWebhook | undefined) => [
  { id: 'dead', title: 'Given up', count: webhook?.dead ?? 0 },
  { id: 'pending', title: 'Waiting', count: webhook?.pending ?? 0 },
  { id: 'delivered', title: 'Delivered' },
];

const nothing: Readonly<Record<string, string>> = {
  dead: 'Nothing was given up',
  pending: 'Nothing waits',
  delivered: 'Nothing was delivered yet',
};

const Facts = ({ webhook }: { readonly webhook: ShownWebhook }) => (
  <Details
    rows={[
      ['State', <WebhookState webhook={webhook} />],
      ['Events', webhook.events.join(', ')],
      ['With', webhook.include.length > 0 ? 'the user object' : null],
      ['Note', webhook.description],
      ['Kept in', webhook.source === 'configuration' ? 'AUTH_WEBHOOKS_URL: it is changed there' : null],
      [
        'Last failure',
        webhook.last_error === null ? null : (
          <>
            {webhook.last_error} <Time at={webhook.last_attempt_at} />
          </>
        ),
      ],
      ['Added', <Time at={webhook.created_at} isExact />],
    ]}
  />
);
