/** The statements of sql/queries/active-organization.sql. */
import type { SessionBounds } from './sessions.js';
import type { Statements } from './types.js';
import {
  type ActiveOrganization,
  type AmrEntry,
  type OrganizationPolicies,
  type PoliciesInForce,
  runForUser,
  type SignedInRow,
} from './user-rows.js';

interface Entered {
  readonly organization: ActiveOrganization;
}

/**
 * @param onlyWithAal2 only where the organization demands a second factor
 * @returns undefined when the user is no member, or the session has ended
 */
export async function enterOrganization(
  statements: Statements,
  sessionId: string,
  userId: string,
  organizationId: string,
  onlyWithAal2 = false,
): Promise<ActiveOrganization | undefined> {
  const values = [sessionId, userId, organizationId, onlyWithAal2];
  return (await statements.run<Entered>('active-organization.enter', values))[0]?.organization;
}

/** Afterwards the session acts for no organization. */
export async function leaveActiveOrganization(
  statements: Statements,
  sessionId: string,
  userId: string,
): Promise<void> {
  await statements.run('active-organization.leave', [sessionId, userId]);
}

export interface LeftAtRefresh {
  readonly sessionId: string;
  readonly userId: string;
  readonly organizationId: string;
  /** Of the session. */
  readonly generation: number;
  /** Of the token; the session gets it. */
  readonly tokenGeneration: number;
}

/** Afterwards the session acts for no organization, and the token is its newest. */
export async function leaveAtRefresh(
  statements: Statements,
  { sessionId, userId, organizationId, generation, tokenGeneration }: LeftAtRefresh,
): Promise<void> {
  const values = [sessionId, userId, organizationId, generation, tokenGeneration];
  await statements.run('active-organization.leave_at_refresh', values);
}

/** What decides whether a session may act for an organization. */
export interface Admission {
  /** Of the user, sorted. */
  readonly roles: readonly string[];
  /** Null: there are none. */
  readonly policies: PoliciesInForce | null;
  /** Null: the session has ended. */
  readonly aal: string | null;
  readonly amr: readonly AmrEntry[] | null;
}

/**
 * @param sessionId null: of a token without a session
 * @param policies what it would be asked for; null: what it is
 * @returns undefined when the user is no member
 */
export async function readAdmission(
  statements: Statements,
  organizationId: string,
  userId: string,
  sessionId: string | null,
  policies: OrganizationPolicies | null = null,
): Promise<Admission | undefined> {
  const values = [organizationId, userId, sessionId, policies && JSON.stringify(policies)];
  return (await statements.run<Admission>('active-organization.admission', values))[0];
}

/** @returns undefined when the session acts for none */
export async function findActiveOrganization(
  statements: Statements,
  sessionId: string,
): Promise<ActiveOrganization | undefined> {
  return (await statements.run<Entered>('active-organization.of_session', [sessionId]))[0]?.organization;
}

export interface OrganizationSwitch {
  readonly sessionId: string;
  readonly userId: string;
  /** Null: none. */
  readonly organizationId: string | null;
  readonly bounds: SessionBounds;
  readonly userAgent: string | null;
  readonly ip: string | null;
}

/**
 * Makes another organization active and renews the refresh token.
 * @param asksPolicies the caller does; false: one that has policies is not entered
 * @returns undefined when the user is no member, or the session could not be refreshed either
 */
export function switchOrganization(
  statements: Statements,
  wanted: OrganizationSwitch,
  asksPolicies: boolean,
): Promise<SignedInRow | undefined> {
  const { timeboxSeconds, inactivitySeconds, singlePerTag } = wanted.bounds;
  return runForUser<SignedInRow>(statements, 'active-organization.switch', [
    wanted.sessionId,
    wanted.userId,
    wanted.organizationId,
    timeboxSeconds,
    inactivitySeconds,
    singlePerTag?.join(',') ?? null,
    wanted.userAgent,
    wanted.ip,
    asksPolicies,
  ]);
}
