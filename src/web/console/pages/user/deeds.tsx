/** What an operator can do to an account as a whole. */
import { useState } from 'preact/hooks';
import { send } from '../../core/api.js';
import { navigate } from '../../core/location.js';
import { may, toast } from '../../core/state.js';
import { type ImpersonationRule, isBanned, nameOfUser, type User } from '../../core/user.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Choice } from '../../parts/field.js';
import { ActForUser } from './act-for.js';
import { LinkDialog } from './link-dialog.js';

interface UserDeedsProps {
  readonly user: User;
  readonly impersonation: ImpersonationRule;
  /** Of how many it is a member; null: organizations are off. */
  readonly organizations: number | null;
  readonly reload: () => Promise<void>;
}

const banLengths = [
  ['24h', 'A day'],
  ['168h', 'A week'],
  ['720h', '30 days'],
  ['876000h', 'Until it is lifted'],
] as const;

/** What becomes of organizations that would be left without an owner. */
const ends = [
  ['refuse', 'Refuse: make another member an owner first'],
  ['delete', 'Delete them'],
  ['keep', 'Keep them without an owner'],
] as const;

type Deed = 'ban' | 'unban' | 'confirm' | 'link' | 'act' | 'delete';

export function UserDeeds({ user, impersonation, organizations, reload }: UserDeedsProps) {
  const [deed, setDeed] = useState<Deed | null>(null);
  const close = () => setDeed(null);
  const path = `/api/users/${user.id}`;
  const change = async (body: object, done: string) => {
    await send('PUT', path, { body });
    toast(done);
    await reload();
  };
  const button = (name: Deed, label: string, isDanger = false) => (
    <button type="button" class={isDanger ? 'plain danger' : 'plain'} onClick={() => setDeed(name)}>
      {label}
    </button>
  );
  return (
    <>
      {user.confirmed_at === undefined && (user.email || user.phone) && button('confirm', 'Confirm')}
      {user.email !== '' && button('link', 'Link')}
      {may('admin') && button('act', 'Act as')}
      {isBanned(user) ? button('unban', 'Lift ban') : button('ban', 'Ban')}
      {may('admin') && button('delete', 'Delete', true)}

      {deed === 'ban' && (
        <DeedDialog
          title={`Ban ${nameOfUser(user)}?`}
          verb="Ban"
          isDanger
          onClose={close}
          run={({ reason, form }) => change({ ban_duration: String(form.get('length')), reason }, 'Banned')}
        >
          <p>A banned account can neither sign in nor renew its sessions.</p>
          <Choice label="How long" name="length" choices={banLengths} value="876000h" />
        </DeedDialog>
      )}
      {deed === 'unban' && (
        <DeedDialog
          title={`Lift the ban of ${nameOfUser(user)}?`}
          verb="Lift ban"
          onClose={close}
          run={({ reason }) => change({ ban_duration: 'none', reason }, 'The ban is lifted')}
        />
      )}
      {deed === 'confirm' && (
        <DeedDialog
          title={`Confirm ${nameOfUser(user)}?`}
          verb="Confirm"
          onClose={close}
          run={({ reason }) => {
            const which = { email_confirm: user.email !== '', phone_confirm: user.phone !== '' };
            return change({ ...which, reason }, 'Confirmed');
          }}
        >
          <p>The account then counts as one whose owner has shown that the address or number is theirs.</p>
        </DeedDialog>
      )}
      {deed === 'act' && <ActForUser user={user} impersonation={impersonation} reload={reload} onClose={close} />}
      {deed === 'link' && <LinkDialog user={user} onClose={close} />}
      {deed === 'delete' && (
        <DeedDialog
          title="Delete this account?"
          verb="Delete for good"
          isDanger
          typed={nameOfUser(user)}
          onClose={close}
          run={async ({ reason, form }) => {
            const owned = form.get('organizations');
            const body = {
              typed: String(form.get('typed')),
              soft: form.get('soft') === 'on',
              ...(owned !== null && { organizations: String(owned) }),
              reason,
            };
            await send('DELETE', path, { body });
            toast(`Deleted: ${nameOfUser(user)}`);
            navigate('/users');
          }}
        >
          <p>Identities, sessions, factors and passkeys go with it. This cannot be undone.</p>
          <label class="check">
            <input type="checkbox" name="soft" /> Keep a row without personal data
          </label>
          {organizations !== null && organizations > 0 && (
            <Choice
              label="Organizations with other members that no one else owns"
              name="organizations"
              choices={ends}
            />
          )}
        </DeedDialog>
      )}
    </>
  );
}
