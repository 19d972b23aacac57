/** The roles of a member, as boxes. */
import type { ShownRole } from './shown-organization.js';

interface RolesFieldProps {
  readonly legend?: string;
  readonly roles: readonly ShownRole[];
  readonly chosen: readonly string[];
}

export const RolesField = ({ legend = 'Roles', roles, chosen }: RolesFieldProps) => (
  <fieldset class="choices">
    <legend>{legend}</legend>
    {roles.map(({ name, description, permissions }) => (
      <label key={name} class="check">
        <input type="checkbox" name="roles" value={name} defaultChecked={chosen.includes(name)} />
        <span>
          <strong>{name}</strong> <small>{description || sayPermissions(permissions)}</small>
        </span>
      </label>
    ))}
  </fieldset>
);

/** The first few, and how many there are. */
export const sayPermissions = (permissions: readonly string[]): string => {
  const shown = permissions.slice(0, 4).join(', ');
  if (permissions.length === 0) return 'permits nothing';
  return permissions.length > 4 ? `${shown} and ${permissions.length - 4} more` : shown;
};

export const readRoleBoxes = (form: FormData): string[] => form.getAll('roles').map(String);
