/** What another operator has set since the draft began: nothing is overwritten before one of the two is chosen. */
import { type Conflict, changes, keepOwn, undoChange } from '../core/draft.js';
import { Note } from './alert.js';
import { Time } from './time.js';

export const Conflicts = ({ of }: { readonly of: readonly Conflict[] }) => (
  <Note tone="warn">
    <p>Changed meanwhile. Nothing was applied: choose what counts.</p>
    <ul class="plain-list">
      {of.map(({ name, theirs, by, at }) => (
        <li key={name}>
          <code class="break">{name}</code>{' '}
          <span class="muted">
            by {by}, <Time at={at} />
          </span>
          <div class="deeds">
            <button type="button" class="plain small" onClick={() => undoChange(name)}>
              Theirs: {theirs ?? (changes.value[name]?.isSecret ? 'their secret' : 'the default')}
            </button>
            <button type="button" class="plain small" onClick={() => keepOwn(name)}>
              Yours: {sayOwn(name)}
            </button>
          </div>
        </li>
      ))}
    </ul>
  </Note>
);

function sayOwn(name: string): string {
  const own = changes.value[name];
  return own?.isSecret && own.text !== null ? 'the new secret' : (own?.text ?? 'the default');
}
