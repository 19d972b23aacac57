/** The organizations of a user. */
import { useState } from 'preact/hooks';
import { pathWith, send } from '../../core/api.js';
import { place } from '../../core/location.js';
import { useResource } from '../../core/resource.js';
import { may, toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import { type Column, List, Pager } from '../../parts/list.js';
import { Time } from '../../parts/time.js';
import { Empty, View } from '../../parts/view.js';
import { pathOfOrganization, type ShownMembership, sayVia } from '../organizations/shown-organization.js';

interface MembershipPage {
  readonly organizations: readonly ShownMembership[];
  readonly next_cursor: string | null;
}

interface MembershipsProps {
  readonly userId: string;
  /** After a change: their number is beside the tab. */
  readonly reload: () => Promise<void>;
}

export function Memberships({ userId, reload }: MembershipsProps) {
  const cursor = place.value.query.get('cursor');
  const page = useResource<MembershipPage>(pathWith(`/api/users/${userId}/organizations`, { cursor }));
  const [left, setLeft] = useState<ShownMembership | null>(null);
  const columns: readonly Column<ShownMembership>[] = [
    {
      title: 'Organization',
      cell: ({ id, name }) => (
        <a href={`/orgs/${id}`} class="name">
          {name}
        </a>
      ),
    },
    { title: 'Slug', from: 'wide', cell: ({ slug }) => <code>{slug}</code> },
    { title: 'Roles', cell: ({ roles }) => roles.join(', ') },
    { title: 'By', from: 'wide', cell: ({ via }) => sayVia(via) },
    { title: 'Joined', from: 'medium', cell: ({ joined_at }) => <Time at={joined_at} /> },
    {
      title: 'Actions',
      isEnd: true,
      cell: (membership) =>
        may('support') && (
          <button
            type="button"
            class="plain small"
            aria-label={`Remove from ${membership.name}`}
            onClick={() => setLeft(membership)}
          >
            Remove
          </button>
        ),
    },
  ];
  return (
    <section>
      <View of={page}>
        {({ organizations, next_cursor }) => (
          <>
            {organizations.length === 0 ? (
              <Empty title="A member of no organization">
                <p>Members are added on the page of an organization, or accept an invitation.</p>
              </Empty>
            ) : (
              <List label="Organizations" rows={organizations} columns={columns} keyOf={({ id }) => id} />
            )}
            <Pager next={next_cursor} />
          </>
        )}
      </View>
      {left !== null && (
        <DeedDialog
          title={`Remove from ${left.name}?`}
          verb="Remove"
          isDanger
          onClose={() => setLeft(null)}
          run={async ({ reason }) => {
            await send('DELETE', `${pathOfOrganization(left.id)}/members/${userId}`, { body: { reason } });
            toast('Member removed');
            await Promise.all([page.reload(), reload()]);
          }}
        >
          <p>The account stays. Its next token says nothing of the organization any more.</p>
        </DeedDialog>
      )}
    </section>
  );
}
