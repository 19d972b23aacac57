/** Validates what administrators say about an endpoint of events. */
import type { WebhookChanges } from '../../../db/webhooks.js';
import { isWebhookUrl } from '../../config/event-checks.js';
import { isEventPattern } from '../../config/event-types.js';
import { apiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';

/** As in the request body. */
export interface GivenWebhook {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly include?: readonly string[];
  readonly description?: string;
  readonly enabled?: boolean;
}

const MAX_URL_LENGTH = 2048;
const MAX_DESCRIPTION_LENGTH = 500;
const MAX_EVENTS = 50;

export const invalidWebhook = (reason: string) => apiError('invalidParameter', { reason });

/** @throws ApiError invalidParameter */
export function readWebhookFields({ config }: Pick<App, 'config'>, given: GivenWebhook): WebhookChanges {
  const { url, events, include, description, enabled } = given;
  if (url !== undefined) assertUrl(url, config.outboundPrivateHosts);
  if (events !== undefined) assertEvents(events);
  const part = include?.find((name) => name !== 'user');
  if (part !== undefined || (include?.length ?? 0) > 1) throw invalidWebhook('include may only be ["user"]');
  if ((description?.length ?? 0) > MAX_DESCRIPTION_LENGTH) {
    throw invalidWebhook(`description has more than ${MAX_DESCRIPTION_LENGTH} characters`);
  }
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { patterns: events }),
    ...(include !== undefined && { include }),
    ...(description !== undefined && { description }),
    ...(enabled !== undefined && { is_enabled: enabled }),
  };
}

function assertUrl(text: string, privateHosts: readonly string[]): void {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalidWebhook('url must be an https:// URL');
  if (url.username !== '' || url.password !== '')
    throw invalidWebhook('url must not contain a user name or a password');
  if (!isWebhookUrl(url, privateHosts)) {
    throw invalidWebhook(
      'url must begin with https:// and be on the public internet, unless AUTH_OUTBOUND_PRIVATE_HOSTS lists its host',
    );
  }
}

function assertEvents(events: readonly string[]): void {
  if (events.length === 0 || events.length > MAX_EVENTS)
    throw invalidWebhook(`events must have 1 to ${MAX_EVENTS} entries`);
  const unknown = events.find((event) => !isEventPattern(event));
  if (unknown !== undefined) throw invalidWebhook(`events has an unknown entry: ${unknown.slice(0, 64)}`);
}
