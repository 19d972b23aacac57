/** To which organization something belongs, and which roles it gives or has there; in forms of other pages. */
import type { ComponentChildren } from 'preact';
import { useResource } from '../../core/resource.js';
import { Field } from '../../parts/field.js';
import { findOrganizationId } from './find-organization.js';
import { RolesField, readRoleBoxes } from './roles-field.js';
import type { RoleList, ShownRole } from './shown-organization.js';

interface OrganizationFieldsProps {
  readonly hint: string;
  /** Of the roles. */
  readonly legend: string;
  /** Undefined: none. */
  readonly id: string | undefined;
  readonly chosen: readonly string[];
  readonly isGivable?: (role: ShownRole) => boolean;
  /** Further fields. */
  readonly children?: ComponentChildren;
}

/** Nothing while organizations are switched off. */
export function OrganizationFields(props: OrganizationFieldsProps) {
  const { hint, legend, id, chosen, isGivable = () => true, children } = props;
  const known = useResource<RoleList>('/api/organization-roles');
  if (known.data === undefined) return null;
  return (
    <details open={id !== undefined}>
      <summary>For one organization</summary>
      <div class="stack">
        <Field label="Organization" name="organization" hint={hint} defaultValue={id ?? ''} autocomplete="off" />
        <RolesField legend={legend} roles={known.data.roles.filter(isGivable)} chosen={chosen} />
        {children}
      </div>
    </details>
  );
}

interface GivenOrganization {
  readonly id: string;
  /** Sorted. */
  readonly roles: readonly string[];
}

/** @returns undefined where the form has no such fields; null: none is given. @throws ApiFault */
export async function readPlaceInForm(form: FormData): Promise<GivenOrganization | null | undefined> {
  const given = form.get('organization');
  if (given === null) return undefined;
  const text = String(given).trim();
  return text === '' ? null : { id: await findOrganizationId(text), roles: readRoleBoxes(form).sort() };
}
