/** Webhooks as the API shows them, and what a form says of one. */
export interface ShownWebhook {
  readonly id: string;
  readonly source: 'api' | 'configuration';
  readonly url: string;
  readonly events: readonly string[];
  readonly include: readonly string[];
  readonly description: string;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly pending: number;
  readonly dead: number;
  readonly last_error: string | null;
  readonly last_status: number | null;
  readonly last_attempt_at: string | null;
}

export interface ShownDelivery {
  readonly id: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly last_attempt_at: string | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly event: { readonly id: string; readonly type: string; readonly user_id: string | null };
}

/** What a form says of a webhook. */
type WebhookForm = Pick<ShownWebhook, 'url' | 'events' | 'include' | 'description' | 'enabled'>;

/** The server counts up to a thousand. */
export const sayCount = (count: number): string => (count > 1000 ? 'over 1000' : String(count));

/** One a line, or separated by commas. */
export const linesOf = (form: FormData, name: string): string[] =>
  String(form.get(name) ?? '')
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const readWebhookForm = (form: FormData): WebhookForm => ({
  url: String(form.get('url')).trim(),
  events: linesOf(form, 'events'),
  include: form.get('include') === null ? [] : ['user'],
  description: String(form.get('description') ?? '').trim(),
  enabled: form.get('enabled') !== null,
});

/** @returns what the form of a webhook begins with, as {@link readWebhookForm} reads it */
export const formOfWebhook = ({ url, events, include, description, enabled }: ShownWebhook): WebhookForm => ({
  url,
  events,
  include,
  description,
  enabled,
});
