import { consoleBody, defineConsole, listOf, objectOf, reasonField } from '../define-console.js';
import { deedOf } from '../operator-audit.js';
import { addNote, deleteNote, MAX_NOTE_BYTES, readNotes } from '../user-notes.js';
import { done, errorsOfUser } from './user.js';

const note = objectOf({
  id: { type: 'string' },
  operator_id: { type: 'string' },
  operator_name: { type: 'string' },
  body: { type: 'string' },
  created_at: { type: 'string' },
});

export const getUserNotes = defineConsole({
  method: 'GET',
  path: '/api/users/{user_id}/notes',
  role: 'viewer',
  id: 'listUserNotes',
  tag: 'Users',
  summary: 'Returns what operators have noted about a user, newest first.',
  answer: { description: 'At most 200.', body: objectOf({ notes: listOf(note) }) },
  errors: ['userIdNotUuid'],
  async handler(app, { params }) {
    return { status: 200, body: { notes: await readNotes(app, params.user_id) } };
  },
});

export const postUserNote = defineConsole({
  method: 'POST',
  path: '/api/users/{user_id}/notes',
  role: 'support',
  body: consoleBody(
    { body: { type: 'string', maxLength: MAX_NOTE_BYTES, description: 'The text: 4096 bytes at most.' } },
    'body',
  ),
  id: 'addUserNote',
  tag: 'Users',
  summary: 'Notes something about a user. Neither the user nor an application sees it; it is deleted with the user.',
  answer: { status: 201, description: 'The note.', body: note },
  errors: [...errorsOfUser, 'noteInvalid'],
  async handler(app, { id, caller, params, body }) {
    const deed = { operator: caller, requestId: id };
    return { status: 201, body: await addNote(app, deed, params.user_id, body.body) };
  },
});

export const deleteUserNote = defineConsole({
  method: 'DELETE',
  path: '/api/users/{user_id}/notes/{note_id}',
  role: 'support',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'deleteUserNote',
  tag: 'Users',
  summary: 'Deletes a note: of the operator, or, for administrators, of anyone.',
  answer: done,
  errors: ['userIdNotUuid', 'noteNotFound'],
  async handler(app, request) {
    await deleteNote(app, deedOf(request), request.params.user_id, request.params.note_id);
    return { status: 204 };
  },
});
