/** Which organization a client serves, and what it is in it. */
import { OrganizationFields, readPlaceInForm } from '../organizations/organization-fields.js';
import type { ShownClient } from './shown-client.js';

export const ServedFields = ({ client }: { readonly client: ShownClient | undefined }) => (
  <OrganizationFields
    hint="slug or id; only its members sign in there; empty: none"
    legend="Roles of the client itself"
    id={client?.organization_id}
    chosen={client?.organization_roles ?? []}
  />
);

/** @returns nothing where the form has no such fields. @throws ApiFault */
export async function readServedForm(form: FormData): Promise<Record<string, unknown>> {
  const place = await readPlaceInForm(form);
  if (place === undefined) return {};
  return { organization_id: place?.id ?? '', organization_roles: place?.roles ?? [] };
}
