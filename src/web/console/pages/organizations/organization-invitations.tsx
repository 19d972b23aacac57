/** Whom an organization has invited, and what can be done about it. */
import { useState } from 'preact/hooks';
import { pathWith } from '../../core/api.js';
import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { may } from '../../core/state.js';
import { type Column, List, Pager } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { Empty, View } from '../../parts/view.js';
import { type InvitationDeed, InvitationDialog, type ShownInvitation } from './invitation-dialogs.js';
import { pathOfOrganization, type RoleList, type ShownOrganization } from './shown-organization.js';

interface InvitationPage {
  readonly invitations: readonly ShownInvitation[];
  readonly next_cursor: string | null;
}

export function OrganizationInvitations({ organization }: { readonly organization: ShownOrganization }) {
  const path = `${pathOfOrganization(organization.id)}/invitations`;
  const page = useResource<InvitationPage>(pathWith(path, { cursor: place.value.query.get('cursor') }));
  const known = useResource<RoleList>('/api/organization-roles');
  const [deed, setDeed] = useState<InvitationDeed | null>(null);
  const button = (kind: 'resend' | 'revoke', of: ShownInvitation, text: string) => (
    <button type="button" class="plain small" aria-label={`${text} ${of.email}`} onClick={() => setDeed({ kind, of })}>
      {text}
    </button>
  );
  const columns: readonly Column<ShownInvitation>[] = [
    { title: 'Address', cell: ({ email }) => <bdi class="break">{email}</bdi> },
    { title: 'Roles', from: 'medium', cell: ({ roles }) => roles.join(', ') },
    { title: 'By', from: 'wide', cell: sayInviter },
    { title: 'Invited', from: 'medium', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Until', from: 'wide', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: (invitation) =>
        may('support') && (
          <span class="actions end">
            {button('resend', invitation, 'Send again')}
            {button('revoke', invitation, 'Revoke')}
          </span>
        ),
    },
  ];
  return (
    <section>
      <header class="row">
        <p class="muted">Pending ones, the newest first.</p>
        {may('support') && known.data !== undefined && (
          <button type="button" class="plain" onClick={() => setDeed({ kind: 'invite' })}>
            Invite
          </button>
        )}
      </header>
      <View of={page}>
        {({ invitations, next_cursor }) => (
          <>
            {invitations.length === 0 ? (
              <Empty title="No invitation is pending">
                <p>Those that were accepted, declined or revoked are under Activity.</p>
              </Empty>
            ) : (
              <List label="Invitations" rows={invitations} columns={columns} keyOf={({ id }) => id} />
            )}
            <Pager next={next_cursor} />
          </>
        )}
      </View>
      {deed !== null && (
        <InvitationDialog
          {...{ deed, path }}
          roles={known.data?.roles ?? []}
          reload={page.reload}
          follow={setDeed}
          onClose={() => setDeed(null)}
        />
      )}
    </section>
  );
}

/** A deleted account is still known by its id. */
const sayInviter = ({ invited_by: id }: ShownInvitation) =>
  id === null ? 'an administrator' : <a href={`/users/${id}`}>a member</a>;
