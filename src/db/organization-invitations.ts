/** The statements of sql/queries/organization-invitations.sql. */
import type { MailInput } from './outgoing.js';
import type { Database, Statements, TimePlace } from './types.js';
import type { Metadata, OrganizationPolicies } from './user-rows.js';

export interface InvitationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly email: string;
  /** Sorted. */
  readonly roles: readonly string[];
  /** Null: an administrator of the installation. */
  readonly invited_by: string | null;
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
  /** Null: an administrator of the installation. */
  readonly invitedBy: string | null;
  readonly ttlSeconds: number;
  readonly link: InvitationLink;
}

/** The link of an invitation and its mail. */
export interface InvitationLink {
  readonly linkHash: string;
  /** Where it leads after the sign-in. */
  readonly redirectTo: string;
  /** None: no mail leaves, or it has left. */
  readonly mails: readonly MailInput[];
}

/** It replaces that of the same address. Call it with the organization locked. */
export async function insertInvitation(
  statements: Statements,
  { id, organizationId, email, roles, invitedBy, ttlSeconds, link }: NewInvitation,
  audit: readonly object[],
): Promise<InvitationRow> {
  const values = [id, organizationId, email, roles, invitedBy, ttlSeconds, JSON.stringify(audit), ...linkValues(link)];
  return (await statements.run<InvitationRow>('organization-invitations.insert', values))[0]!;
}

const linkValues = ({ linkHash, redirectTo, mails }: InvitationLink) => [linkHash, redirectTo, JSON.stringify(mails)];

/** Call it with the organization locked. @returns undefined when none is pending */
export async function renewInvitation(
  statements: Statements,
  { id, organizationId, invitedBy, ttlSeconds, link }: Omit<NewInvitation, 'email' | 'roles'>,
  audit: readonly object[],
): Promise<InvitationRow | undefined> {
  const values = [id, organizationId, invitedBy, ttlSeconds, JSON.stringify(audit), ...linkValues(link)];
  return (await statements.run<InvitationRow>('organization-invitations.renew', values))[0];
}

/** An invitation with what decides whether it still gives its roles. */
export interface OfferedInvitationRow extends InvitationRow {
  /** Of the inviter; null: no member, banned or deleted, or there is no inviter. */
  readonly inviter_roles: readonly string[] | null;
  /** Of the organization. */
  readonly policies: OrganizationPolicies | null;
}

/** @param place of the last one of the page before */
export const listInvitations = (
  db: Database,
  organizationId: string,
  place: TimePlace | null,
  limit: number,
): Promise<OfferedInvitationRow[]> =>
  db.run<OfferedInvitationRow>('organization-invitations.of_organization', [
    organizationId,
    place?.createdAt ?? null,
    place?.id ?? null,
    limit,
  ]);

/** An invitation as the one who is invited sees it. */
export interface OwnInvitationRow extends OfferedInvitationRow {
  /** Of the organization. */
  readonly name: string;
  readonly slug: string;
  readonly logo_url: string | null;
}

/**
 * @param user has the address
 * @param place of the last one of the page before
 * @returns with whether the user is a member already
 */
export const listInvitationsOf = (
  db: Database,
  { id, email }: { readonly id: string; readonly email: string },
  place: TimePlace | null,
  limit: number,
): Promise<(OwnInvitationRow & { readonly is_member: boolean })[]> =>
  db.run('organization-invitations.of_address', [email, place?.createdAt ?? null, place?.id ?? null, limit, id]);

export interface AnyInvitationRow extends InvitationRow {
  readonly state: 'pending' | 'accepted' | 'declined' | 'revoked';
  readonly accepted_by: string | null;
  /** Null: it has no link. */
  readonly link_hash: string | null;
  readonly redirect_to: string | null;
}

export async function findInvitation(statements: Statements, id: string): Promise<AnyInvitationRow | undefined> {
  return (await statements.run<AnyInvitationRow>('organization-invitations.by_id', [id]))[0];
}

/** An invitation by its link, with the account that has the address. */
export interface LinkedInvitationRow extends AnyInvitationRow, OwnInvitationRow {
  readonly is_expired: boolean;
  /** Of the inviter; null: the inviter has no account, or none any more. */
  readonly audience: string | null;
  /** The account that has the address, and what follows of it; null: there is none. */
  readonly holder_id: string | null;
  readonly is_banned: boolean;
  readonly is_confirmed: boolean;
  /** The address has never been proven. */
  readonly is_unproven: boolean;
  readonly user_metadata: Metadata | null;
}

export async function findInvitationByLink(db: Database, linkHash: string): Promise<LinkedInvitationRow | undefined> {
  return (await db.run<LinkedInvitationRow>('organization-invitations.by_link', [linkHash]))[0];
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

/** @returns false when none is pending */
export async function declineLinkedInvitation(
  db: Database,
  linkHash: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('organization-invitations.decline_linked', [linkHash, JSON.stringify(audit)])).length === 1;
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
