import { isBanned, labelOfUser, providersOf, type User } from '../../core/user.js';
import { Badge } from '../../parts/details.js';
import type { Column } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { ProvisionedBadge } from '../user/provisioned.js';

export const userColumns: readonly Column<User>[] = [
  {
    title: 'Account',
    cell: (user) => (
      <a href={`/users/${user.id}`} class="name">
        {labelOfUser(user)}
      </a>
    ),
  },
  { title: 'State', cell: (user) => <UserState user={user} /> },
  {
    title: 'Providers',
    from: 'medium',
    cell: (user) => (
      <>
        {providersOf(user).join(', ') || '–'} <ProvisionedBadge user={user} />
      </>
    ),
  },
  { title: 'Last sign-in', from: 'medium', cell: ({ last_sign_in_at }) => <Time at={last_sign_in_at} /> },
  { title: 'Created', from: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
];

export function UserState({ user }: { readonly user: User }) {
  if (user.deleted_at !== undefined) return <Badge tone="danger">deleted</Badge>;
  if (isBanned(user)) return <Badge tone="danger">banned</Badge>;
  if (user.is_anonymous) return <Badge>anonymous</Badge>;
  if (user.confirmed_at === undefined) return <Badge tone="warn">unconfirmed</Badge>;
  return <Badge tone="ok">active</Badge>;
}
