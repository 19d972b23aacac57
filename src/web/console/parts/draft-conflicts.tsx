/** What another operator has set since the draft began: nothing is overwritten before one of the two is chosen. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../core/api.js';
import { type Conflict, changes, settleConflict } from '../core/draft.js';
import { Alert, Note } from './alert.js';
import { Time } from './time.js';

export function Conflicts({ of }: { readonly of: readonly Conflict[] }) {
  const [fault, setFault] = useState<ApiFault | null>(null);
  const settle = (name: string, keep: 'own' | 'theirs') => {
    setFault(null);
    settleConflict(name, keep).catch((error: unknown) => setFault(asFault(error)));
  };
  return (
    <Note tone="warn">
      <p>Changed meanwhile. Nothing was applied: choose what counts.</p>
      <ul class="plain-list">
        {of.map(({ name, theirs, by, at }) => (
          <li key={name}>
            <code class="break">{name}</code>{' '}
            <span class="muted">
              by {by ?? 'the command line'}, <Time at={at} />
            </span>
            <div class="deeds">
              <button type="button" class="plain small" onClick={() => settle(name, 'theirs')}>
                Theirs: {theirs ?? (changes.value[name]?.isSecret ? 'their secret' : 'the default')}
              </button>
              <button type="button" class="plain small" onClick={() => settle(name, 'own')}>
                Yours: {sayOwn(name)}
              </button>
            </div>
          </li>
        ))}
      </ul>
      {fault !== null && <Alert fault={fault} />}
    </Note>
  );
}

function sayOwn(name: string): string {
  const own = changes.value[name];
  return own?.isSecret && own.text !== null ? 'the new secret' : (own?.text ?? 'the default');
}
