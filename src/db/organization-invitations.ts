/** The statements of sql/queries/organization-invitations.sql. */
import type { Database, Statements, TimePlace } from './types.js';

export interface InvitationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly email: string;
  /** Sorted. */
  readonly roles: readonly string[];
  readonly invited_by: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** What the rules of a new invitation depend on. */
export interface InvitationStanding {
  /** A member has the address. */
  readonly is_member: boolean;
  /** Pending invitations of other addresses. */
  readonly others: number;
}

/** Call it with the organization locked. */
export async function readInvitationStanding(
  statements: Statements,
  organizationId: string,
  email: string,
): Promise<InvitationStanding> {
  return (await statements.run<InvitationStanding>('organization-invitations.standing', [organizationId, email]))[0]!;
}

export interface NewInvitation {
  readonly id: string;
  readonly organizationId: string;
  readonly email: string;
  /** Sorted. */
  readonly roles: readonly string[];
  readonly invitedBy: string;
  readonly ttlSeconds: number;
}

/** It replaces that of the same address. Call it with the organization locked. */
export async function insertInvitation(
  statements: Statements,
  { id, organizationId, email, roles, invitedBy, ttlSeconds }: NewInvitation,
  audit: readonly object[],
): Promise<InvitationRow> {
  const values = [id, organizationId, email, roles, invitedBy, ttlSeconds, JSON.stringify(audit)];
  return (await statements.run<InvitationRow>('organization-invitations.insert', values))[0]!;
}

/** @param place of the last one of the page before */
export const listInvitations = (
  db: Database,
  organizationId: string,
  place: TimePlace | null,
  limit: number,
): Promise<InvitationRow[]> =>
  db.run<InvitationRow>('organization-invitations.of_organization', [
    organizationId,
    place?.createdAt ?? null,
    place?.id ?? null,
    limit,
  ]);

/** An invitation as the one who is invited sees it. */
export interface OwnInvitationRow extends InvitationRow {
  /** Of the organization. */
  readonly name: string;
  readonly slug: string;
  readonly logo_url: string | null;
}

/** @param place of the last one of the page before */
export const listInvitationsOf = (
  db: Database,
  email: string,
  place: TimePlace | null,
  limit: number,
): Promise<OwnInvitationRow[]> =>
  db.run<OwnInvitationRow>('organization-invitations.of_address', [
    email,
    place?.createdAt ?? null,
    place?.id ?? null,
    limit,
  ]);

export interface AnyInvitationRow extends InvitationRow {
  readonly state: 'pending' | 'accepted' | 'declined' | 'revoked';
  readonly accepted_by: string | null;
}

export async function findInvitation(statements: Statements, id: string): Promise<AnyInvitationRow | undefined> {
  return (await statements.run<AnyInvitationRow>('organization-invitations.by_id', [id]))[0];
}

/**
 * Call it with the account locked.
 * @returns its roles; undefined when it is not pending, or not for an address that the account has confirmed
 */
export async function answerInvitation(
  statements: Statements,
  id: string,
  answer: 'accepted' | 'declined',
  userId: string,
  audit: readonly object[],
): Promise<readonly string[] | undefined> {
  const values = [id, answer, userId, JSON.stringify(audit)];
  const [row] = await statements.run<Pick<InvitationRow, 'roles'>>('organization-invitations.answer', values);
  return row?.roles;
}

/** Call it with the organization locked. @returns false when none is pending */
export async function revokeInvitation(
  statements: Statements,
  id: string,
  organizationId: string,
  audit: readonly object[],
): Promise<boolean> {
  const values = [id, organizationId, JSON.stringify(audit)];
  return (await statements.run('organization-invitations.revoke', values)).length === 1;
}
