/** What operators note about a user, for other operators. The user does not see it, nor does an application. */
import { addUserNote, listUserNotes, removeUserNote, type UserNote } from '../../db/user-notes.js';
import { isUuid, readUuid } from '../../db/uuid.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { hasRole } from './operator.js';
import { type OperatorDeed, operatorEntry } from './operator-audit.js';

export const MAX_NOTE_BYTES = 4096;
/** The newest are shown. */
const MOST_NOTES = 200;

/** @throws ApiError userIdNotUuid */
export const readNotes = ({ db }: Pick<App, 'db'>, pathId: string): Promise<readonly UserNote[]> =>
  listUserNotes(db, readUserId(pathId), MOST_NOTES);

/**
 * The audit log keeps that there is a note, not its text: that goes with the user.
 * @throws ApiError userIdNotUuid, noteInvalid, userNotFound
 */
export async function addNote(app: App, deed: OperatorDeed, pathId: string, text: string): Promise<UserNote> {
  const userId = readUserId(pathId);
  const body = text.trim();
  if (body === '' || Buffer.byteLength(body) > MAX_NOTE_BYTES) throw apiError('noteInvalid');
  const audit = [operatorEntry(deed, 'user_note_added', { user_id: userId })];
  const note = await addUserNote(app.db, userId, deed.operator, body, storedAudit(app, audit));
  if (note === undefined) throw apiError('userNotFound');
  logAudit(app, deed.requestId, audit);
  return note;
}

/** Operators delete their own notes, administrators any. @throws ApiError userIdNotUuid, noteNotFound */
export async function deleteNote(app: App, deed: OperatorDeed, pathId: string, noteId: string): Promise<void> {
  const userId = readUserId(pathId);
  const audit = [operatorEntry(deed, 'user_note_deleted', { user_id: userId, note_id: noteId })];
  const writer = hasRole(deed.operator, 'admin') ? null : deed.operator.id;
  const isDone = isUuid(noteId) && (await removeUserNote(app.db, userId, noteId, writer, storedAudit(app, audit)));
  if (!isDone) throw apiError('noteNotFound');
  logAudit(app, deed.requestId, audit);
}

function readUserId(pathId: string): string {
  const id = readUuid(pathId);
  if (id === null) throw apiError('userIdNotUuid');
  return id;
}
