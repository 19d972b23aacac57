/** The statements of sql/queries/scim-tokens.sql. */
import type { Database, Statements } from './types.js';

/** Of one of the two. */
export type ScimPlace =
  | { readonly providerId: string; readonly organizationId: null }
  | { readonly providerId: null; readonly organizationId: string };

export interface ScimTokenRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** To the hour. */
  readonly last_used_at: string | null;
}

/** Call it in a transaction. @returns false when the provider is gone */
export async function lockScimScope(
  statements: Statements,
  { providerId, organizationId }: ScimPlace,
): Promise<boolean> {
  return (await statements.run('scim-tokens.lock_scope', [providerId, organizationId])).length === 1;
}

export interface NewScimToken {
  readonly scopeId: string;
  readonly name: string;
  readonly hash: string;
  readonly reachesOwners: boolean;
  /** Null: all. */
  readonly mayGive: readonly string[] | null;
  /** RFC 3339; null: never. */
  readonly expiresAt: string | null;
}

/** Call it with the scope locked. @returns undefined when the scope has `most` already */
export async function insertScimToken(
  statements: Statements,
  { scopeId, name, hash, reachesOwners, mayGive, expiresAt }: NewScimToken,
  most: number,
  audit: readonly object[],
): Promise<ScimTokenRow | undefined> {
  const values = [scopeId, name, hash, reachesOwners, expiresAt, most, JSON.stringify(audit), mayGive];
  return (await statements.run<ScimTokenRow>('scim-tokens.insert', values))[0];
}

/** Oldest first. */
export const listScimTokens = (db: Database, scopeId: string): Promise<ScimTokenRow[]> =>
  db.run<ScimTokenRow>('scim-tokens.list', [scopeId]);

/** @returns false when the scope has no such token */
export async function removeScimToken(
  statements: Statements,
  scopeId: string,
  id: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await statements.run('scim-tokens.delete', [scopeId, id, JSON.stringify(audit)])).length === 1;
}

export interface ScimTokenHolder {
  /** Of the token. */
  readonly id: string;
  readonly name: string;
  readonly reaches_owners: boolean;
  readonly may_give: readonly string[] | null;
  readonly scope_id: string;
  readonly provider_id: string | null;
  /** Of the scope, or of its provider; null: neither belongs to one. */
  readonly organization_id: string | null;
  readonly is_use_known: boolean;
}

/** @param hashes under each key that is accepted. @returns undefined when there is no such token, or it has expired */
export async function findScimToken(db: Database, hashes: readonly string[]): Promise<ScimTokenHolder | undefined> {
  return (await db.run<ScimTokenHolder>('scim-tokens.by_hash', [hashes]))[0];
}

export async function noteScimTokenUse(db: Database, id: string): Promise<void> {
  await db.run('scim-tokens.note_use', [id]);
}
