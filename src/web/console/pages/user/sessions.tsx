import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
import { may, toast } from '../../core/state.js';
import type { UserSession } from '../../core/user.js';
import { DeedDialog } from '../../parts/dialog.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { Empty } from '../../parts/view.js';

interface UserSessionsProps {
  readonly userId: string;
  readonly sessions: readonly UserSession[];
  readonly reload: () => Promise<void>;
}

export function UserSessions({ userId, sessions, reload }: UserSessionsProps) {
  /** One session, or all. */
  const [ending, setEnding] = useState<UserSession | 'all' | null>(null);
  const columns: readonly Column<UserSession>[] = [
    {
      title: 'Device',
      cell: ({ user_agent, oauth_client_name, operator }) =>
        operator === null ? (
          <span class="clip">{oauth_client_name ?? user_agent ?? 'unknown'}</span>
        ) : (
          <>
            <span class="clip">{operator}</span> <small>acts as the user</small>
          </>
        ),
    },
    { title: 'Address', from: 'medium', cell: ({ ip }) => ip ?? '–' },
    { title: 'By', from: 'wide', cell: ({ amr }) => amr.map(({ method }) => method).join(', ') },
    { title: 'Signed in', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Used', cell: ({ refreshed_at, created_at }) => <Time at={refreshed_at ?? created_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: (session) =>
        may('support') && (
          <button type="button" class="plain small" onClick={() => setEnding(session)}>
            End
          </button>
        ),
    },
  ];
  if (sessions.length === 0) {
    return (
      <Empty title="Not signed in anywhere">
        <p>Sessions appear here while they are valid, those used last first.</p>
      </Empty>
    );
  }
  const path = `/api/users/${userId}/sessions${ending === 'all' || ending === null ? '' : `/${ending.id}`}`;
  return (
    <section>
      <header class="row">
        <p class="muted">Sessions that are valid now.</p>
        {may('support') && (
          <button type="button" class="plain" onClick={() => setEnding('all')}>
            End all
          </button>
        )}
      </header>
      <List label="Sessions" rows={sessions} columns={columns} keyOf={({ id }) => id} />
      {ending !== null && (
        <DeedDialog
          title={ending === 'all' ? 'End all sessions?' : 'End this session?'}
          verb={ending === 'all' ? 'End all sessions' : 'End session'}
          isDanger
          onClose={() => setEnding(null)}
          run={async ({ reason }) => {
            await send('DELETE', path, { body: { reason } });
            toast(ending === 'all' ? 'All sessions have ended' : 'The session has ended');
            await reload();
          }}
        >
          <p>
            {ending === 'all'
              ? 'Their refresh tokens are refused from now on, and so are their access tokens by this server.'
              : 'Its refresh token is refused from now on, and so is its access token by this server.'}{' '}
            Applications that only check signatures notice when the access token expires.
          </p>
        </DeedDialog>
      )}
    </section>
  );
}
