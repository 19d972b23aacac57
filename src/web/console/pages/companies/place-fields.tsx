/** The organization of a company, and what those get who join it by a sign-in there. */
import { readJsonList } from '../../core/json-fields.js';
import { Area } from '../../parts/field.js';
import { OrganizationFields, readPlaceInForm } from '../organizations/organization-fields.js';
import type { ShownCompany } from './shown-company.js';

export const PlaceFields = ({ company }: { readonly company: ShownCompany | undefined }) => (
  <OrganizationFields
    hint="slug or id; who signs in there joins it; empty: none"
    legend="Roles of those who join"
    id={company?.organization_id}
    chosen={company?.roles ?? ['member']}
    isGivable={({ name }) => name !== 'owner'}
  >
    <Area
      label="Roles by attribute"
      name="role_mapping"
      hint='JSON, a list of {"attribute", "value", "roles"}; empty: none'
      rows={4}
    >
      {company?.role_mapping === undefined || company.role_mapping.length === 0
        ? ''
        : JSON.stringify(company.role_mapping, null, 2)}
    </Area>
  </OrganizationFields>
);

/** @returns nothing where the form has no such fields. @throws ApiFault */
export async function readCompanyPlace(form: FormData): Promise<Record<string, unknown>> {
  const place = await readPlaceInForm(form);
  if (place === undefined) return {};
  if (place === null) return { organization_id: '' };
  const role_mapping = readJsonList(String(form.get('role_mapping') ?? ''), 'Roles by attribute');
  return { organization_id: place.id, roles: place.roles, role_mapping };
}
