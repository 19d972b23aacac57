/** Which organization the company is of: people of an organization sign in at its own identity provider, and are provisioned there. */
import type { AdminCall } from './admin-call.js';
import { COMPANY_RESOURCE_ID } from './register.js';

const PROVIDER = `/admin/sso/providers/resource_${COMPANY_RESOURCE_ID}`;
/** Of a developer there are few. */
const ORGANIZATIONS = '/admin/organizations?limit=100';

export interface CompanyPlace {
  /** Empty: of none. */
  readonly organizationId: string;
  /** Newest first. */
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
}

/** @returns null: there are no organizations here, or the company could not be registered */
export async function readCompanyPlace(admin: AdminCall): Promise<CompanyPlace | null> {
  const [provider, list] = await Promise.all([admin('GET', PROVIDER), admin('GET', ORGANIZATIONS)]);
  if (!provider.ok || !list.ok) return null;
  const { organization_id: organizationId = '' } = (await provider.json()) as { organization_id?: string };
  return { organizationId, ...((await list.json()) as Pick<CompanyPlace, 'organizations'>) };
}

/** @param organizationId empty: to none. @returns false: the server refuses it */
export async function giveCompany(admin: AdminCall, organizationId: string): Promise<boolean> {
  const { saml } = (await (await admin('GET', PROVIDER)).json()) as { saml?: { name_id_format?: string } };
  // It becomes the default again where it is absent.
  const kept = saml?.name_id_format === undefined ? {} : { name_id_format: saml.name_id_format };
  return (await admin('PUT', PROVIDER, { organization_id: organizationId, ...kept })).ok;
}
