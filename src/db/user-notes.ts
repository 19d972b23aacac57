/** The statements of sql/queries/user-notes.sql. */
import type { Database } from './types.js';

export interface UserNote {
  readonly id: string;
  readonly operator_id: string;
  readonly operator_name: string;
  readonly body: string;
  readonly created_at: string;
}

export const listUserNotes = (db: Database, userId: string, most: number): Promise<UserNote[]> =>
  db.run<UserNote>('user-notes.list', [userId, most]);

/** @returns undefined when there is no such user */
export async function addUserNote(
  db: Database,
  userId: string,
  operator: { readonly id: string; readonly name: string },
  body: string,
  audit: readonly object[],
): Promise<UserNote | undefined> {
  const values = [userId, operator.id, operator.name, body, JSON.stringify(audit)];
  return (await db.run<UserNote>('user-notes.add', values))[0];
}

/** @param writerId null: whoever wrote it. @returns false when there is no such note of this operator */
export async function removeUserNote(
  db: Database,
  userId: string,
  noteId: string,
  writerId: string | null,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('user-notes.remove', [userId, noteId, writerId, JSON.stringify(audit)])).length === 1;
}
