/** The members of an organization, and what can be done to them. */
import { useState } from 'preact/hooks';
import { pathWith, send } from '../../core/api.js';
import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { may, toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { type FilterField, Filters } from '../../parts/filters.js';
import { type Column, List, Pager } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { Empty, View } from '../../parts/view.js';
import { findOneUser } from './find-one-user.js';
import { RolesField, readRoleBoxes } from './roles-field.js';
import {
  labelOfMember,
  pathOfOrganization,
  type RoleList,
  type ShownMember,
  type ShownOrganization,
  type ShownRole,
  sayVia,
} from './shown-organization.js';

interface MemberPage {
  readonly members: readonly ShownMember[];
  readonly next_cursor: string | null;
}

type Deed = { readonly kind: 'add' } | { readonly kind: 'roles' | 'remove'; readonly member: ShownMember };

export function Members({ organization }: { readonly organization: ShownOrganization }) {
  const { query } = place.value;
  const path = `${pathOfOrganization(organization.id)}/members`;
  const given = { search: query.get('search'), role: query.get('role'), cursor: query.get('cursor') };
  const page = useResource<MemberPage>(pathWith(path, given));
  const known = useResource<RoleList>('/api/organization-roles');
  const [deed, setDeed] = useState<Deed | null>(null);
  const roles = known.data?.roles ?? [];
  const mayChange = may('support') && known.data !== undefined;
  const button = (kind: 'roles' | 'remove', member: ShownMember, text: string) => (
    <button
      type="button"
      class="plain small"
      aria-label={`${text} ${labelOfMember(member)}`}
      onClick={() => setDeed({ kind, member })}
    >
      {text}
    </button>
  );
  const columns: readonly Column<ShownMember>[] = [
    {
      title: 'Member',
      cell: (member) => (
        <a href={`/users/${member.user.id}`} class="name">
          {labelOfMember(member)}
        </a>
      ),
    },
    { title: 'Name', from: 'wide', cell: ({ user }) => user.name ?? '–' },
    { title: 'Roles', cell: ({ roles: held }) => held.join(', ') },
    { title: 'By', from: 'wide', cell: ({ via }) => sayVia(via) },
    { title: 'Joined', from: 'medium', cell: ({ joined_at }) => <Time at={joined_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: (member) =>
        mayChange && (
          <span class="actions end">
            {button('roles', member, 'Roles')}
            {button('remove', member, 'Remove')}
          </span>
        ),
    },
  ];
  const done = async (text: string) => {
    toast(text);
    await page.reload();
  };
  return (
    <section>
      <header class="row">
        <p class="muted">In the order in which they joined.</p>
        {mayChange && (
          <button type="button" class="plain" onClick={() => setDeed({ kind: 'add' })}>
            Add a member
          </button>
        )}
      </header>
      <Filters fields={filtersWith(roles)} />
      <View of={page}>
        {({ members, next_cursor }) => (
          <>
            {members.length === 0 ? (
              <NoMembers isFiltered={given.search !== null || given.role !== null} />
            ) : (
              <List label="Members" rows={members} columns={columns} keyOf={({ user }) => user.id} />
            )}
            <Pager next={next_cursor} />
          </>
        )}
      </View>
      {deed !== null && <MemberDialog {...{ deed, path, roles, done }} onClose={() => setDeed(null)} />}
    </section>
  );
}

const filtersWith = (roles: readonly ShownRole[]): readonly FilterField[] => [
  { name: 'search', label: 'Search', kind: 'search', hint: 'Beginning of an email, phone or name' },
  { name: 'role', label: 'Role', kind: 'choice', choices: roles.map(({ name }) => ({ value: name, label: name })) },
];

const NoMembers = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No member matches">
      <p>The search finds beginnings: of an address, a number with its country, or a name.</p>
    </Empty>
  ) : (
    <Empty title="It has no members">
      <p>Its owners were deleted. Add an owner, or delete the organization.</p>
    </Empty>
  );

interface MemberDialogProps {
  readonly deed: Deed;
  readonly path: string;
  readonly roles: readonly ShownRole[];
  readonly done: (text: string) => Promise<void>;
  readonly onClose: () => void;
}

function MemberDialog({ deed, path, roles, done, onClose }: MemberDialogProps) {
  if (deed.kind === 'add') {
    return (
      <DeedDialog
        title="Add a member"
        verb="Add member"
        onClose={onClose}
        run={async ({ reason, form }) => {
          const { id } = await findOneUser(String(form.get('user') ?? ''));
          await send('POST', path, { body: { user_id: id, roles: readRoleBoxes(form), reason } });
          await done('Member added');
        }}
      >
        <p>Without an invitation, and without asking the user.</p>
        <Field label="User" name="user" hint="email, phone or id" autocomplete="off" required />
        <RolesField roles={roles} chosen={['member']} />
      </DeedDialog>
    );
  }
  const { kind, member } = deed;
  const own = `${path}/${member.user.id}`;
  return kind === 'roles' ? (
    <DeedDialog
      title={`Roles of ${labelOfMember(member)}`}
      verb="Save"
      onClose={onClose}
      run={async ({ reason, form }) => {
        await send('PUT', own, { body: { roles: readRoleBoxes(form), reason } });
        await done('Roles changed');
      }}
    >
      <p>They count at the next refresh of the user, and here at once.</p>
      <RolesField roles={roles} chosen={member.roles} />
    </DeedDialog>
  ) : (
    <DeedDialog
      title={`Remove ${labelOfMember(member)}?`}
      verb="Remove"
      isDanger
      onClose={onClose}
      run={async ({ reason }) => {
        await send('DELETE', own, { body: { reason } });
        await done('Member removed');
      }}
    >
      <p>The account stays. Its next token says nothing of the organization any more.</p>
    </DeedDialog>
  );
}
