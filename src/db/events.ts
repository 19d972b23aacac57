/** The statements of sql/queries/events.sql. */
import type { Statements } from './types.js';

/** A consumer that is named by the configuration. */
export interface ConsumerInput {
  readonly name: string;
  readonly url: string | null;
  readonly events: readonly string[];
  readonly include: readonly string[];
}

/** Writes an event that no change of a table causes. */
export async function appendEvent(
  db: Statements,
  type: string,
  userId: string | null,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await db.run('events.append', [type, userId, JSON.stringify(details)]);
}

/** @param isStart enables a consumer that an answer of 410 has disabled */
export async function announceConsumer(db: Statements, consumer: ConsumerInput, isStart: boolean): Promise<void> {
  const { name, url, events, include } = consumer;
  await db.run('events.announce', [name, url, events, include, isStart]);
}

/** Makes the triggers record what the consumers want. */
export async function renewRecording(db: Statements): Promise<void> {
  await db.run('events.renew_recording', []);
}

/** An enabled endpoint. */
export interface EndpointRow {
  readonly id: string;
  readonly name: string | null;
  readonly url: string | null;
  readonly include: readonly string[];
  readonly sealed_secrets: string | null;
  /** A delivery is due. */
  readonly is_due: boolean;
}

export interface EventWork {
  /** What is recorded: types, families and *. */
  readonly types: readonly string[];
  readonly last_position: number;
  /** There are events without a position. */
  readonly is_waiting: boolean;
  readonly endpoints: readonly EndpointRow[];
}

export async function lookForWork(db: Statements): Promise<EventWork> {
  const [row] = await db.run<Omit<EventWork, 'endpoints'> & { endpoints: EndpointRow[] | null }>('events.look', []);
  return { ...row!, endpoints: row!.endpoints ?? [] };
}

/**
 * @param channel is notified of the last position
 * @returns the number of events that got a position; 0 also when another instance was faster
 */
export async function placeEvents(db: Statements, limit: number, channel: string): Promise<number> {
  const [row] = await db.run<{ placed: number }>('events.place', [limit, channel]);
  return row!.placed;
}

export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly user_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

export interface EventPage {
  readonly lastPosition: number;
  /** Events up to here were deleted. */
  readonly prunedPosition: number;
  readonly events: readonly (StoredEvent & { readonly position: number })[];
}

/** @param after position; @returns at most `limit` events, in order */
export async function readEventPage(db: Statements, after: number, limit: number): Promise<EventPage> {
  type Row = StoredEvent & { position: number | null; last_position: number; pruned_position: number };
  const rows = await db.run<Row>('events.page', [after, limit]);
  const [{ last_position: lastPosition, pruned_position: prunedPosition }] = rows as [Row];
  const events = rows.flatMap(({ position, ...row }) => (position === null ? [] : [{ ...row, position }]));
  return { lastPosition, prunedPosition, events };
}

/** The next delivery to an endpoint for one user. The event is null when it was deleted. */
export interface ClaimedDelivery {
  readonly orderingKey: string;
  /** Identifies this claim in later statements. */
  readonly claims: number;
  readonly position: number;
  readonly deliveryId: string | null;
  /** Attempts before this one. */
  readonly attempts: number;
  readonly event: StoredEvent | null;
}

type ClaimRow = { [K in keyof StoredEvent]: StoredEvent[K] | null } & {
  ordering_key: string;
  claims: number;
  position: number;
  delivery_id: string | null;
  attempts: number;
};

export async function claimDeliveries(
  db: Statements,
  endpointId: string,
  limit: number,
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> {
  const rows = await db.run<ClaimRow>('events.claim', [endpointId, limit, leaseSeconds]);
  return rows.map(({ ordering_key, claims, position, delivery_id, attempts, ...event }) => ({
    orderingKey: ordering_key,
    claims,
    position,
    deliveryId: delivery_id,
    attempts,
    event: event.id === null ? null : (event as StoredEvent),
  }));
}

export interface AttemptResult {
  /** Pending: there will be another attempt. */
  readonly state: 'delivered' | 'dead' | 'pending';
  readonly delaySeconds: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** Changes nothing when the claim was lost. */
export async function settleDelivery(
  db: Statements,
  endpointId: string,
  { orderingKey, claims, deliveryId, position }: ClaimedDelivery,
  { state, delaySeconds, status, error }: AttemptResult,
): Promise<void> {
  const values = [endpointId, orderingKey, claims, deliveryId, position, state, delaySeconds, status, error];
  await db.run('events.settle', values);
}

export async function disableEndpoint(db: Statements, endpointId: string, reason: string): Promise<void> {
  await db.run('events.disable_endpoint', [endpointId, reason]);
}
