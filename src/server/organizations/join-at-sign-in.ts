/** Who becomes a member by a sign-in: people of an identity provider of the organization. */

import { changeMemberRoles, isFormerMember } from '../../db/organization-members.js';
import { within } from '../../db/rehearse.js';
import type { Database, Statements } from '../../db/types.js';
import type { Membership, SessionColumns, UserRow } from '../../db/user-rows.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { enterJoined } from '../sessions/active-organization.js';
import { DEFAULT_ROLES, describeJoining, joinOrganization } from './change-members.js';
import { type LockedOrganization, lockLeftRoles } from './locked-organization.js';
import { OWNER } from './role-catalog.js';
import { assertAddressAllowed } from './rules.js';
import { type JoiningWrite, joinOrSignInWithout, withMembership } from './sign-in-joining.js';

/** What a sign-in says about a membership. */
export interface Joining {
  readonly organizationId: string;
  /** Sorted. */
  readonly roles: readonly string[];
  /** The roles follow what each sign-in says; else they are those of the first one, until a member gives others. */
  readonly followsRoles: boolean;
}

/**
 * Adds to the write of a sign-in that its user joins an organization, which becomes the active one of the session. One who cannot
 * join, since the organization is full or does not allow the address, or the user was removed or has left, signs in without.
 * @param joining null: nothing is added
 */
export function joiningAtSignIn<Row extends UserRow & Partial<SessionColumns>>(
  app: App,
  client: Client,
  joining: Joining | null,
  write: JoiningWrite<Row>['write'],
): JoiningWrite<Row> {
  if (joining === null || !app.config.organizationsEnabled) return { write, logJoining: () => undefined };
  let audit: readonly AuditEntry[] = [];
  return {
    write: (db) =>
      db.transaction(async (statements) => {
        const row = await write(within(db, statements));
        if (row === undefined) return undefined;
        const joined = await join(app, client, within(db, statements), row, joining);
        audit = joined.audit;
        return enterJoined(statements, client, joined.row, joining.organizationId);
      }),
    logJoining: () => logAudit(app, client.requestId, audit),
  };
}

interface Joined<Row> {
  readonly row: Row;
  readonly audit: readonly AuditEntry[];
}

async function join<Row extends UserRow>(
  app: App,
  client: Client,
  db: Database,
  row: Row,
  joining: Joining,
): Promise<Joined<Row>> {
  const { organizationId, followsRoles } = joining;
  const known = row.memberships?.find(({ id }) => id === organizationId);
  // What the row of the account says is right: the write has locked it.
  if (known !== undefined && !(followsRoles && isOther(known, joining.roles))) return { row, audit: [] };
  const joined = await joinOrSignInWithout(app, client, db, row, organizationId, (statements, locked) =>
    writeJoining(app, statements, locked, row, joining),
  );
  return joined ?? { row, audit: [] };
}

const isOther = ({ roles }: Pick<Membership, 'roles'>, next: readonly string[]): boolean =>
  !roles.includes(OWNER) && String(roles) !== String(next);

async function writeJoining<Row extends UserRow>(
  app: App,
  statements: Statements,
  locked: LockedOrganization,
  row: Row,
  { organizationId, roles: wanted, followsRoles }: Joining,
): Promise<Joined<Row>> {
  const { concerned, organization } = locked;
  const roles = await keepGivable(statements, locked, wanted);
  const member = { organizationId, userId: row.id, roles, via: 'sso' } as const;
  if (concerned === null) {
    assertAddressAllowed(organization.policies, row.email);
    if (await isFormerMember(statements, organizationId, row.id)) throw apiError('notAMember');
    const audit = [describeJoining(row, member)];
    await joinOrganization(app, statements, organization, member, audit);
    return { row: withMembership(row, member), audit };
  }
  // It is not among the newest, which the row of the account lists, or its roles have changed.
  if (!followsRoles || !isOther(concerned, roles)) return { row, audit: [] };
  const traits = { organization_id: organizationId, user_id: row.id, roles, former_roles: concerned.roles };
  const audit = [auditEntry(row, 'organization.member_updated', traits)];
  await changeMemberRoles(statements, organizationId, row.id, roles, storedAudit(app, audit));
  return { row: withMembership(row, member), audit };
}

/** Roles may have been removed since they were set. None that is left: those of everybody. */
async function keepGivable(
  statements: Statements,
  { catalog }: LockedOrganization,
  wanted: readonly string[],
): Promise<readonly string[]> {
  const known = wanted.filter((role) => catalog.names.has(role) && role !== OWNER);
  const left = await lockLeftRoles(statements, known);
  return left.length === 0 ? DEFAULT_ROLES : left;
}
