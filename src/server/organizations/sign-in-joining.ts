/** What all ways to join an organization by a sign-in share. */
import type { NewMember } from '../../db/organization-members.js';
import type { Database, Statements } from '../../db/types.js';
import type { UserRow } from '../../db/user-rows.js';
import { ApiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { type LockedOrganization, withLockedOrganization } from './locked-organization.js';

/** The write of a sign-in with which its user may join. */
export interface JoiningWrite<Row> {
  /** May run twice: the first time to see what it would do. */
  readonly write: (db: Database) => Promise<Row | undefined>;
  /** Call it once the write is committed. */
  logJoining(): void;
}

/**
 * Runs the joining with the account and the organization locked. One who cannot join signs in without.
 * @param work statements only; an ApiError below 500 that it throws has to leave no failed statement behind
 * @returns undefined: could not join, which is in the log
 * @throws what `work` throws otherwise
 */
export async function joinOrSignInWithout<Result>(
  app: Pick<App, 'config' | 'organizationRoles' | 'log'>,
  { requestId }: Pick<Client, 'requestId'>,
  db: Database,
  { id: userId }: Pick<UserRow, 'id'>,
  organizationId: string,
  work: (statements: Statements, locked: LockedOrganization) => Promise<Result>,
): Promise<Result | undefined> {
  const scope = { db, config: app.config, organizationRoles: app.organizationRoles };
  try {
    return await withLockedOrganization(scope, { userId: null }, organizationId, userId, work);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const fields = { component: 'organizations', request_id: requestId, organization_id: organizationId };
    app.log.warn({ ...fields, user_id: userId, reason: error.message }, 'A user signed in without joining');
    return undefined;
  }
}

const MAX_LISTED = 50;

/** As the row of the account lists it by now, newest first, for the tokens of this sign-in. */
export function withMembership<Row extends Pick<UserRow, 'memberships'>>(
  row: Row,
  { organizationId: id, roles }: Pick<NewMember, 'organizationId' | 'roles'>,
): Row {
  const listed = row.memberships ?? [];
  const memberships = listed.some((other) => other.id === id)
    ? listed.map((other) => (other.id === id ? { id, roles } : other))
    : [{ id, roles }, ...listed].slice(0, MAX_LISTED);
  return { ...row, memberships };
}
