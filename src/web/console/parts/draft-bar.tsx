/** What is in the draft, what the server says about it, and how it is applied. It stays in sight below the forms. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../core/api.js';
import {
  applyDraft,
  changeCount,
  changes,
  checkDraft,
  conflicts,
  discardDraft,
  lostSecrets,
  shortText,
  undoChange,
  verdict,
} from '../core/draft.js';
import { isReachable, may, toast } from '../core/state.js';
import { Alert, Note } from './alert.js';
import { DeedDialog } from './dialog.js';
import { Conflicts } from './draft-conflicts.js';
import { Icon } from './icon.js';

const sayCount = (count: number): string => (count === 1 ? '1 change' : `${count} changes`);

export function DraftBar() {
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  /** Whether what could not be tried is applied all the same. */
  const [asked, setAsked] = useState<{ readonly force: boolean } | null>(null);
  const count = changeCount.value;
  if (!may('admin') || (count === 0 && lostSecrets.value.length === 0)) return null;
  const check = async () => {
    setBusy(true);
    setFault(null);
    try {
      await checkDraft();
    } catch (error) {
      setFault(asFault(error));
    }
    setBusy(false);
  };
  const discard = () => {
    setFault(null);
    discardDraft();
  };
  const isRefused = (verdict.value?.faults.length ?? 0) > 0;
  const isDoubtful = !isRefused && verdict.value?.tried.some(({ is_good }) => !is_good) === true;
  return (
    <section class="draft-bar" aria-label="Changes that are not applied">
      <div class="said" aria-live="polite">
        {fault !== null && <Alert fault={fault} />}
        {lostSecrets.value.length > 0 && <Lost names={lostSecrets.value} />}
        {conflicts.value.length > 0 && <Conflicts of={conflicts.value} />}
        <Said />
      </div>
      <div class="row">
        <details>
          <summary>{sayCount(count)}</summary>
          <ChangeList isLinked />
        </details>
        <fieldset class="bare" disabled={!isReachable.value}>
          <div class="actions">
            <button type="button" class="plain" onClick={discard}>
              Discard
            </button>
            <button type="button" class="plain" disabled={count === 0} aria-busy={isBusy} onClick={() => void check()}>
              Check
            </button>
            <button
              type="button"
              disabled={count === 0 || isRefused || conflicts.value.length > 0}
              onClick={() => setAsked({ force: isDoubtful })}
            >
              {isDoubtful ? 'Apply all the same' : 'Apply'}
            </button>
          </div>
        </fieldset>
      </div>
      {asked !== null && (
        <DeedDialog
          title={`Apply ${sayCount(count)}?`}
          verb="Apply"
          isDanger={asked.force}
          onClose={() => setAsked(null)}
          run={async ({ reason }) => {
            const version = await applyDraft(reason, asked.force);
            if (version !== null) toast(`Set ${version} is stored: every process follows within five seconds`);
          }}
        >
          <ChangeList />
          {asked.force && <p>What was tried did not work. It is applied all the same.</p>}
        </DeedDialog>
      )}
    </section>
  );
}

/** @param isLinked each leads to its field */
const ChangeList = ({ isLinked = false }: { readonly isLinked?: boolean }) => (
  <ul class="plain-list">
    {Object.entries(changes.value).map(([name, { text, label, href, isSecret }]) => (
      <li key={name}>
        {href === null || !isLinked ? label : <a href={href}>{label}</a>}:{' '}
        {text === null ? (
          <span class="muted">{isSecret ? 'removed' : 'back to the default'}</span>
        ) : (
          <code class="break">{isSecret ? 'a new secret' : shortText(text)}</code>
        )}
      </li>
    ))}
  </ul>
);

const Lost = ({ names }: { readonly names: readonly string[] }) => (
  <Note tone="warn">
    <p>The page was loaded again, and a draft keeps no secrets. Enter them again, or leave them as they are:</p>
    <ul class="plain-list">
      {names.map((name) => (
        <li key={name}>
          <code class="break">{name}</code>{' '}
          <button type="button" class="link small" aria-label={`Leave it: ${name}`} onClick={() => undoChange(name)}>
            Leave it
          </button>
        </li>
      ))}
    </ul>
  </Note>
);

/** What the server says; faults of settings also stand beside their fields. */
function Said() {
  const said = verdict.value;
  if (said === null) return null;
  const { faults, tried } = said;
  return (
    <ul class="checks">
      {faults.map(({ name, problem }) => (
        <Line key={name + problem} isGood={false}>
          <Name name={name} /> {problem}
        </Line>
      ))}
      {tried.map(({ check, name, is_good, stage, detail }) => (
        <Line key={check + name} isGood={is_good}>
          {check} {name !== '' && <code>{name}</code>}
          {stage ? ` (${stage})` : ''}: {detail}
        </Line>
      ))}
      {faults.length === 0 && tried.length === 0 && <Line isGood>A start would accept it.</Line>}
    </ul>
  );
}

function Name({ name }: { readonly name: string }) {
  const href = changes.value[name]?.href;
  return href == null ? <code class="break">{name}</code> : <a href={href}>{name}</a>;
}

const Line = ({ isGood, children }: { readonly isGood: boolean; readonly children: ComponentChildren }) => (
  <li class={isGood ? 'passed' : 'failed'}>
    <Icon name={isGood ? 'check' : 'close'} />
    <p class="break">{children}</p>
  </li>
);
