/** The statements of sql/queries/import-sso.sql. */
import type { GoneRange } from './import-oauth.js';
import type { SsoProviderRow } from './sso-providers.js';
import type { Database } from './types.js';

/** The identity provider of a company as it is stored, with its domains in lower case. Timestamps are RFC 3339. */
export interface ImportSsoProvider
  extends Pick<
    SsoProviderRow,
    | 'id'
    | 'resource_id'
    | 'disabled'
    | 'entity_id'
    | 'metadata_xml'
    | 'metadata_url'
    | 'metadata'
    | 'metadata_refreshed_at'
    | 'attribute_mapping'
    | 'name_id_format'
    | 'domains'
    | 'created_at'
    | 'updated_at'
  > {
  /** Of the provider as it was read. */
  readonly digest: string;
}

/** The verdicts are explained at the statement. */
export type SsoVerdict =
  | 'imported'
  | 'changed'
  | 'same'
  | 'kept'
  | 'deleted'
  | 'there'
  | 'entity_id'
  | 'resource_id'
  | 'domain'
  | 'raced';

export interface JudgedSsoProvider {
  readonly verdict: SsoVerdict;
  /** The domain that another provider has, and the id of that one. */
  readonly taken: string | null;
  readonly taken_by: string | null;
}

/** @returns what became of each provider, in order */
export async function importSsoProviders(
  db: Database,
  providers: readonly ImportSsoProvider[],
): Promise<JudgedSsoProvider[]> {
  const rows = await db.run<JudgedSsoProvider & { readonly position: number }>('import-sso.providers', [
    JSON.stringify(providers.map((provider, position) => ({ position, ...provider }))),
  ]);
  const judged: JudgedSsoProvider[] = [];
  for (const row of rows) judged[row.position] = row;
  return judged;
}

/** Deletes providers that an earlier run brought, are as they were, and are no longer there. @returns how many */
export async function removeGoneSsoProviders(db: Database, { after, upTo, present }: GoneRange): Promise<number> {
  return (await db.run('import-sso.remove_gone_providers', [after, upTo, present])).length;
}
