/** What can be done to the selected accounts: in requests of ten, with a result for each account. */
import { useState } from 'preact/hooks';
import { asFault, send } from '../../core/api.js';
import { may } from '../../core/state.js';
import { nameOfUser, type User } from '../../core/user.js';
import { Badge } from '../../parts/details.js';
import { DeedDialog, Dialog } from '../../parts/dialog.js';
import { type Column, List } from '../../parts/list.js';

interface BulkResult {
  readonly id: string;
  readonly error_code: string | null;
  readonly msg: string | null;
}

const deeds = {
  ban: { label: 'Ban', isDanger: true },
  unban: { label: 'Lift ban', isDanger: false },
  confirm: { label: 'Confirm', isDanger: false },
  sign_out: { label: 'Sign out', isDanger: true },
  delete: { label: 'Delete', isDanger: true },
} as const;
type BulkDeed = keyof typeof deeds;

/** So that the progress is seen, and a lost request leaves few in doubt. */
const PER_REQUEST = 10;

interface BulkBarProps {
  readonly users: readonly User[];
  readonly reload: () => Promise<void>;
  readonly clear: () => void;
}

export function BulkBar({ users, reload, clear }: BulkBarProps) {
  const [deed, setDeed] = useState<BulkDeed | null>(null);
  const [results, setResults] = useState<readonly BulkResult[] | null>(null);
  const [running, setRunning] = useState<{ readonly deed: BulkDeed; readonly users: readonly User[] } | null>(null);
  const count = `${users.length} ${users.length === 1 ? 'account' : 'accounts'}`;

  const run = async (which: BulkDeed, reason: string | undefined) => {
    const all = [...users];
    const done: BulkResult[] = [];
    for (let at = 0; at < all.length; at += PER_REQUEST) {
      const part = all.slice(at, at + PER_REQUEST);
      try {
        const { data } = await askFor(which, part, reason);
        done.push(...data.results);
      } catch (error) {
        const { code, message } = asFault(error);
        if (done.length === 0) throw error;
        done.push(
          ...all.slice(at).map(({ id }) => ({ id, error_code: code, msg: `Not tried or in doubt: ${message}` })),
        );
        at = all.length;
      }
      // From the first answer on, it can no longer be cancelled.
      setRunning({ deed: which, users: all });
      setResults([...done]);
    }
    setDeed(null);
    await reload();
    return 'stays' as const;
  };
  const finish = () => {
    setResults(null);
    setRunning(null);
    clear();
  };
  if (users.length === 0 && running === null) return null;
  return (
    <>
      <section class="bulk" aria-label="Selected accounts">
        <span>{count} selected</span>
        {(Object.keys(deeds) as BulkDeed[])
          .filter((name) => name !== 'delete' || may('admin'))
          .map((name) => (
            <button
              key={name}
              type="button"
              class={name === 'delete' ? 'plain danger small' : 'plain small'}
              onClick={() => setDeed(name)}
            >
              {deeds[name].label}
            </button>
          ))}
        <button type="button" class="link" onClick={clear}>
          Clear selection
        </button>
      </section>
      {deed !== null && running === null && (
        <DeedDialog
          title={`${deeds[deed].label}: ${count}`}
          verb={`${deeds[deed].label} ${count}`}
          isDanger={deeds[deed].isDanger}
          typed={deed === 'delete' ? count : undefined}
          onClose={() => setDeed(null)}
          run={({ reason }) => run(deed, reason)}
        >
          {deed === 'delete' && <p>They are deleted for good, with identities, sessions, factors and passkeys.</p>}
        </DeedDialog>
      )}
      {running !== null && results !== null && (
        <Results
          title={`${deeds[running.deed].label}: ${running.users.length}`}
          users={running.users}
          results={results}
          onClose={finish}
        />
      )}
    </>
  );
}

/** @throws ApiFault */
function askFor(deed: BulkDeed, users: readonly User[], reason: string | undefined) {
  type Results = { readonly results: readonly BulkResult[] };
  if (deed !== 'delete') {
    const body = { ids: users.map(({ id }) => id), action: deed, reason };
    return send<Results>('POST', '/api/users/bulk', { body });
  }
  const body = { users: users.map((user) => ({ id: user.id, typed: nameOfUser(user) })), reason };
  return send<Results>('POST', '/api/users/bulk-delete', { body });
}

interface ResultsProps {
  readonly title: string;
  readonly users: readonly User[];
  readonly results: readonly BulkResult[];
  readonly onClose: () => void;
}

function Results({ title, users, results, onClose }: ResultsProps) {
  const byId = new Map(results.map((result) => [result.id, result]));
  const isDone = results.length >= users.length;
  const refused = results.filter(({ error_code }) => error_code !== null).length;
  const columns: readonly Column<User>[] = [
    { title: 'Account', cell: nameOfUser },
    {
      title: 'Result',
      cell: ({ id }) => {
        const result = byId.get(id);
        if (result === undefined) return <span class="muted">waiting</span>;
        if (result.error_code === null) return <Badge tone="ok">done</Badge>;
        return (
          <>
            <Badge tone="danger">refused</Badge> {result.msg}
          </>
        );
      },
    },
  ];
  return (
    <Dialog title={title} onClose={() => isDone && onClose()} isWide>
      <progress max={users.length} value={results.length} aria-label="Progress" />
      <p role="status">
        {results.length} of {users.length}
        {isDone && (refused === 0 ? ': all done' : `: ${refused} refused`)}
      </p>
      <List label="Results" rows={users} columns={columns} keyOf={({ id }) => id} />
      <div class="actions">
        <button type="button" disabled={!isDone} onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
