/** What operators have noted about a user. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../../core/api.js';
import { useResource } from '../../core/resource.js';
import { may, operator, toast } from '../../core/state.js';
import { Alert } from '../../parts/alert.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Area } from '../../parts/field.js';
import { Time } from '../../parts/time.js';
import { Empty, View } from '../../parts/view.js';

interface UserNote {
  readonly id: string;
  readonly operator_id: string;
  readonly operator_name: string;
  readonly body: string;
  readonly created_at: string;
}

export function UserNotes({ userId }: { readonly userId: string }) {
  const path = `/api/users/${encodeURIComponent(userId)}/notes`;
  const answer = useResource<{ readonly notes: readonly UserNote[] }>(path);
  const [deleted, setDeleted] = useState<UserNote | null>(null);
  return (
    <>
      <p class="muted">For operators: neither the user nor an application sees them. They are deleted with the user.</p>
      <View of={answer}>
        {({ notes }) => (
          <>
            {may('support') && <NewNote path={path} reload={answer.reload} />}
            {notes.length === 0 && (
              <Empty title="No notes">
                <p>What the next operator should know stands here.</p>
              </Empty>
            )}
            <ul class="notes">
              {notes.map((note) => (
                <li key={note.id}>
                  <p class="muted small">
                    {note.operator_name}, <Time at={note.created_at} />
                  </p>
                  <p class="text">{note.body}</p>
                  {(may('admin') || (may('support') && note.operator_id === operator.value?.id)) && (
                    <button
                      type="button"
                      class="plain small"
                      aria-label={`Delete the note of ${note.operator_name}`}
                      onClick={() => setDeleted(note)}
                    >
                      Delete
                    </button>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </View>
      {deleted !== null && (
        <DeedDialog
          title="Delete the note?"
          verb="Delete"
          isDanger
          onClose={() => setDeleted(null)}
          run={async ({ reason }) => {
            await send('DELETE', `${path}/${deleted.id}`, { body: { reason } });
            toast('Deleted');
            await answer.reload();
          }}
        />
      )}
    </>
  );
}

function NewNote({ path, reload }: { readonly path: string; readonly reload: () => Promise<void> }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy || text.trim() === '') return;
    setBusy(true);
    setFault(null);
    try {
      await send('POST', path, { body: { body: text } });
      setText('');
      await reload();
    } catch (error) {
      setFault(asFault(error));
    }
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={(event) => void add(event)}>
      <Area
        label="New note"
        name="body"
        hint="4096 bytes at most"
        maxLength={4096}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {fault !== null && <Alert fault={fault} />}
      <div class="actions">
        <button type="submit" disabled={text.trim() === ''} aria-busy={isBusy}>
          Add note
        </button>
      </div>
    </form>
  );
}
