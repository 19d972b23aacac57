/** The statements of sql/queries/custom-providers.sql. */
import type { SsoProviderRow } from './sso-providers.js';
import type { Database, SealedRow, SqlValue, Statements, TimePlace } from './types.js';

export type CustomProviderType = 'oauth2' | 'oidc';

/** What the admin API reads and writes. Empty text: not set. */
export interface CustomProviderSettings {
  readonly name: string;
  readonly client_id: string;
  readonly acceptable_client_ids: readonly string[];
  readonly scopes: readonly string[];
  readonly custom_claims_allowlist: readonly string[];
  readonly pkce_enabled: boolean;
  readonly enabled: boolean;
  readonly email_optional: boolean;
  readonly skip_nonce_check: boolean;
  /** Target → name of a claim, or a value that is no text. */
  readonly attribute_mapping: Readonly<Record<string, unknown>>;
  readonly authorization_params: Readonly<Record<string, string>>;
  readonly issuer: string;
  readonly discovery_url: string;
  readonly authorization_url: string;
  readonly token_url: string;
  readonly userinfo_url: string;
  readonly jwks_uri: string;
}

export interface CustomProviderRow extends Pick<SsoProviderRow, 'organization_id' | 'roles' | 'role_mapping'> {
  readonly id: string;
  /** `custom:<name>` */
  readonly identifier: string;
  readonly provider_type: CustomProviderType;
  readonly settings: CustomProviderSettings;
  readonly sealed_secret: string;
  readonly discovery_document: Readonly<Record<string, unknown>> | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export async function findCustomProvider(db: Database, identifier: string): Promise<CustomProviderRow | undefined> {
  return (await db.run<CustomProviderRow>('custom-providers.by_identifier', [identifier]))[0];
}

/** Newest first. */
export function listCustomProviders(db: Database, type: CustomProviderType | ''): Promise<CustomProviderRow[]> {
  return db.run<CustomProviderRow>('custom-providers.list', [type]);
}

/** The same a page at a time. @param place of the last one of the page before */
export function listCustomProviderPage(
  db: Database,
  type: CustomProviderType | '',
  place: TimePlace | null,
  count: number,
): Promise<CustomProviderRow[]> {
  const values = [type, place?.createdAt ?? null, place?.id ?? null, count];
  return db.run<CustomProviderRow>('custom-providers.page', values);
}

/** Their secrets, by id. @param after id of the last one of the page before */
export const listSealedProviders = (db: Database, after: string | null, count: number): Promise<SealedRow[]> =>
  db.run<SealedRow>('custom-providers.sealed_page', [after, count]);

/** OpenID Connect only. Oldest first. */
export const listCustomProvidersOf = (db: Statements, organizationId: string): Promise<CustomProviderRow[]> =>
  db.run<CustomProviderRow>('custom-providers.of_organization', [organizationId]);

/** Of what an organization is known by: its id, its slug, or a domain that it has verified (lower case). */
export type SigningOrganization = { readonly id: string } | { readonly slug: string } | { readonly domain: string };

/** The provider of OpenID Connect at which people of an organization sign in. @returns undefined: it has none */
export async function findOpenidProviderOf(
  db: Database,
  organization: SigningOrganization,
): Promise<{ readonly identifier: string; readonly is_enabled: boolean } | undefined> {
  const { id, slug, domain }: { id?: string; slug?: string; domain?: string } = organization;
  return (
    await db.run<{ identifier: string; is_enabled: boolean }>('custom-providers.for_sign_in', [
      ...[id ?? null, slug ?? null, domain ?? null],
    ])
  )[0];
}

/** Whether a domain leads to an enabled provider of OpenID Connect. */
export async function hasOpenidDomain(db: Database): Promise<boolean> {
  return (await db.run<{ is_any: boolean }>('custom-providers.any_domain', []))[0]!.is_any;
}

export async function countCustomProviders(db: Database): Promise<number> {
  return (await db.run<{ rows: number }>('custom-providers.count', []))[0]!.rows;
}

type Written = Pick<
  CustomProviderRow,
  'id' | 'settings' | 'sealed_secret' | 'discovery_document' | 'organization_id' | 'roles' | 'role_mapping'
>;

/**
 * @param maxRows 0: any number
 * @returns undefined when there are as many as there may be
 * @throws a unique violation (23505) when the identifier exists
 */
export async function insertCustomProvider(
  db: Database,
  row: Written & Pick<CustomProviderRow, 'identifier' | 'provider_type'>,
  maxRows: number,
  audit: readonly object[],
): Promise<CustomProviderRow | undefined> {
  const values = [row.id, row.identifier, row.provider_type, ...written(row), maxRows, JSON.stringify(audit)];
  return db.transaction(async (statements) => {
    if (maxRows > 0) await statements.run('custom-providers.lock_quota', []);
    return (await statements.run<CustomProviderRow>('custom-providers.insert', values))[0];
  });
}

/** @returns undefined when the row was changed or deleted since it was read */
export async function updateCustomProvider(
  db: Database,
  { version, ...row }: Written & Pick<CustomProviderRow, 'version'>,
  audit: readonly object[],
): Promise<CustomProviderRow | undefined> {
  const values = [row.id, version, ...written(row), JSON.stringify(audit)];
  return (await db.run<CustomProviderRow>('custom-providers.update', values))[0];
}

const written = (row: Written): SqlValue[] => [
  JSON.stringify(row.settings),
  row.sealed_secret,
  row.discovery_document && JSON.stringify(row.discovery_document),
  row.organization_id,
  row.roles,
  JSON.stringify(row.role_mapping),
];

export async function resealCustomProvider(db: Database, id: string, before: string, after: string): Promise<void> {
  await db.run('custom-providers.reseal', [id, before, after]);
}

/** @param organizationId that it has to belong to; null: any or none. @returns false when there is none */
export async function deleteCustomProvider(
  db: Statements,
  identifier: string,
  organizationId: string | null,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('custom-providers.delete', [identifier, organizationId, JSON.stringify(audit)])).length === 1;
}
