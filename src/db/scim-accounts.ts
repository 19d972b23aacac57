/** The statements of sql/queries/scim-accounts.sql. */
import type { Database } from './types.js';

/** By whom an account is provisioned, and as whom. */
export interface ProvisionedRow {
  /** Null: by an organization. */
  readonly provider_id: string | null;
  readonly organization_id: string | null;
  readonly organization_name: string | null;
  readonly user_name: string;
  readonly active: boolean;
  /** Gone for the identity provider; null: it is not. */
  readonly deleted_at: string | null;
  readonly updated_at: string;
  /** Names of its groups there, at most 100. */
  readonly groups: readonly string[];
}

/** The oldest first. */
export const listProvisioned = (db: Database, userId: string): Promise<ProvisionedRow[]> =>
  db.run<ProvisionedRow>('scim-accounts.of_user', [userId]);
