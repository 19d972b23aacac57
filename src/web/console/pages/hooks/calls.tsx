/** Hooks: which are on, whether they are called, and a rehearsal. */
import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
import { useResource } from '../../core/resource.js';
import { may } from '../../core/state.js';
import { Badge } from '../../parts/details.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Choice, Field } from '../../parts/field.js';
import { type Column, List } from '../../parts/list.js';
import { View } from '../../parts/view.js';
import { RehearsalShown } from './rehearsal.js';
import type { ShownHook, ShownRehearsal } from './shown-hook.js';

export function Calls() {
  const list = useResource<{ readonly hooks: readonly ShownHook[] }>('/api/hooks');
  const [chosen, setChosen] = useState<ShownHook | null>(null);
  const [shown, setShown] = useState<{ readonly name: string; readonly rehearsal: ShownRehearsal } | null>(null);
  return (
    <>
      {shown !== null && <RehearsalShown {...shown} />}
      <View of={list} rows={7}>
        {({ hooks }) => <List label="Hooks" rows={hooks} columns={columnsFor(setChosen)} keyOf={({ name }) => name} />}
      </View>
      {chosen !== null && (
        <DeedDialog
          title={`Rehearse ${chosen.name}`}
          verb="Call it"
          onClose={() => setChosen(null)}
          run={async ({ reason, form }) => {
            const user = String(form.get('user_id')).trim();
            const body = {
              event: String(form.get('event')),
              dry: form.get('dry') !== null,
              ...(user !== '' && { user_id: user }),
              reason,
            };
            const { data } = await send<ShownRehearsal>('POST', `/api/hooks/${chosen.name}/rehearse`, { body });
            setShown({ name: chosen.name, rehearsal: data });
            await list.reload();
          }}
        >
          <p>It is called as a request would, with an example. Nothing is stored here; the receiver may act on it.</p>
          <Choice label="What causes the call" name="event" choices={chosen.events.map((event) => [event, event])} />
          <Field label="User" name="user_id" hint="id; empty: an example" autocomplete="off" />
          <label class="check">
            <input type="checkbox" name="dry" />
            Only show what would be sent
          </label>
        </DeedDialog>
      )}
    </>
  );
}

const columnsFor = (choose: (hook: ShownHook) => void): readonly Column<ShownHook>[] => [
  { title: 'Hook', cell: ({ name }) => <code>{name}</code> },
  { title: 'State', cell: (hook) => <HookState hook={hook} /> },
  { title: 'Calls', from: 'medium', cell: ({ address }) => address ?? <span class="muted">no address</span> },
  {
    title: 'Signed',
    from: 'wide',
    cell: ({ is_signed, kind }) => (kind === 'http' ? (is_signed ? 'yes' : 'no') : '–'),
  },
  { title: 'If it fails', from: 'wide', cell: ({ fails_open }) => (fails_open ? 'goes on' : 'refuses') },
  {
    title: 'Actions',
    isEnd: true,
    cell: (hook) =>
      may('admin') &&
      hook.address !== null &&
      (hook.kind === 'http' || hook.enabled) && (
        <button type="button" class="plain small" aria-label={`Rehearse ${hook.name}`} onClick={() => choose(hook)}>
          Rehearse
        </button>
      ),
  },
];

function HookState({ hook: { enabled, breaker } }: { readonly hook: ShownHook }) {
  if (!enabled || breaker === null) return <Badge>off</Badge>;
  if (!breaker.is_open) return <Badge tone="ok">on</Badge>;
  return <Badge tone="danger">not called for {breaker.wait_seconds} s: it keeps failing</Badge>;
}
