/** How the settings in use differ from the text of a .env file. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../../core/api.js';
import { may } from '../../core/state.js';
import { Alert, Note } from '../../parts/alert.js';
import { Badge } from '../../parts/details.js';
import { type Column, List } from '../../parts/list.js';
import { Empty, Forbidden } from '../../parts/view.js';
import { FaultList, type SettingFault } from './fault-list.js';
import { sayValue } from './value.js';

interface Difference {
  readonly variable: string;
  readonly kind: 'added' | 'changed' | 'removed';
  readonly needs_restart: boolean;
  readonly is_secret: boolean;
  readonly running?: unknown;
  readonly pasted?: unknown;
}

interface Comparison {
  readonly differences: readonly Difference[];
  readonly not_compared: readonly string[];
  readonly faults: readonly SettingFault[];
  readonly notices: readonly string[];
}

export function Compare() {
  const [found, setFound] = useState<Comparison | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (!may('admin')) return <Forbidden message="Comparing needs the role admin." />;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const env = String(new FormData(event.currentTarget as HTMLFormElement).get('env'));
    setBusy(true);
    setFault(null);
    try {
      setFound((await send<Comparison>('POST', '/api/settings/compare', { body: { env } })).data);
    } catch (error) {
      setFault(asFault(error));
    }
    setBusy(false);
  };
  return (
    <>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <label class="field">
          <span>Text of a .env file</span>
          <textarea name="env" rows={10} spellcheck={false} autocomplete="off" required />
        </label>
        <p class="small muted">It is stored nowhere. Secrets are not compared, and files that it names are not read.</p>
        <div class="actions">
          <button type="submit" aria-busy={isBusy}>
            Compare
          </button>
        </div>
      </form>
      {fault !== null && <Alert fault={fault} />}
      <div aria-live="polite">{found !== null && <Shown of={found} />}</div>
    </>
  );
}

function Shown({ of: { differences, not_compared, faults, notices } }: { readonly of: Comparison }) {
  return (
    <>
      <FaultList faults={faults}>A start with this file alone would fail:</FaultList>
      {notices.map((notice) => (
        <Note key={notice}>{notice}</Note>
      ))}
      {differences.length === 0 ? (
        <Empty title="Nothing differs" />
      ) : (
        <List label="Differences" rows={differences} columns={columns} keyOf={({ variable }) => variable} />
      )}
      {not_compared.length > 0 && (
        <p class="small muted break">Secrets that both have, not compared: {not_compared.join(', ')}.</p>
      )}
    </>
  );
}

const tones = { added: 'ok', changed: 'warn', removed: 'danger' } as const;

const columns: readonly Column<Difference>[] = [
  {
    title: 'Setting',
    cell: ({ variable, kind }) => (
      <>
        <code class="break">{variable}</code> <Badge tone={tones[kind]}>{kind}</Badge>
      </>
    ),
  },
  {
    title: 'In use',
    cell: ({ is_secret, running }) => (is_secret ? 'secret' : <code class="break">{sayValue(running)}</code>),
  },
  {
    title: 'In the file',
    cell: ({ is_secret, pasted }) => (is_secret ? 'secret' : <code class="break">{sayValue(pasted)}</code>),
  },
  {
    title: 'Takes effect',
    from: 'medium',
    cell: ({ needs_restart }) => (needs_restart ? 'with a restart' : 'with a reload'),
  },
];
