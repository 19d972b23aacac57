/** What the identity provider of a company is called. */
import { findSsoProvider, type SsoProviderRow } from '../../db/sso-providers.js';
import type { App } from '../runtime/app.js';

/** Identities and traces have this name for it, with its id. */
export const COMPANY_PREFIX = 'sso:';

/** As people know it: by its domain, by the id that administrators gave it, or by the host of its entity id. */
export function companyNameOf({
  domains,
  resource_id,
  entity_id,
}: Pick<SsoProviderRow, 'domains' | 'resource_id' | 'entity_id'>): string {
  const host = URL.canParse(entity_id) ? new URL(entity_id).host : '';
  return domains[0] ?? resource_id ?? (host || entity_id);
}

/** @param provider as identities and traces name it, of a company. @returns undefined: the company is gone */
export async function findCompanyName({ db }: Pick<App, 'db'>, provider: string): Promise<string | undefined> {
  const row = await findSsoProvider(db, 'id', provider.slice(COMPANY_PREFIX.length));
  return row && companyNameOf(row);
}
