/** What can be done to a webhook. */
import type { JSX } from 'preact';
import { send } from '../../core/api.js';
import { mergeOf } from '../../core/json-changes.js';
import { navigate } from '../../core/location.js';
import { toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { WebhookFields } from './fields.js';
import { formOfWebhook, readWebhookForm, type ShownWebhook } from './shown-webhook.js';

export type Deed = 'test' | 'replay' | 'change' | 'rotate' | 'delete';

interface DialogProps {
  readonly webhook: ShownWebhook;
  readonly path: string;
  readonly reload: () => Promise<void>;
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

export function WebhookDialog({ deed, ...props }: DialogProps & { readonly deed: Deed }) {
  const Dialog = dialogs[deed];
  return <Dialog {...props} />;
}

const dialogs: Readonly<Record<Deed, (props: DialogProps) => JSX.Element>> = {
  test: Test,
  replay: Replay,
  change: Change,
  rotate: Rotate,
  delete: Delete,
};

interface TestOutcome {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

function Test({ webhook, path, onClose }: DialogProps) {
  return (
    <DeedDialog
      title="Send a test event?"
      verb="Send"
      onClose={onClose}
      run={async ({ reason }) => {
        const { data } = await send<TestOutcome>('POST', `${path}/test`, { body: { reason } });
        const took = `after ${data.duration_ms} ms`;
        if (data.delivered) toast(`It answered ${data.status} ${took}`);
        else toast(`Not delivered: ${data.error} ${took}`, true);
      }}
    >
      <p>
        An event of the type <code>webhook.test</code> is posted to {webhook.url} at once, also while the webhook is
        off.
      </p>
    </DeedDialog>
  );
}

function Replay({ path, reload, onClose }: DialogProps) {
  const timeOf = (form: FormData, name: string): string | undefined => {
    const text = String(form.get(name));
    return text === '' ? undefined : new Date(text).toISOString();
  };
  return (
    <DeedDialog
      title="Replay a range"
      verb="Replay"
      onClose={onClose}
      run={async ({ reason, form }) => {
        const body = { since: timeOf(form, 'since'), until: timeOf(form, 'until'), reason };
        const { data } = await send<{ readonly replayed: number }>('POST', `${path}/replay`, { body });
        toast(data.replayed === 0 ? 'Nothing was given up or missed then' : `${data.replayed} are delivered again`);
        await reload();
      }}
    >
      <p>
        Delivers again what was given up, and what the webhook missed while it was off. Repeats nothing that arrived.
      </p>
      <Field label="Since" name="since" type="datetime-local" required />
      <Field label="Until" name="until" type="datetime-local" hint="empty: now" />
    </DeedDialog>
  );
}

function Change({ webhook, path, reload, onClose }: DialogProps) {
  return (
    <DeedDialog
      title="Change the webhook"
      verb="Save"
      onClose={onClose}
      run={async ({ reason, form }) => {
        await send('PUT', path, { body: { ...mergeOf(formOfWebhook(webhook), readWebhookForm(form)), reason } });
        toast('Webhook changed');
        await reload();
      }}
    >
      <WebhookFields webhook={webhook} />
    </DeedDialog>
  );
}

function Rotate({ path, onSecret, onClose }: DialogProps) {
  return (
    <DeedDialog
      title="Make a new secret?"
      verb="Make a new secret"
      onClose={onClose}
      run={async ({ reason }) => {
        const { data } = await send<{ readonly secret: string }>('POST', `${path}/rotate-secret`, { body: { reason } });
        onSecret(data.secret);
      }}
    >
      <p>Events are signed with both secrets for 24 hours, so that the receiver can change over.</p>
    </DeedDialog>
  );
}

function Delete({ webhook, path, onClose }: DialogProps) {
  return (
    <DeedDialog
      title="Delete the webhook?"
      verb="Delete webhook"
      isDanger
      typed={new URL(webhook.url).host}
      onClose={onClose}
      run={async ({ reason }) => {
        await send('DELETE', path, { body: { reason } });
        toast('Webhook deleted');
        navigate('/webhooks');
      }}
    >
      <p>Its deliveries go with it, and events from now on are not posted to it.</p>
    </DeedDialog>
  );
}
