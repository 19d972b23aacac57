/** Webhooks, and how they fare. */
import { useState } from 'preact/hooks';
import { send } from '../core/api.js';
import { useResource } from '../core/resource.js';
import { may, toast } from '../core/state.js';
import { DeedDialog } from '../parts/dialog.js';
import { Heading } from '../parts/heading.js';
import { type Column, List } from '../parts/list.js';
import { SecretDialog } from '../parts/secret-dialog.js';
import { Time } from '../parts/time.js';
import { Empty, View } from '../parts/view.js';
import { WebhookFields } from './webhooks/fields.js';
import { readWebhookForm, type ShownWebhook } from './webhooks/shown-webhook.js';
import { WebhookState } from './webhooks/state.js';

const columns: readonly Column<ShownWebhook>[] = [
  {
    title: 'Posts to',
    cell: ({ id, url }) => (
      <a href={`/webhooks/${id}`} class="name">
        {url}
      </a>
    ),
  },
  { title: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { title: 'Events', from: 'medium', cell: ({ events }) => events.join(', ') },
  { title: 'Added', from: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
];

export function Page() {
  const list = useResource<{ readonly webhooks: readonly ShownWebhook[] }>('/api/webhooks');
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Heading title="Webhooks" about="Where events are posted to, signed, with every attempt." of={list}>
        {may('admin') && (
          <button type="button" onClick={() => setAdding(true)}>
            Add a webhook
          </button>
        )}
      </Heading>
      <View of={list}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title="There are no webhooks">
              <p>A webhook tells an application of sign-ups, sign-ins and changes of accounts.</p>
            </Empty>
          ) : (
            <List label="Webhooks" rows={webhooks} columns={columns} keyOf={({ id }) => id} />
          )
        }
      </View>
      {isAdding && (
        <DeedDialog
          title="Add a webhook"
          verb="Add webhook"
          onClose={() => setAdding(false)}
          run={async ({ reason, form }) => {
            const body = { ...readWebhookForm(form), reason };
            const { data } = await send<ShownWebhook & { readonly secret: string }>('POST', '/api/webhooks', { body });
            setSecret(data.secret);
            toast('Webhook added');
            await list.reload();
          }}
        >
          <WebhookFields />
        </DeedDialog>
      )}
      {secret !== null && (
        <SecretDialog title="Secret of the webhook" what="the secret" secret={secret} onClose={() => setSecret(null)}>
          <p>The receiver verifies the signature of each event with it (Standard Webhooks).</p>
        </SecretDialog>
      )}
    </>
  );
}
