import { findUserById } from '../../db/admin-users.js';
import type { EndpointRow, StoredEvent } from '../../db/events.js';
import type { Database } from '../../db/types.js';
import type { UserRow } from '../../db/user-rows.js';
import type { prepareSigning } from '../hooks/signature.js';
import { callOut, OutboundError } from '../outbound/outbound.js';
import type { Attempt, Outcome } from './contract.js';

/** Renders the user object of the API. */
export type UserView = (row: Readonly<UserRow>) => Record<string, unknown>;

export interface WebhookTarget {
  readonly url: string;
  readonly include: EndpointRow['include'];
  readonly viewUser: UserView;
  /** Called at each attempt, since a rotated secret expires. Null: the secrets cannot be opened. */
  readonly signing: () => ReturnType<typeof prepareSigning> | null;
  /** Hosts on private networks that may be called, also without TLS. */
  readonly privateHosts: () => readonly string[];
}

const UNSIGNED = 'Its secrets were sealed with another server secret: rotate them';

/** Posts an event to a URL, signed. Redirects are not followed, and the body of the answer has no meaning. */
export const postWebhook =
  (db: Database, { url, include, viewUser, signing, privateHosts: hosts }: WebhookTarget): Attempt =>
  async (event) => {
    const sign = signing();
    if (sign === null) return { isDelivered: false, status: null, error: UNSIGNED };
    const body = JSON.stringify(await viewEvent(db, event, include, viewUser));
    const { hostname } = new URL(url);
    const privateHosts = hosts();
    const plain = privateHosts.includes(hostname) ? { plainHost: hostname } : {};
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = { 'Content-Type': 'application/json', ...sign(event.id, timestamp, body) };
    try {
      return judge(await callOut({ url, method: 'POST', headers, body, privateHosts, ...plain }));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { isDelivered: false, status: null, error: error.message };
    }
  };

/**
 * An event in the shape of Standard Webhooks. The user object is the one at the time of sending: the table of events
 * holds no personal data besides the client's address.
 */
export async function viewEvent(
  db: Database,
  event: StoredEvent,
  include: readonly string[],
  viewUser: UserView,
): Promise<Record<string, unknown>> {
  const { id, type, created_at: timestamp, user_id: userId } = event;
  const isWithUser = include.includes('user') && userId !== null;
  const row = isWithUser ? await findUserById(db, userId) : undefined;
  const data = row === undefined ? event.data : { ...event.data, user: viewUser(row) };
  return { type, timestamp, data, id };
}

function judge({ status, headers }: { status: number; headers: Readonly<Record<string, string>> }): Outcome {
  if (status >= 200 && status < 300) return { isDelivered: true, status };
  const error = `The endpoint answered ${status}`;
  if (status === 410) return { isDelivered: false, status, error, isGone: true };
  const retryAfterSeconds = Number(headers['retry-after']);
  const isAsked = (status === 429 || status === 503) && retryAfterSeconds > 0;
  return { isDelivered: false, status, error, ...(isAsked && { retryAfterSeconds }) };
}
