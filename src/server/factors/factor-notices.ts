/** Notices of changes of second factors (docs/notices.md). */
import { withLockedUser } from '../../db/account-locks.js';
import { readFactors } from '../../db/factors.js';
import { insertMails } from '../../db/outbox.js';
import type { MailInput } from '../../db/outgoing.js';
import { within } from '../../db/rehearse.js';
import type { Database } from '../../db/types.js';
import type { FactorKind, UserRow } from '../../db/user-rows.js';
import type { NoticeFacts } from '../mail/contract.js';
import type { NoticeKind } from '../message-kinds.js';
import { type Origin, prepareNotices, recipientOf } from '../notices/notice.js';
import type { App } from '../runtime/app.js';

type Noticing = Pick<App, 'config' | 'limits' | 'mail' | 'sms' | 'log'>;
type Write<Row> = (db: Database) => Promise<Row | undefined>;

/**
 * The notice of a change that is about to be written.
 * @param factorKind null: it concerns more than one factor
 * @returns rows for the transaction of the change; none while the notice is off
 */
export const prepareFactorNotice = (
  app: Noticing,
  origin: Origin,
  user: Readonly<UserRow>,
  kind: NoticeKind,
  factorKind: FactorKind | null,
  facts: Partial<Pick<NoticeFacts, 'remainingCodes' | 'removedPasskeys'>> = {},
): Promise<readonly MailInput[]> =>
  prepareNotices(app, origin, [{ kind, to: recipientOf(user), facts: { ...facts, factorType: factorKind } }]);

/** Adds notices to the write of a verification, in one transaction. */
export function noting<Row>(
  app: Pick<App, 'mail'>,
  userId: string,
  notices: readonly MailInput[],
  write: Write<Row>,
): Write<Row> {
  if (notices.length === 0) return write;
  return async (db) => {
    const row = await db.transaction(async (statements) => {
      const written = await write(within(db, statements));
      if (written !== undefined) await insertMails(statements, userId, notices);
      return written;
    });
    app.mail.nudge();
    return row;
  };
}

/** The same for a first verification: of concurrent ones a single one is the first. */
export function notingEnrolment<Row>(
  app: Pick<App, 'mail'>,
  userId: string,
  factorId: string,
  notices: readonly MailInput[],
  write: Write<Row>,
): Write<Row> {
  if (notices.length === 0) return write;
  return (db) =>
    withLockedUser(db, userId, async (statements) => {
      const factors = await readFactors(statements, userId);
      const isFirst = factors.some(({ id, status }) => id === factorId && status === 'unverified');
      return noting(app, userId, isFirst ? notices : [], write)(within(db, statements));
    });
}
