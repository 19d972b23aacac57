/** The statements of sql/queries/sso-providers.sql. */
import type { SamlMetadata } from '../workers/saml-wire.js';
import type { Database, SqlValue, Statements } from './types.js';

/** What an administrator may set besides the fields of supabase/auth. */
export interface SsoProviderOptions {
  /** Default true: sign-ins may begin at the provider. */
  readonly idp_initiated?: boolean;
  /** Addresses of its domains sign in there only. */
  readonly enforced?: boolean;
  /** The person has to sign in again there, whatever session there is. */
  readonly force_authn?: boolean;
  /** URI of the way to sign in that is asked for. */
  readonly authn_context?: string;
}

/** Roles of those of whom an attribute says so. */
export interface MappedRoles {
  /** Name or FriendlyName of an attribute of the assertion; case does not matter. */
  readonly attribute: string;
  /** One of its values. */
  readonly value: string;
  /** Sorted. */
  readonly roles: readonly string[];
}

export interface SsoProviderRow {
  readonly id: string;
  readonly resource_id: string | null;
  readonly disabled: boolean | null;
  readonly entity_id: string;
  /** Empty where a list or a sign-in does not need it. */
  readonly metadata_xml: string;
  readonly metadata_url: string | null;
  readonly metadata: SamlMetadata;
  readonly metadata_refreshed_at: string;
  readonly metadata_tried_at: string;
  readonly metadata_error: string | null;
  readonly attribute_mapping: Readonly<Record<string, unknown>>;
  readonly name_id_format: string | null;
  readonly options: SsoProviderOptions;
  /** Null: it belongs to the installation. */
  readonly organization_id: string | null;
  /** Of those who join the organization by a sign-in there. Sorted. */
  readonly roles: readonly string[];
  readonly role_mapping: readonly MappedRoles[];
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly domains: readonly string[];
  /** Absent where a sign-in does not need it. */
  readonly domain_proofs?: readonly DomainProof[];
}

export interface DomainProof {
  readonly domain: string;
  /** The secret part of its record in the DNS. */
  readonly proof: string;
  readonly is_verified: boolean;
}

type ProviderKey = 'id' | 'resource_id' | 'entity_id';

/** @param value a UUID for `id` */
export async function findSsoProvider(
  db: Database,
  key: ProviderKey,
  value: string,
): Promise<SsoProviderRow | undefined> {
  return (await db.run<SsoProviderRow>(`sso-providers.by_${key}`, [value]))[0];
}

/** @param domain lower case. @param isProofNeeded a domain that is not verified does not count */
export async function findSsoProviderByDomain(
  db: Database,
  domain: string,
  isProofNeeded: boolean,
): Promise<SsoProviderRow | undefined> {
  return (await db.run<SsoProviderRow>('sso-providers.by_domain', [domain, isProofNeeded]))[0];
}

/** Oldest first. */
export const listSsoProvidersOf = (db: Statements, organizationId: string): Promise<SsoProviderRow[]> =>
  db.run<SsoProviderRow>('sso-providers.of_organization', [organizationId]);

/** The one at which people of an organization sign in. */
export async function findSsoProviderOf(
  db: Database,
  organization: { readonly id: string } | { readonly slug: string },
): Promise<SsoProviderRow | undefined> {
  const [id, slug] = 'id' in organization ? [organization.id, ''] : [null, organization.slug];
  return (await db.run<SsoProviderRow>('sso-providers.by_organization', [id, slug]))[0];
}

/** Of both protocols. */
export async function countProvidersOf(statements: Statements, organizationId: string): Promise<number> {
  return (await statements.run<{ providers: number }>('sso-providers.count_of_organization', [organizationId]))[0]!
    .providers;
}

/** @param identities what identities of people of a provider have as theirs; empty: it is new. @returns the roles that they have in its organization */
export async function readGivenRoles(
  statements: Statements,
  organizationId: string,
  identities: string,
): Promise<readonly string[]> {
  const values = [organizationId, identities];
  const rows = await statements.run<{ roles: readonly string[] }>('sso-providers.given_roles', values);
  return [...new Set(rows.flatMap(({ roles }) => roles))];
}

/** Oldest first. @param prefix of the resource id */
export function listSsoProviders(
  db: Database,
  resourceId: string | null,
  prefix: string | null,
): Promise<SsoProviderRow[]> {
  const pattern = prefix === null ? null : `${prefix.replace(/[\\%_]/g, '\\$&')}%`;
  return db.run<SsoProviderRow>('sso-providers.list', [resourceId, pattern]);
}

