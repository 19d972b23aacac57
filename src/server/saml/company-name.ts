/** What the identity provider of a company is called. */
import { listCompanyNames, type SsoProviderRow } from '../../db/sso-providers.js';
import { readUuid } from '../../db/uuid.js';
import type { App } from '../runtime/app.js';

/** Identities and traces have this name for it, with its id. */
export const COMPANY_PREFIX = 'sso:';

export const isCompanyProvider = (provider: string): boolean => provider.startsWith(COMPANY_PREFIX);

/** As people know it: by its domain, by the id that administrators gave it, or by the host of its entity id. */
export function companyNameOf({
  domains,
  resource_id,
  entity_id,
}: Pick<SsoProviderRow, 'domains' | 'resource_id' | 'entity_id'>): string {
  const host = URL.canParse(entity_id) ? new URL(entity_id).host : '';
  return domains[0] ?? resource_id ?? (host || entity_id);
}

/**
 * @param providers as identities and traces name them, of companies and others
 * @returns by the same names, what companies are called; those that are gone have none. Without a company nothing is read
 */
export async function readCompanyNames(
  { db }: Pick<App, 'db'>,
  providers: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const ids = providers.filter(isCompanyProvider).map((provider) => readUuid(provider.slice(COMPANY_PREFIX.length)));
  const known = ids.filter((id) => id !== null);
  const rows = known.length === 0 ? [] : await listCompanyNames(db, known);
  return Object.fromEntries(rows.map((row) => [`${COMPANY_PREFIX}${row.id}`, companyNameOf(row)]));
}
