/** The operator's own account: passkeys, sessions, and how the console behaves in this browser. */
import { useState } from 'preact/hooks';
import { asFault, send } from '../core/api.js';
import { hasShortcuts } from '../core/preferences.js';
import { useResource } from '../core/resource.js';
import { createPasskey, type Me, type OwnSession, type Passkey } from '../core/session.js';
import { toast } from '../core/state.js';
import { Badge, Details } from '../parts/details.js';
import { DeedDialog } from '../parts/dialog.js';
import { Heading } from '../parts/heading.js';
import { type Column, List } from '../parts/list.js';
import { Time } from '../parts/time.js';
import { Empty, View } from '../parts/view.js';

export function Page() {
  const me = useResource<Me>('/api/me');
  return (
    <>
      <Heading title="Your account" />
      <View of={me}>
        {(data) => (
          <>
            <Details
              rows={[
                ['Name', data.operator.name],
                ['Role', data.operator.role],
                ['Signed in by', data.session.method],
                ['Session ends', <Time at={data.session.ends_at} />],
              ]}
            />
            <Passkeys me={data} reload={me.reload} />
            <Sessions sessions={data.sessions} reload={me.reload} />
          </>
        )}
      </View>
      <section>
        <h2>In this browser</h2>
        <label class="check">
          <input
            type="checkbox"
            checked={hasShortcuts.value}
            onChange={(event) => {
              hasShortcuts.value = event.currentTarget.checked;
            }}
          />
          <span>
            Keys such as <kbd>/</kbd> and <kbd>j</kbd> act without Ctrl
          </span>
        </label>
      </section>
    </>
  );
}

function Passkeys({ me, reload }: { readonly me: Me; readonly reload: () => Promise<void> }) {
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const [isBusy, setBusy] = useState(false);
  const add = async () => {
    setBusy(true);
    try {
      const body = await createPasskey('/api/me/passkeys/options', {});
      await send('POST', '/api/me/passkeys', { body });
      toast('Passkey added');
      await reload();
    } catch (error) {
      toast(asFault(error).message, true);
    }
    setBusy(false);
  };
  const columns: readonly Column<Passkey>[] = [
    { title: 'Passkey', cell: ({ name }) => name },
    { title: 'Added', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: (one) => (
        <button type="button" class="plain small" onClick={() => setRemoved(one)}>
          Remove
        </button>
      ),
    },
  ];
  return (
    <section>
      <header class="row">
        <h2>Passkeys</h2>
        <button type="button" class="plain" aria-busy={isBusy} onClick={() => void add()}>
          Add a passkey
        </button>
      </header>
      {me.passkeys.length === 0 ? (
        <Empty title={me.has_password ? 'You sign in with a password and a code' : 'You have no way to sign in again'}>
          <p>A passkey is quicker, and cannot be typed into a page that only looks like this one.</p>
        </Empty>
      ) : (
        <List label="Your passkeys" rows={me.passkeys} columns={columns} keyOf={({ id }) => id} />
      )}
      {removed !== null && (
        <DeedDialog
          title={`Remove ${removed.name}?`}
          verb="Remove passkey"
          isDanger
          hasReason={false}
          onClose={() => setRemoved(null)}
          run={async () => {
            await send('DELETE', `/api/me/passkeys/${removed.id}`);
            toast('Passkey removed');
            await reload();
          }}
        >
          <p>You can no longer sign in with it. The passkey on the device stays until you delete it there.</p>
        </DeedDialog>
      )}
    </section>
  );
}

interface SessionsProps {
  readonly sessions: readonly OwnSession[];
  readonly reload: () => Promise<void>;
}

function Sessions({ sessions, reload }: SessionsProps) {
  const end = async (id: string) => {
    try {
      await send('DELETE', `/api/me/sessions/${id}`);
      toast('Session ended');
      await reload();
    } catch (error) {
      toast(asFault(error).message, true);
    }
  };
  const columns: readonly Column<OwnSession>[] = [
    {
      title: 'Browser',
      cell: ({ user_agent, is_current }) => (
        <>
          <span class="clip">{user_agent ?? 'unknown'}</span> {is_current && <Badge tone="ok">this one</Badge>}
        </>
      ),
    },
    { title: 'Address', from: 'medium', cell: ({ ip }) => ip ?? '–' },
    { title: 'Signed in', from: 'medium', cell: ({ created_at, method }) => <Time at={created_at} never={method} /> },
    { title: 'Used', cell: ({ used_at }) => <Time at={used_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: ({ id, is_current }) =>
        !is_current && (
          <button type="button" class="plain small" onClick={() => void end(id)}>
            End
          </button>
        ),
    },
  ];
  return (
    <section>
      <h2>Sessions</h2>
      <List label="Your sessions" rows={sessions} columns={columns} keyOf={({ id }) => id} />
    </section>
  );
}
