import { Area, Field } from '../../parts/field.js';
import type { ShownWebhook } from './shown-webhook.js';

export const WebhookFields = ({ webhook }: { readonly webhook?: ShownWebhook }) => (
  <>
    <Field
      label="URL"
      name="url"
      type="url"
      hint="https://"
      defaultValue={webhook?.url ?? ''}
      autocomplete="off"
      required
    />
    <Area label="Events" name="events" hint="user.created, session.*, or *; one a line" required>
      {(webhook?.events ?? ['*']).join('\n')}
    </Area>
    <Field
      label="Note"
      name="description"
      defaultValue={webhook?.description ?? ''}
      maxLength={500}
      autocomplete="off"
    />
    <label class="check">
      <input type="checkbox" name="include" defaultChecked={webhook?.include.includes('user') ?? false} />
      Add the user object, as it is when the event is sent
    </label>
    <label class="check">
      <input type="checkbox" name="enabled" defaultChecked={webhook?.enabled ?? true} />
      Events are posted to it
    </label>
  </>
);
