/** The tables of which each node has a copy: what the statements of one session join. They themselves are on the coordinator. */

export interface CopiedTable {
  /** Of uuids. */
  readonly key: readonly string[];
  /** Those that statements of sessions read; absent: all. */
  readonly columns?: readonly string[];
}

export const COPIED: Readonly<Record<string, CopiedTable>> = {
  users: { key: ['id'] },
  identities: { key: ['id'] },
  organizations: { key: ['id'] },
  organization_members: { key: ['organization_id', 'user_id'] },
  oauth_clients: { key: ['id'], columns: ['id', 'version', 'organization_id', 'deleted_at'] },
  sso_providers: { key: ['id'], columns: ['id', 'organization_id'] },
  custom_providers: { key: ['id'], columns: ['id', 'organization_id', 'settings'] },
};

export const copyOf = (table: string): string => `node_${table}`;
