/** What a sign-in with a leaked password leads to beside its response: an event, and the notice. */
import { meetLeakedPassword } from '../../db/notices.js';
import { insertMails } from '../../db/outbox.js';
import type { App, Client } from '../runtime/app.js';
import { isNoticed, recipientOf, sealNotice } from './notice.js';

const KIND = 'password_leaked_notification';

/** A password that has signed in. */
export interface LeakedSignIn {
  readonly userId: string;
  readonly checkedHash: string;
  /** The hash that the sign-in stored in its place; null: the same. */
  readonly renewedHash: string | null;
}

/**
 * Tells consumers of events of each sign-in, and the user once for each password while AUTH_PASSWORD_LEAKED_ACTION is
 * `notify`. That is one notice for a password, so no limit counts them. Never throws: the sign-in is done.
 */
export async function reportLeakedPassword(
  app: Pick<App, 'config' | 'db' | 'mail' | 'sms' | 'log' | 'events'>,
  client: Client,
  { userId, checkedHash, renewedHash }: LeakedSignIn,
): Promise<void> {
  try {
    await app.events.record('password.leaked', userId, {});
    if (!isNoticed(app, KIND)) return;
    await app.db.transaction(async (statements) => {
      const user = await meetLeakedPassword(statements, userId, checkedHash, renewedHash ?? checkedHash);
      if (user === undefined) return;
      await insertMails(statements, userId, sealNotice(app, client, { kind: KIND, to: recipientOf(user) }));
    });
    app.mail.nudge();
  } catch (error) {
    const fields = { component: 'notices', request_id: client.requestId, error: (error as Error).message };
    app.log.warn(fields, 'A sign-in with a leaked password could not be reported; the next one will be');
  }
}
