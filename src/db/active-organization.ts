/** The statements of sql/queries/active-organization.sql. */
import type { SessionBounds } from './sessions.js';
import type { Database, Statements } from './types.js';
import { type ActiveOrganization, runForUser, type SignedInRow } from './user-rows.js';

interface Entered {
  readonly organization: ActiveOrganization;
}

/** @returns undefined when the user is no member, or the session has ended */
export async function enterOrganization(
  statements: Statements,
  sessionId: string,
  userId: string,
  organizationId: string,
): Promise<ActiveOrganization | undefined> {
  const values = [sessionId, userId, organizationId];
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
 * @returns undefined when the user is no member, or the session could not be refreshed either
 */
export function switchOrganization(db: Database, wanted: OrganizationSwitch): Promise<SignedInRow | undefined> {
  const { timeboxSeconds, inactivitySeconds, singlePerTag } = wanted.bounds;
  return runForUser<SignedInRow>(db, 'active-organization.switch', [
    wanted.sessionId,
    wanted.userId,
    wanted.organizationId,
    timeboxSeconds,
    inactivitySeconds,
    singlePerTag?.join(',') ?? null,
    wanted.userAgent,
    wanted.ip,
  ]);
}
