import type { ComponentChildren } from 'preact';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';

interface ShownChange {
  readonly name: string;
  /** Fingerprints of secrets; null: it was not set. */
  readonly before: string | null;
  readonly after: string | null;
  readonly is_secret: boolean;
}

export interface ShownSet {
  readonly version: number;
  readonly at: string;
  readonly by: string;
  readonly comment: string;
  /** The version whose state it brought back. */
  readonly restored: number | null;
  readonly changes: readonly ShownChange[];
}

/** One change of the history. @param children what can be done with it */
export function ChangeSet({ set, children }: { readonly set: ShownSet; readonly children: ComponentChildren }) {
  const { version, at, by, comment, restored, changes } = set;
  return (
    <article class="card stack" aria-label={`Set ${version}`}>
      <div class="row">
        <h3>
          Set {version}{' '}
          <span class="muted">
            {by}, <Time at={at} />
          </span>
        </h3>
        <div class="deeds">{children}</div>
      </div>
      {restored !== null && (
        <p class="muted">
          {restored === 0 ? 'Back to the state without any set.' : `Back to the state of set ${restored}.`}
        </p>
      )}
      {comment !== '' && <p>{comment}</p>}
      <List label={`Changes of set ${version}`} rows={changes} columns={columns} keyOf={({ name }) => name} />
    </article>
  );
}

const textOf = (text: string | null, isSecret: boolean) => {
  if (text === null) return <span class="muted">not set</span>;
  return (
    <>
      {isSecret && <span class="muted">fingerprint </span>}
      <code class="break">{isSecret ? text.slice(0, 8) : text}</code>
    </>
  );
};

const columns: readonly Column<ShownChange>[] = [
  { title: 'Setting', cell: ({ name }) => <code class="break">{name}</code> },
  { title: 'Before', cell: ({ before, is_secret }) => textOf(before, is_secret) },
  { title: 'After', cell: ({ after, is_secret }) => textOf(after, is_secret) },
];
