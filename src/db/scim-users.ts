/** The statements of sql/queries/scim-users.sql. */

import { caseKey } from './case-key.js';
import type { Database, Statements, TimePlace } from './types.js';
import type { Metadata } from './user-rows.js';

export interface ScimUserRow {
  readonly id: string;
  readonly user_name: string;
  readonly external_id: string | null;
  readonly active: boolean;
  readonly resource: Metadata;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** The account is the company's; else it was there before, and joined. */
  readonly owns_account: boolean;
  /** By name; null: none, or not asked for. */
  readonly groups: readonly { readonly value: string; readonly display: string }[] | null;
}

/** Whose domains prove addresses. */
export interface ScimVouchers {
  readonly isTrusted: boolean;
  readonly providerId: string | null;
  readonly organizationId: string | null;
}

/** What is written of a person. */
export interface WrittenScimUser {
  readonly userName: string;
  readonly externalId: string | null;
  /** Lower case. */
  readonly emailKeys: readonly string[];
  readonly active: boolean;
  readonly resource: Metadata;
  readonly search: Metadata;
  readonly askedRoles: readonly string[];
  /** Of the account; null: none. */
  readonly email: string | null;
  readonly userMetadata: { readonly set: Metadata; readonly drop: readonly string[] };
  /** app_metadata.scim */
  readonly appMetadata: Metadata;
}

export interface KnownPerson {
  /** What another person of the scope has; null: nothing. */
  readonly taken: 'userName' | 'externalId' | null;
  /** Was deleted. */
  readonly former: KnownAccount | null;
  /** Has signed in at the provider. */
  readonly signed_in: KnownAccount | null;
  /** Has a proven address of the organization. */
  readonly joined: KnownAccount | null;
}

export interface KnownAccount {
  readonly id: string;
  /** The account is the company's. */
  readonly owns: boolean;
}

/** @param providers of identities, `sso:<id>` @param organizationId whose verified domains and providers of OpenID Connect count; null: none do */
export async function findKnownPerson(
  statements: Statements,
  scopeId: string,
  { userName, externalId, email }: Pick<WrittenScimUser, 'userName' | 'externalId' | 'email'>,
  providers: readonly string[],
  organizationId: string | null,
): Promise<KnownPerson> {
  const values = [scopeId, caseKey(userName), externalId, providers, userName, email, organizationId];
  return (await statements.run<KnownPerson>('scim-users.known', values))[0]!;
}

export interface NewScimUser {
  readonly scopeId: string;
  readonly userId: string;
  /** Null: the account is there. */
  readonly account: { readonly aud: string; readonly role: string; readonly provider: string } | null;
  readonly ownsAccount: boolean;
  readonly vouchers: ScimVouchers;
  readonly written: WrittenScimUser;
}

/**
 * Call it with the account locked, if it is there.
 * @returns undefined when the account is gone, or is in the scope already
 * @throws a unique violation (23505) when another person has the name or the external id
 */
export async function insertScimUser(
  statements: Statements,
  { scopeId, userId, account, ownsAccount, vouchers, written }: NewScimUser,
  audit: readonly object[],
): Promise<ScimUserRow | undefined> {
  const rows = await statements.run<ScimUserRow>('scim-users.insert', [
    scopeId,
    userId,
    JSON.stringify(account === null ? [] : [{ aud: account.aud, role: account.role }]),
    account?.provider ?? null,
    written.email,
    vouchers.isTrusted,
    vouchers.providerId,
    vouchers.organizationId,
    JSON.stringify(written.userMetadata.set),
    JSON.stringify(written.appMetadata),
    written.userName,
    written.externalId,
    written.emailKeys,
    written.active,
    JSON.stringify(written.resource),
    JSON.stringify(written.search),
    ownsAccount,
    written.askedRoles,
    JSON.stringify(audit),
    caseKey(written.userName),
    written.userMetadata.drop,
  ]);
  return rows[0];
}

export async function findScimUser(
  statements: Statements,
  scopeId: string,
  userId: string,
  withGroups: boolean,
): Promise<ScimUserRow | undefined> {
  return (await statements.run<ScimUserRow>('scim-users.by_id', [scopeId, userId, withGroups]))[0];
}

/** Call it with the account locked. @throws a unique violation (23505) when another person has the name or the external id */
export async function updateScimUser(
  statements: Statements,
  scopeId: string,
  userId: string,
  written: WrittenScimUser,
  vouchers: ScimVouchers,
  audit: readonly object[],
): Promise<ScimUserRow | undefined> {
  const rows = await statements.run<ScimUserRow>('scim-users.update', [
    scopeId,
    userId,
    written.userName,
    written.externalId,
    written.emailKeys,
    written.active,
    JSON.stringify(written.resource),
    JSON.stringify(written.search),
    written.askedRoles,
    written.email,
    vouchers.isTrusted,
    vouchers.providerId,
    vouchers.organizationId,
    JSON.stringify(written.userMetadata.set),
    written.userMetadata.drop,
    JSON.stringify(written.appMetadata),
    JSON.stringify(audit),
    caseKey(written.userName),
  ]);
  return rows[0];
}

/** Call it with the account locked. @returns false when there is no such person */
export async function softDeleteScimUser(
  statements: Statements,
  scopeId: string,
  userId: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await statements.run('scim-users.soft_delete', [scopeId, userId, JSON.stringify(audit)])).length === 1;
}

/** Call it with the account locked. */
export async function forgetScimUser(statements: Statements, scopeId: string, userId: string): Promise<void> {
  await statements.run('scim-users.forget', [scopeId, userId]);
}

/** Call it with the account locked. @returns whether another provider or organization has the person, too */
export async function hasOtherScope(statements: Statements, scopeId: string, userId: string): Promise<boolean> {
  return (await statements.run('scim-users.other_scopes', [scopeId, userId])).length > 0;
}

/** Roles of the organization, by what is asked for and by groups. Call it with the account locked. */
export async function renewScimRoles(statements: Statements, scopeId: string, ids: readonly string[]): Promise<void> {
  await statements.run('scim-users.renew_roles', [scopeId, ids]);
}

/** What is looked for. */
export interface ScimSearch {
  /** A JSON path over search documents. */
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Null: all of the scope is read. */
  readonly indexed: Readonly<Record<string, readonly string[]>> | null;
}

/** Which part of the list. */
export interface ScimPlaceInList {
  readonly after: TimePlace | null;
  readonly offset: number;
  readonly limit: number;
}

/** Of an empty page one row without an id. */
export type ListedScimUser = { readonly total: number } & (ScimUserRow | { readonly id: null });

/** In the order in which they came. @param search null: all */
export function listScimUsers(
  db: Database,
  scopeId: string,
  search: ScimSearch | null,
  { after, offset, limit }: ScimPlaceInList,
  withGroups: boolean,
): Promise<ListedScimUser[]> {
  const place = [scopeId, after?.createdAt ?? null, after?.id ?? null, offset, limit, withGroups];
  if (search === null) return db.run<ListedScimUser>('scim-users.page', place);
  const filter = [...place, search.path, JSON.stringify(search.values)];
  const { indexed } = search;
  if (indexed === null) return db.run<ListedScimUser>('scim-users.page_matching', filter);
  const by = (name: string) => indexed[name] ?? [];
  return db.run<ListedScimUser>('scim-users.page_found', [
    ...filter,
    by('id'),
    by('username'),
    by('externalid'),
    by('emails.value'),
  ]);
}
