/** Mails and texts that wait or were given up: operators see why, try again and discard. */
import type { OutboxChannel } from '../../db/outbox.js';
import {
  countFailedStages,
  countWaitingStages,
  discardMessages,
  listFailed,
  listWaiting,
  retryMessages,
} from '../../db/outbox-lists.js';
import { isUuid, NIL_UUID } from '../../db/uuid.js';
import { type AuditAction, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { nameOfStoredKind } from '../outbox/stored-kind.js';
import type { App } from '../runtime/app.js';
import { beginning, cursorAfter, placeOfCreated, type Query, readLimit, readPlace } from './list-query.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';

/** Counted by stage; after an outage there may be more. */
const MOST_COUNTED = 10_000;

/** @throws ApiError badFilter */
function readChannel(query: Query): OutboxChannel {
  const channel = query.get('channel') || 'mail';
  if (channel !== 'mail' && channel !== 'text') throw apiError('badFilter', { reason: 'channel must be mail or text' });
  return channel;
}

/** Oldest first. @throws ApiError badFilter, badPagination */
export async function readWaiting(app: App, query: Query) {
  const channel = readChannel(query);
  const limit = readLimit(query);
  const after = readPlace(query) ?? { createdAt: '-infinity', id: NIL_UUID };
  const [rows, stages] = await Promise.all([
    listWaiting(app.db, channel, after, limit),
    countWaitingStages(app.db, channel, MOST_COUNTED),
  ]);
  const sender = channel === 'mail' ? app.mail : app.sms;
  return {
    messages: rows.map(({ sealed, kind, ...row }) => ({
      ...row,
      kind: nameOfStoredKind(kind),
      recipient: sender.recipientOf(row.id, sealed),
    })),
    next_cursor: cursorAfter(rows, limit, placeOfCreated),
    stages,
  };
}

/** Newest first. @throws as readWaiting */
export async function readFailed({ db }: App, query: Query) {
  const channel = readChannel(query);
  const limit = readLimit(query);
  const [rows, stages] = await Promise.all([
    listFailed(db, channel, readPlace(query) ?? beginning, limit),
    countFailedStages(db, channel, MOST_COUNTED),
  ]);
  return {
    messages: rows.map(({ kind, ...row }) => ({ ...row, kind: nameOfStoredKind(kind) })),
    next_cursor: cursorAfter(rows, limit, ({ failed_at, id }) => ({ createdAt: failed_at, id })),
    stages,
  };
}

export interface ChangedMessages {
  readonly done: readonly string[];
  /** They are being sent, or are gone. */
  readonly skipped: readonly string[];
}

export async function retryWaiting(app: App, deed: OperatorDeed, ids: readonly string[]): Promise<ChangedMessages> {
  const changed = await change(app, deed, 'messages_retried', ids, retryMessages);
  app.mail.nudge();
  return changed;
}

export const discardWaiting = (app: App, deed: OperatorDeed, ids: readonly string[]): Promise<ChangedMessages> =>
  change(app, deed, 'messages_discarded', ids, discardMessages);

async function change(
  app: App,
  deed: OperatorDeed,
  action: AuditAction,
  ids: readonly string[],
  run: typeof retryMessages,
): Promise<ChangedMessages> {
  const audit = [operatorEntry(deed, action, {})];
  const done = await run(app.db, ids.filter(isUuid), storedAudit(app, audit));
  if (done.length > 0) logAudit(app, deed.requestId, audit);
  return { done, skipped: ids.filter((id) => !done.includes(id.toLowerCase())) };
}
