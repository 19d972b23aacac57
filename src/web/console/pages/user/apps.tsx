/** The OAuth clients that a user has allowed something. */
import { useState } from 'preact/hooks';
import { may } from '../../core/state.js';
import type { UserGrant } from '../../core/user.js';
import { type Column, List } from '../../parts/list.js';
import { TakeBackDialog } from '../../parts/take-back-dialog.js';
import { Time } from '../../parts/time.js';
import { Empty } from '../../parts/view.js';

interface UserAppsProps {
  readonly userId: string;
  readonly grants: readonly UserGrant[];
  readonly reload: () => Promise<void>;
}

const nameOfApp = ({ client }: UserGrant): string => client.name || client.id;

export function UserApps({ userId, grants, reload }: UserAppsProps) {
  const [ended, setEnded] = useState<UserGrant | null>(null);
  const columns: readonly Column<UserGrant>[] = [
    {
      title: 'App',
      cell: (grant) => (
        <a href={`/clients/${grant.client_id}`} class="name">
          {nameOfApp(grant)}
        </a>
      ),
    },
    { title: 'Home page', from: 'wide', cell: ({ client }) => client.uri || '–' },
    { title: 'Scopes', cell: ({ scopes }) => scopes.join(' ') },
    { title: 'Allowed', cell: ({ granted_at }) => <Time at={granted_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: (grant) =>
        may('support') && (
          <button
            type="button"
            class="plain small"
            aria-label={`Take back from ${nameOfApp(grant)}`}
            onClick={() => setEnded(grant)}
          >
            Take back
          </button>
        ),
    },
  ];
  return (
    <>
      {grants.length === 0 ? (
        <Empty title="No app has access">
          <p>Apps appear here when the user allows them something on the page of consent.</p>
        </Empty>
      ) : (
        <List label="Apps with access" rows={grants} columns={columns} keyOf={({ client_id }) => client_id} />
      )}
      {ended !== null && (
        <TakeBackDialog
          title={`Take back what ${nameOfApp(ended)} may do?`}
          userId={userId}
          clientId={ended.client_id}
          reload={reload}
          onClose={() => setEnded(null)}
        />
      )}
    </>
  );
}
