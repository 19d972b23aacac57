import { useState } from 'preact/hooks';
import { may } from '../../core/state.js';
import { type Column, List } from '../../parts/list.js';
import { TakeBackDialog } from '../../parts/take-back-dialog.js';
import { Time } from '../../parts/time.js';
import type { ShownGrant } from './shown-client.js';

interface GrantsProps {
  readonly clientId: string;
  readonly rows: readonly ShownGrant[];
  readonly reload: () => Promise<void>;
}

const nameOf = ({ email, phone, user_id }: ShownGrant): string => email || phone || user_id;

export function Grants({ clientId, rows, reload }: GrantsProps) {
  const [ended, setEnded] = useState<ShownGrant | null>(null);
  const columns: readonly Column<ShownGrant>[] = [
    {
      title: 'User',
      cell: (grant) => (
        <a href={`/users/${grant.user_id}`} class="name">
          {nameOf(grant)}
        </a>
      ),
    },
    { title: 'Scopes', cell: ({ scopes }) => scopes.join(' ') },
    { title: 'Allowed', from: 'medium', cell: ({ granted_at }) => <Time at={granted_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: (grant) =>
        may('support') && (
          <button
            type="button"
            class="plain small"
            aria-label={`Take back from ${nameOf(grant)}`}
            onClick={() => setEnded(grant)}
          >
            Take back
          </button>
        ),
    },
  ];
  return (
    <>
      <List
        label="Users who have allowed it something"
        rows={rows}
        columns={columns}
        keyOf={({ user_id }) => user_id}
      />
      {ended !== null && (
        <TakeBackDialog
          title={`Take back what ${nameOf(ended)} has allowed?`}
          userId={ended.user_id}
          clientId={clientId}
          reload={reload}
          onClose={() => setEnded(null)}
        />
      )}
    </>
  );
}
