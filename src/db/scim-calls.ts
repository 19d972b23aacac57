/** The statements of sql/queries/scim-calls.sql. */
import type { Database } from './types.js';

export interface ScimCallInput {
  readonly scope_id: string;
  /** RFC 3339. */
  readonly called_at: string;
  readonly request_id: string;
  readonly token_name: string;
  readonly method: string;
  /** Below /scim/v2, without values that a filter looks for. */
  readonly path: string;
  readonly status: number;
  readonly scim_type: string | null;
  readonly detail: string | null;
  /** Attributes, without their values. */
  readonly changes: readonly string[];
  readonly resource_id: string | null;
}

export type ScimCallRow = Omit<ScimCallInput, 'scope_id'> & { readonly id: string };

/** What an operator is shown of a scope. */
export const KEPT_CALLS = 200;

/** Of each scope only the newest stay. */
export async function recordScimCalls(db: Database, calls: readonly ScimCallInput[]): Promise<void> {
  await db.run('scim-calls.insert', [JSON.stringify(calls)]);
  const scopes = [...new Set(calls.map(({ scope_id }) => scope_id))].sort();
  await db.run('scim-calls.trim', [scopes, KEPT_CALLS]);
}

/** Newest first. */
export const listScimCalls = (db: Database, scopeId: string): Promise<ScimCallRow[]> =>
  db.run<ScimCallRow>('scim-calls.list', [scopeId, KEPT_CALLS]);