/** @returns the first of the domains that another provider than `ownId` has */
export async function findTakenDomain(
  db: Database,
  domains: readonly string[],
  ownId: string | null,
): Promise<{ readonly domain: string; readonly provider_id: string } | undefined> {
  return (await db.run<{ domain: string; provider_id: string }>('sso-providers.taken_domain', [domains, ownId]))[0];
}

export type WrittenSsoProvider = Pick<
  SsoProviderRow,
  | 'id'
  | 'resource_id'
  | 'disabled'
  | 'metadata_xml'
  | 'metadata_url'
  | 'metadata'
  | 'attribute_mapping'
  | 'name_id_format'
  | 'options'
  | 'organization_id'
  | 'roles'
  | 'role_mapping'
  | 'domains'
>;

/** @throws a unique violation (23505) when another provider has its entity id, resource id or a domain */
export async function insertSsoProvider(
  db: Statements,
  row: WrittenSsoProvider & Pick<SsoProviderRow, 'entity_id'>,
  audit: readonly object[],
): Promise<void> {
  await db.run('sso-providers.insert', [row.id, row.entity_id, ...writtenValues(row), JSON.stringify(audit)]);
}

/**
 * @returns false when it was changed or deleted since it was read
 * @throws a unique violation (23505) when another provider has its resource id or a domain
 */
export async function updateSsoProvider(
  db: Statements,
  row: WrittenSsoProvider & Pick<SsoProviderRow, 'version'>,
  isMetadataNew: boolean,
  audit: readonly object[],
): Promise<boolean> {
  const values = [row.id, row.version, ...writtenValues(row), isMetadataNew, JSON.stringify(audit)];
  const rows = await db.run('sso-providers.update', values);
  return rows.length === 1;
}

/** In the order in which both statements have them. */
const writtenValues = (row: WrittenSsoProvider): SqlValue[] => [
  row.resource_id,
  row.disabled,
  row.metadata_xml,
  row.metadata_url,
  JSON.stringify(row.metadata),
  JSON.stringify(row.attribute_mapping),
  row.name_id_format,
  JSON.stringify(row.options),
  row.domains,
  row.organization_id,
  row.roles,
  JSON.stringify(row.role_mapping),
];

/** @param ids of which any may be gone */
export const listCompanyNames = (
  db: Database,
  ids: readonly string[],
): Promise<Pick<SsoProviderRow, 'id' | 'resource_id' | 'entity_id' | 'domains'>[]> =>
  db.run('sso-providers.names', [ids]);

export interface CompanyDomain {
  readonly domain: string;
  readonly provider_id: string;
  /** Its people sign in there only. */
  readonly is_enforced: boolean;
}

/** Domains whose people sign in at their provider. @param isProofNeeded those that are not verified do not count */
export const listCompanyDomains = (db: Database, isProofNeeded: boolean): Promise<CompanyDomain[]> =>
  db.run<CompanyDomain>('sso-providers.company_domains', [isProofNeeded]);

/** @param organizationId that it must belong to; null: any or none. @returns false when there is none */
export async function deleteSsoProvider(
  db: Statements,
  id: string,
  organizationId: string | null,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('sso-providers.delete', [id, organizationId, JSON.stringify(audit)])).length === 1;
}

/** @returns false when another one has tried within the seconds, or there is no address */
export async function claimMetadataRefresh(db: Database, id: string, seconds: number): Promise<boolean> {
  return (await db.run('sso-providers.try_refresh', [id, seconds])).length === 1;
}

/** @param url that was read: an administrator may have changed it meanwhile */
export async function storeMetadataRefresh(
  db: Database,
  id: string,
  url: string,
  result: { readonly xml: string; readonly metadata: SamlMetadata } | { readonly error: string },
): Promise<void> {
  const values = 'error' in result ? [null, null, result.error] : [result.xml, JSON.stringify(result.metadata), null];
  await db.run('sso-providers.store_refresh', [id, url, ...values]);
}

export type RefreshableProvider = Pick<SsoProviderRow, 'id' | 'metadata_url' | 'entity_id'>;

/** Providers whose metadata should be read again. */
export const listDueRefreshes = (db: Database, most: number): Promise<RefreshableProvider[]> =>
  db.run<RefreshableProvider>('sso-providers.due_refreshes', [most]);
