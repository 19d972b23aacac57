/** The statements of sql/queries/organizations.sql. */
import type { Database, FoundPlace, Statements, TimePlace } from './types.js';
import type { Metadata, OrganizationPolicies } from './user-rows.js';

/** How a member came. */
export type JoinedVia = 'invitation' | 'domain' | 'sso' | 'scim' | 'admin' | 'creation';

/** A domain as the members of its organization see it. */
export interface OrganizationDomain {
  readonly domain: string;
  readonly status: 'pending' | 'verified';
}

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly logo_url: string | null;
  readonly metadata: Metadata;
  /** Null: none. */
  readonly policies: OrganizationPolicies | null;
  /** By name; null: none. */
  readonly domains: readonly OrganizationDomain[] | null;
  /** Set by an administrator; null: the setting counts. */
  readonly max_members: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** An organization as one of its members sees it. */
export interface OwnOrganizationRow extends OrganizationRow {
  /** Of the member, sorted. */
  readonly roles: readonly string[];
}

/** What the rules about a change depend on. */
export interface OrganizationStanding {
  /** Of the caller; null: no member. */
  readonly own_roles: readonly string[] | null;
  /** Of the member that is concerned; null: no member. */
  readonly roles: readonly string[] | null;
  /** Somebody else than the member that is concerned is an owner. */
  readonly has_other_owner: boolean;
}

/** Locks the row until the end of the transaction. @returns undefined when there is none */
export async function lockOrganization(statements: Statements, id: string): Promise<OrganizationRow | undefined> {
  return (await statements.run<OrganizationRow>('organizations.lock', [id]))[0];
}

/** Call it with the organization locked. */
export async function readStanding(
  statements: Statements,
  id: string,
  callerId: string | null,
  memberId: string | null,
): Promise<OrganizationStanding> {
  return (await statements.run<OrganizationStanding>('organizations.standing', [id, callerId, memberId]))[0]!;
}

export interface NewOrganization {
  readonly id: string;
  readonly name: string;
  /** The first one that is free is taken. */
  readonly slugs: readonly string[];
  readonly logoUrl: string | null;
  readonly metadata: Metadata;
  readonly maxMembers: number | null;
  readonly ownerId: string;
  readonly via: JoinedVia;
  /** How many organizations a user may own. */
  readonly maxOwned: number;
}

/**
 * Call it with the account of the owner locked.
 * @returns undefined when no slug is free, or the owner has as many as a user may own
 */
export async function insertOrganization(
  statements: Statements,
  given: NewOrganization,
  audit: readonly object[],
): Promise<OrganizationRow | undefined> {
  const rows = await statements.run<OrganizationRow>('organizations.insert', [
    given.id,
    given.name,
    given.slugs,
    given.logoUrl,
    JSON.stringify(given.metadata),
    given.maxMembers,
    given.ownerId,
    given.via,
    given.maxOwned,
    JSON.stringify(audit),
  ]);
  return rows[0];
}

export async function countOwned(statements: Statements, userId: string): Promise<number> {
  return (await statements.run<{ owned: number }>('organizations.owned', [userId]))[0]!.owned;
}

/** @returns undefined when the user is no member, or there is no such organization */
export async function findOwnOrganization(
  db: Database,
  id: string,
  userId: string,
): Promise<OwnOrganizationRow | undefined> {
  return (await db.run<OwnOrganizationRow>('organizations.of_member', [id, userId]))[0];
}

export async function findOrganization(db: Statements, id: string): Promise<OrganizationRow | undefined> {
  return (await db.run<OrganizationRow>('organizations.by_id', [id]))[0];
}

export interface MembershipRow extends OwnOrganizationRow {
  readonly joined_at: string;
  readonly via: JoinedVia;
  /** The session acts for it. */
  readonly is_active: boolean;
}

/**
 * The memberships of a user, newest first.
 * @param place of the last one of the page before: joined_at and id of the organization
 */
export const listOrganizationsOf = (
  db: Database,
  userId: string,
  sessionId: string | null,
  place: TimePlace | null,
  limit: number,
): Promise<MembershipRow[]> =>
  db.run<MembershipRow>('organizations.of_user', [
    userId,
    sessionId,
    place?.createdAt ?? null,
    place?.id ?? null,
    limit,
  ]);

/** What is undefined stays. */
export interface OrganizationChanges {
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
  readonly logoUrl?: string | null | undefined;
  readonly metadata?: Metadata | undefined;
  readonly maxMembers?: number | null | undefined;
  /** Null: none. */
  readonly policies?: OrganizationPolicies | null | undefined;
}

/**
 * Call it with the organization locked.
 * @throws a unique violation (23505) when another organization has the slug
 */
export async function updateOrganization(
  statements: Statements,
  id: string,
  { name, slug, logoUrl, metadata, maxMembers, policies }: OrganizationChanges,
  audit: readonly object[],
): Promise<OrganizationRow> {
  const rows = await statements.run<OrganizationRow>('organizations.update', [
    id,
    name ?? null,
    slug ?? null,
    logoUrl !== undefined,
    logoUrl ?? null,
    metadata === undefined ? null : JSON.stringify(metadata),
    maxMembers !== undefined,
    maxMembers ?? null,
    policies !== undefined,
    policies ? JSON.stringify(policies) : null,
    JSON.stringify(audit),
  ]);
  return rows[0]!;
}

/** Call it with the organization locked. */
export async function removeOrganization(statements: Statements, id: string, audit: readonly object[]): Promise<void> {
  await statements.run('organizations.delete', [id, JSON.stringify(audit)]);
}

/** An organization that has one owner. */
export interface SoleOwnership extends Pick<OrganizationRow, 'id' | 'name' | 'slug'> {
  /** It has other members. */
  readonly has_others: boolean;
}

/**
 * Locks the organizations that a user owns. Call it with the account locked.
 * @returns those that have no other owner
 */
export async function lockSoleOwnerships(statements: Statements, userId: string): Promise<readonly SoleOwnership[]> {
  const owned = await statements.run('organizations.lock_owned', [userId]);
  return owned.length === 0 ? [] : statements.run<SoleOwnership>('organizations.solely_owned', [userId]);
}

/** The same without a lock, to tell the user. */
export const listSoleOwnerships = (db: Database, userId: string): Promise<SoleOwnership[]> =>
  db.run<SoleOwnership>('organizations.solely_owned', [userId]);

/** All organizations, newest first. @param place of the last one of the page before */
export const listOrganizations = (db: Database, place: TimePlace | null, limit: number): Promise<OrganizationRow[]> =>
  db.run<OrganizationRow>('organizations.page', [place?.createdAt ?? null, place?.id ?? null, limit]);

/** @param prefix lower case. @param place of the last one of the page before: part 1 slug, 2 name */
export const searchOrganizations = (
  db: Database,
  prefix: string,
  place: FoundPlace | null,
  limit: number,
): Promise<(OrganizationRow & Pick<FoundPlace, 'part' | 'key'>)[]> =>
  db.run('organizations.search', [
    prefix,
    // After every text that begins so.
    `${prefix}\u{10ffff}`,
    place?.part ?? 0,
    place?.key ?? '',
    place?.id ?? null,
    limit,
  ]);
