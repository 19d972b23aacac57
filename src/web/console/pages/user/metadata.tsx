/** The two objects that applications store about an account; what would change is shown before it is saved. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../../core/api.js';
import { compareJson, mergeOf } from '../../core/json-changes.js';
import { may, toast } from '../../core/state.js';
import type { User, UserMetadata } from '../../core/user.js';
import { Alert, Note } from '../../parts/alert.js';

interface MetadataEditorProps {
  readonly user: User;
  readonly etag: string | null;
  readonly reload: () => Promise<void>;
}

const fields = [
  ['user_metadata', 'User metadata', 'The user can change it.'],
  ['app_metadata', 'App metadata', 'Only administrators and operators can change it; part of access tokens.'],
] as const;
type FieldName = (typeof fields)[number][0];

const textOf = (value: UserMetadata): string => JSON.stringify(value, null, 2);

/** @returns null when it is no JSON object */
function readObject(text: string): UserMetadata | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as UserMetadata) : null;
  } catch {
    return null;
  }
}

export function MetadataEditor({ user, etag, reload }: MetadataEditorProps) {
  // What was there when the operator began: a change of somebody else must not be overwritten unseen.
  const [base, setBase] = useState({ user, etag });
  const [texts, setTexts] = useState({
    user_metadata: textOf(user.user_metadata),
    app_metadata: textOf(user.app_metadata),
  });
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isConflict = fault?.status === 412;
  const edited = Object.fromEntries(fields.map(([name]) => [name, readObject(texts[name])])) as Record<
    FieldName,
    UserMetadata | null
  >;
  const changes = fields.flatMap(([name]) =>
    edited[name] === null ? [] : compareJson(base.user[name], edited[name], name),
  );
  const isValid = fields.every(([name]) => edited[name] !== null);

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const body: Record<string, unknown> = { reason: reason.trim() || undefined };
    for (const [name] of fields) {
      const merge = mergeOf(base.user[name], edited[name] ?? {});
      if (Object.keys(merge).length > 0) body[name] = merge;
    }
    setBusy(true);
    setFault(null);
    try {
      const { data, etag: next } = await send<User>('PUT', `/api/users/${user.id}`, { body, ifMatch: base.etag });
      setBase({ user: data, etag: next });
      setTexts({ user_metadata: textOf(data.user_metadata), app_metadata: textOf(data.app_metadata) });
      setReason('');
      toast('Metadata saved');
      await reload();
    } catch (error) {
      setFault(asFault(error));
      if (asFault(error).status === 412) await reload();
    }
    setBusy(false);
  };
  /** The operator's text stays; its changes are now those against the present state. */
  const takePresent = () => {
    setBase({ user, etag });
    setFault(null);
  };
  return (
    <form class="stack" onSubmit={(event) => void save(event)}>
      {fields.map(([name, label, about]) => (
        <label key={name} class="field">
          <span>
            {label} <small>{about}</small>
          </span>
          <textarea
            name={name}
            rows={10}
            value={texts[name]}
            readOnly={!may('support')}
            spellcheck={false}
            aria-invalid={edited[name] === null}
            onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
          />
          {edited[name] === null && <small class="fault">This is no JSON object.</small>}
        </label>
      ))}
      {isConflict && (
        <Note tone="warn">
          <p>Somebody has changed the account meanwhile. What is there now:</p>
          <Changes
            lines={fields.flatMap(([name]) => compareJson(base.user[name], user[name], name))}
            none="Something other than the metadata."
          />
          <button type="button" class="plain small" onClick={takePresent}>
            Compare my text with that
          </button>
        </Note>
      )}
      {fault !== null && !isConflict && <Alert fault={fault} />}
      {may('support') && (
        <>
          <section>
            <h2>What would change</h2>
            <Changes lines={changes} none="Nothing." />
          </section>
          <label class="field">
            <span>
              Reason <small>part of the audit entry</small>
            </span>
            <input value={reason} maxLength={500} onInput={(event) => setReason(event.currentTarget.value)} />
          </label>
          <div class="actions">
            <button type="submit" disabled={!isValid || changes.length === 0 || isConflict} aria-busy={isBusy}>
              Save metadata
            </button>
          </div>
        </>
      )}
    </form>
  );
}

function Changes({ lines, none }: { readonly lines: readonly string[]; readonly none: string }) {
  if (lines.length === 0) return <p class="muted">{none}</p>;
  return (
    <ul class="changes">
      {lines.map((line) => (
        <li key={line} class={line.startsWith('+') ? 'added' : 'removed'}>
          <code>{line}</code>
        </li>
      ))}
    </ul>
  );
}
