import { meetDevice } from '../../db/notices.js';
import { insertMails } from '../../db/outbox.js';
import { within } from '../../db/rehearse.js';
import type { Database } from '../../db/types.js';
import type { SessionColumns, UserRow } from '../../db/user-rows.js';
import type { App, Client } from '../runtime/app.js';
import { describeDevice } from './device.js';
import { isNoticed, recipientOf, sealNotice } from './notice.js';

const KIND = 'sign_in_new_device_notification';

type Write<Row> = (db: Database) => Promise<Row | undefined>;

/**
 * Adds to the write of a sign-in, in one transaction, that its device is noted, and the notice if the account has only
 * used others before. A device is a browser on a system, so there are some dozens, and each has one notice: no limit needs
 * to count them.
 * @param hasOtherNotice another notice reports this sign-in
 * @returns the write itself while the notice is off
 */
export function notingDevice<Row extends UserRow & Partial<SessionColumns>>(
  app: Pick<App, 'config' | 'mail' | 'sms'>,
  client: Client,
  write: Write<Row>,
  hasOtherNotice: boolean,
): Write<Row> {
  if (!isNoticed(app, KIND)) return write;
  return (db) =>
    db.transaction(async (statements) => {
      const row = await write(within(db, statements));
      if (!row?.session_id) return row;
      const isNew = await meetDevice(statements, row.id, describeDevice(client.userAgent));
      if (!isNew || hasOtherNotice) return row;
      await insertMails(statements, row.id, sealNotice(app, client, { kind: KIND, to: recipientOf(row) }));
      app.mail.nudge();
      return row;
    });
}
