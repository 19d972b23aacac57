import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
import { may, toast } from '../../core/state.js';
import type { Factor, UserPasskey } from '../../core/user.js';
import { Badge } from '../../parts/details.js';
import { DeedDialog } from '../../parts/dialog.js';
import { type Column, List } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { Empty } from '../../parts/view.js';

interface UserFactorsProps {
  readonly userId: string;
  readonly factors: readonly Factor[];
  readonly passkeys: readonly UserPasskey[];
  readonly reload: () => Promise<void>;
}

interface Removal {
  readonly path: string;
  readonly name: string;
}

export function UserFactors({ userId, factors, passkeys, reload }: UserFactorsProps) {
  const [removal, setRemoval] = useState<Removal | null>(null);
  const [isReset, setReset] = useState(false);
  const removeButton = (path: string, name: string) =>
    may('support') && (
      <button type="button" class="plain small" onClick={() => setRemoval({ path, name })}>
        Remove
      </button>
    );
  const factorColumns: readonly Column<Factor>[] = [
    { title: 'Factor', cell: ({ friendly_name, factor_type }) => friendly_name || factor_type },
    { title: 'Kind', from: 'medium', cell: ({ factor_type }) => factor_type },
    { title: 'State', cell: ({ status }) => <Badge tone={status === 'verified' ? 'ok' : 'warn'}>{status}</Badge> },
    { title: 'Added', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: ({ id, friendly_name, factor_type }) => removeButton(`factors/${id}`, friendly_name || factor_type),
    },
  ];
  const passkeyColumns: readonly Column<UserPasskey>[] = [
    { title: 'Passkey', cell: ({ friendly_name }) => friendly_name || 'Passkey' },
    { title: 'Added', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: ({ id, friendly_name }) => removeButton(`passkeys/${id}`, friendly_name || 'the passkey'),
    },
  ];
  return (
    <>
      <section>
        <header class="row">
          <h2>Second factors</h2>
          {may('support') && factors.length + passkeys.length > 0 && (
            <button type="button" class="plain" onClick={() => setReset(true)}>
              Reset all
            </button>
          )}
        </header>
        {factors.length === 0 ? (
          <Empty title="No second factor" />
        ) : (
          <List label="Second factors" rows={factors} columns={factorColumns} keyOf={({ id }) => id} />
        )}
      </section>
      <section>
        <h2>Passkeys</h2>
        {passkeys.length === 0 ? (
          <Empty title="No passkey" />
        ) : (
          <List label="Passkeys" rows={passkeys} columns={passkeyColumns} keyOf={({ id }) => id} />
        )}
      </section>
      {removal !== null && (
        <DeedDialog
          title={`Remove ${removal.name}?`}
          verb="Remove"
          isDanger
          onClose={() => setRemoval(null)}
          run={async ({ reason }) => {
            await send('DELETE', `/api/users/${userId}/${removal.path}`, { body: { reason } });
            toast(`Removed: ${removal.name}`);
            await reload();
          }}
        >
          <p>The user can no longer sign in with it.</p>
        </DeedDialog>
      )}
      {isReset && (
        <DeedDialog
          title="Reset all factors?"
          verb="Reset factors"
          isDanger
          onClose={() => setReset(false)}
          run={async ({ reason, form }) => {
            const body = { reason, passkeys: form.get('passkeys') === 'on' };
            await send('POST', `/api/users/${userId}/factors/reset`, { body });
            toast('The factors are gone, and all sessions have ended');
            await reload();
          }}
        >
          <p>For somebody who has lost them. It ends all sessions. Be sure who asks for it.</p>
          <label class="check">
            <input type="checkbox" name="passkeys" /> Passkeys, too
          </label>
        </DeedDialog>
      )}
    </>
  );
}
