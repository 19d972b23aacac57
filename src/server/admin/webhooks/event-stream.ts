/** Events for consumers that fetch them, e.g. from behind a firewall. */
import { setTimeout as pause } from 'node:timers/promises';
import { type EventPage, readEventPage } from '../../../db/events.js';
import { viewUser } from '../../accounts/user-view.js';
import { viewEvent } from '../../events/webhook.js';
import type { App } from '../../runtime/app.js';
import { readWhole } from './deliveries.js';
import { invalidWebhook } from './webhook-fields.js';

const MAX_LIMIT = 1000;
const MAX_WAIT_SECONDS = 30;
/** Between two reads that found nothing. */
const PAUSE_MS = 500;

export interface FetchedEvents {
  readonly events: readonly Record<string, unknown>[];
  /** `after` of the next request, also without events. */
  readonly next_cursor: string;
}

/**
 * Events after a cursor, oldest first. Without events it waits for some, and holds no connection meanwhile.
 * @param query after, limit, wait in seconds
 * @throws ApiError invalidParameter, also when events after the cursor were deleted
 */
export async function fetchEvents(app: App, query: ReadonlyMap<string, string>): Promise<FetchedEvents> {
  const given = readWhole(query, 'after');
  const limit = readWhole(query, 'limit') ?? 100;
  if (limit < 1 || limit > MAX_LIMIT) throw invalidWebhook(`limit must be 1 to ${MAX_LIMIT}`);
  const waitSeconds = Math.min(readWhole(query, 'wait') ?? 0, MAX_WAIT_SECONDS, longestWait(app));
  const after = given ?? 0;
  const first = await readEventPage(app.db, after, limit);
  if (given !== null && given < first.prunedPosition) {
    throw invalidWebhook(`after is too old: events up to ${first.prunedPosition} were deleted`);
  }
  if (after > first.lastPosition) throw invalidWebhook('after is no cursor of this database');
  const page = first.events.length > 0 ? first : await waitForEvents(app, first, after, limit, waitSeconds);
  const events = await Promise.all(
    page.events.map((event) => viewEvent(app.db, event, app.config.webhooksInclude, viewUser)),
  );
  return { events, next_cursor: String(page.events.at(-1)?.position ?? Math.max(after, page.prunedPosition)) };
}

/** The answer must leave before AUTH_API_MAX_REQUEST_DURATION ends the request. */
const longestWait = ({ config }: App): number =>
  config.apiMaxRequestSeconds === 0 ? MAX_WAIT_SECONDS : Math.max(0, config.apiMaxRequestSeconds - 1);

/** @param page without events; @returns the same when none came */
async function waitForEvents(
  app: App,
  page: EventPage,
  after: number,
  limit: number,
  waitSeconds: number,
): Promise<EventPage> {
  const untilMs = Date.now() + waitSeconds * 1000;
  for (let leftMs = waitSeconds * 1000; leftMs > 0; leftMs = untilMs - Date.now()) {
    if (!(await app.events.waitForEvent(after, leftMs)) || Date.now() >= untilMs) break;
    const next = await readEventPage(app.db, after, limit);
    if (next.events.length > 0) return next;
    // The position is known, but the events are gone, e.g. the database was restored meanwhile.
    await pause(Math.min(PAUSE_MS, Math.max(0, untilMs - Date.now())));
  }
  return page;
}
