/** What can be done to a role of organizations. */
import { send } from '../../core/api.js';
import { toast } from '../../core/state.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Area, Choice, Field } from '../../parts/field.js';
import { linesOf } from '../webhooks/shown-webhook.js';
import type { RoleList, ShownRole } from './shown-organization.js';

export type RoleDeed = { readonly kind: 'add' } | { readonly kind: 'change' | 'delete'; readonly role: ShownRole };

interface RoleDialogProps {
  readonly deed: RoleDeed;
  readonly known: RoleList;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

const ALL = '/api/organization-roles';

export function RoleDialog({ deed, known, reload, onClose }: RoleDialogProps) {
  if (deed.kind === 'delete') return <DeleteRole role={deed.role} {...{ known, reload, onClose }} />;
  const role = deed.kind === 'change' ? deed.role : undefined;
  return (
    <DeedDialog
      title={role === undefined ? 'Add a role' : `Change ${role.name}`}
      verb={role === undefined ? 'Add role' : 'Save'}
      onClose={onClose}
      run={async ({ reason, form }) => {
        const body = {
          ...(role === undefined && { name: String(form.get('name') ?? '').trim() }),
          description: String(form.get('description') ?? '').trim(),
          permissions: linesOf(form, 'permissions'),
          reason,
        };
        await send(role === undefined ? 'POST' : 'PUT', role === undefined ? ALL : `${ALL}/${role.name}`, { body });
        toast(role === undefined ? 'Role added' : 'Role changed');
        await reload();
      }}
    >
      {role === undefined && (
        <Field
          label="Name"
          name="name"
          hint="a to z, 0 to 9, _ and -, a letter first"
          maxLength={40}
          autocomplete="off"
          required
        />
      )}
      <Field
        label="About"
        name="description"
        hint="for people"
        defaultValue={role?.description ?? ''}
        maxLength={500}
        autocomplete="off"
      />
      <Area
        label="Permissions"
        name="permissions"
        hint={role?.built_in ? 'one a line; those that it is built to have stay' : 'one a line'}
        rows={8}
      >
        {(role?.permissions ?? []).join('\n')}
      </Area>
      <p class="small">
        Words of your application, or those that the server checks itself: {known.known_permissions.join(', ')}.
      </p>
    </DeedDialog>
  );
}

interface DeleteRoleProps extends Omit<RoleDialogProps, 'deed'> {
  readonly role: ShownRole;
}

const DeleteRole = ({ role: { name }, known, reload, onClose }: DeleteRoleProps) => (
  <DeedDialog
    title={`Delete the role ${name}?`}
    verb="Delete role"
    isDanger
    onClose={onClose}
    run={async ({ reason, form }) => {
      const other = String(form.get('replace_with') ?? '');
      const body = { ...(other !== '' && { replace_with: other }), reason };
      await send('DELETE', `${ALL}/${name}`, { body });
      toast('Role deleted');
      await reload();
    }}
  >
    <p>
      Without another role in its place it is deleted only if no member or client has it, and no domain, invitation,
      identity provider or group gives it.
    </p>
    <Choice
      label="Its members get"
      name="replace_with"
      choices={[
        ['', 'nothing: refuse if it is in use'],
        ...known.roles
          .filter((role) => role.name !== name && role.name !== 'owner')
          .map((role) => [role.name, role.name] as const),
      ]}
    />
  </DeedDialog>
);
