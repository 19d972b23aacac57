/** The account of a message, as the hooks send_email and send_sms see it. */
import { findUserById } from '../../db/admin-users.js';
import { type PlannedUser, viewPlannedUser } from '../accounts/new-user-hook.js';
import { viewUser } from '../accounts/user-view.js';
import type { App } from '../runtime/app.js';

/** The id of an account, or one that does not exist yet; null: a decoy, which is never sent. */
export type MessageAccount = string | PlannedUser | null;

/** @returns the user object; undefined when nothing is to be sent */
export async function viewMessageAccount(
  app: Pick<App, 'config' | 'db'>,
  account: MessageAccount,
): Promise<Record<string, unknown> | undefined> {
  if (account === null) return undefined;
  if (typeof account !== 'string') return viewPlannedUser(app, account);
  const row = await findUserById(app.db, account);
  return row && viewUser(row);
}
