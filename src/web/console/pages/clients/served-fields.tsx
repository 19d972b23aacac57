/** Which organization a client serves, and what it is in it. */
import { useResource } from '../../core/resource.js';
import { Field } from '../../parts/field.js';
import { findOrganizationId } from '../organizations/find-organization.js';
import { RolesField, readRoleBoxes } from '../organizations/roles-field.js';
import type { RoleList } from '../organizations/shown-organization.js';
import type { ShownClient } from './shown-client.js';

/** Nothing while organizations are switched off. */
export function ServedFields({ client }: { readonly client: ShownClient | undefined }) {
  const known = useResource<RoleList>('/api/organization-roles');
  if (known.data === undefined) return null;
  return (
    <details open={client?.organization_id !== undefined}>
      <summary>For one organization</summary>
      <div class="stack">
        <Field
          label="Organization"
          name="organization"
          hint="slug or id; only its members sign in there; empty: none"
          defaultValue={client?.organization_id ?? ''}
          autocomplete="off"
        />
        <RolesField
          legend="Roles of the client itself"
          roles={known.data.roles}
          chosen={client?.organization_roles ?? []}
        />
      </div>
    </details>
  );
}

/** @returns nothing where the form has no such fields. @throws ApiFault */
export async function readServedForm(form: FormData): Promise<Record<string, unknown>> {
  const given = form.get('organization');
  if (given === null) return {};
  const text = String(given).trim();
  return text === ''
    ? { organization_id: '', organization_roles: [] }
    : { organization_id: await findOrganizationId(text), organization_roles: readRoleBoxes(form).sort() };
}
