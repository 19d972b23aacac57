import { Badge } from '../../parts/details.js';
import { type ShownWebhook, sayCount } from './shown-webhook.js';

export function WebhookState({ webhook }: { readonly webhook: ShownWebhook }) {
  const { enabled, disabled_reason: reason, dead, pending } = webhook;
  if (!enabled || reason !== null) return <Badge tone="warn">{reason === null ? 'off' : `off: ${reason}`}</Badge>;
  if (dead > 0) return <Badge tone="danger">{sayCount(dead)} given up</Badge>;
  if (pending > 0) return <Badge tone="plain">{sayCount(pending)} waiting</Badge>;
  return <Badge tone="ok">delivers</Badge>;
}
