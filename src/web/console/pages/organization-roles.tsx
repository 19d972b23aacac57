/** The roles of all organizations, and what they permit. */
import { useState } from 'preact/hooks';
import { useResource } from '../core/resource.js';
import { may } from '../core/state.js';
import { Badge } from '../parts/details.js';
import { Heading } from '../parts/heading.js';
import { type Column, List } from '../parts/list.js';
import { OrganizationView } from './organizations/organization-view.js';
import { type RoleDeed, RoleDialog } from './organizations/role-dialogs.js';
import { sayPermissions } from './organizations/roles-field.js';
import type { RoleList, ShownRole } from './organizations/shown-organization.js';

export function Page() {
  const list = useResource<RoleList>('/api/organization-roles');
  const [deed, setDeed] = useState<RoleDeed | null>(null);
  const button = (kind: 'change' | 'delete', role: ShownRole, text: string) => (
    <button
      type="button"
      class="plain small"
      aria-label={`${text} ${role.name}`}
      onClick={() => setDeed({ kind, role })}
    >
      {text}
    </button>
  );
  const columns: readonly Column<ShownRole>[] = [
    {
      title: 'Role',
      cell: ({ name, built_in }) => (
        <>
          <strong>{name}</strong> {built_in && <Badge>built in</Badge>}
        </>
      ),
    },
    { title: 'About', from: 'wide', cell: ({ description }) => description || '–' },
    { title: 'Permits', from: 'medium', cell: ({ name, permissions }) => sayAll(name, permissions) },
    {
      title: 'Actions',
      isEnd: true,
      cell: (role) =>
        may('admin') &&
        role.name !== 'owner' && (
          <span class="actions end">
            {button('change', role, 'Change')}
            {!role.built_in && button('delete', role, 'Delete')}
          </span>
        ),
    },
  ];
  return (
    <>
      <Heading
        title="Roles of organizations"
        about="They hold for all organizations, and count in the next tokens."
        of={list}
      >
        {may('admin') && list.data !== undefined && (
          <button type="button" onClick={() => setDeed({ kind: 'add' })}>
            Add a role
          </button>
        )}
      </Heading>
      <OrganizationView of={list}>
        {({ roles }) => (
          <>
            {roles.some(isCutInTokens) && (
              <p class="muted">
                Tokens leave org_permissions out where it takes more than 4 kB, as for:{' '}
                {roles
                  .filter(isCutInTokens)
                  .map(({ name }) => name)
                  .join(', ')}
                . An application that reads org_permissions then reads org_roles.
              </p>
            )}
            <List label="Roles" rows={roles} columns={columns} keyOf={({ name }) => name} />
          </>
        )}
      </OrganizationView>
      {deed !== null && list.data !== undefined && (
        <RoleDialog deed={deed} known={list.data} reload={list.reload} onClose={() => setDeed(null)} />
      )}
    </>
  );
}

/** Owners first: they have what all roles permit. */
const MOST_IN_TOKEN = 4096;
const isCutInTokens = ({ permissions }: ShownRole): boolean => JSON.stringify(permissions).length > MOST_IN_TOKEN;

const sayAll = (name: string, permissions: readonly string[]): string =>
  name === 'owner' ? 'everything' : sayPermissions(permissions);
