/** Who becomes a member by an address: at a sign-in, where an organization has the domain and lets its people join. */
import { findJoinDomain, type JoinDomainRow } from '../../db/organization-domains.js';
import type { Database, Statements } from '../../db/types.js';
import { isEmailProven, type Membership, type SessionColumns, type UserRow } from '../../db/user-rows.js';
import { type AuditEntry, logAudit } from '../accounts/audit.js';
import { ApiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { describeJoining, joinOrganization } from './change-members.js';
import { keepRoles, type LockedOrganization, withLockedOrganization } from './locked-organization.js';
import { assertAddressAllowed, assertKnownRoles, domainOf } from './rules.js';

type JoiningApp = Pick<
  App,
  'config' | 'organizationRoles' | 'joinDomains' | 'log' | 'countAuditEvent' | 'clientAddress'
>;
type Write<Row> = (db: Database) => Promise<Row | undefined>;

export interface DomainJoining<Row> {
  readonly write: Write<Row>;
  /** Call it once the write is committed. */
  logJoining(): void;
}

/**
 * Adds to the write of a sign-in that its user joins the organization that has the domain of the address. Who cannot join signs in
 * without. Nothing is read where no organization lets people of the domain join.
 */
export function joiningByDomain<Row extends UserRow & Partial<SessionColumns>>(
  app: JoiningApp,
  client: Pick<Client, 'requestId'>,
  write: Write<Row>,
): DomainJoining<Row> {
  const { joinDomains } = app;
  if (joinDomains === null) return { write, logJoining: () => undefined };
  let audit: readonly AuditEntry[] = [];
  return {
    // It may run twice: the first time to see what it would do.
    async write(db) {
      audit = [];
      const row = await write(db);
      if (row === undefined || !isNewSession(row)) return row;
      const domain = provenDomainOf(row);
      if (domain === null || !joinDomains.mayHave(domain)) return row;
      const found = await findJoinDomain(db, domain, row.id);
      if (found === undefined) return row;
      const joined = await tryJoin(app, client, db, row, found);
      if (joined === undefined) return row;
      audit = joined.audit;
      return { ...row, memberships: [joined.membership, ...(row.memberships ?? [])].slice(0, MAX_LISTED) };
    },
    logJoining: () => logAudit(app, client.requestId, audit),
  };
}

/** As many as the row of an account lists. */
const MAX_LISTED = 50;

/** A second factor raises a session that has joined already. */
const isNewSession = ({ session_id: id, generation }: Partial<SessionColumns>): boolean =>
  id !== undefined && generation === 0;

/** People of companies join by their provider: it says which address they have. */
const provenDomainOf = (user: UserRow): string | null =>
  user.is_sso_user || user.is_anonymous || !isEmailProven(user) ? null : domainOf(user.email!);

interface Joined {
  readonly membership: Membership;
  readonly audit: readonly AuditEntry[];
}

async function tryJoin(
  app: JoiningApp,
  { requestId }: Pick<Client, 'requestId'>,
  db: Database,
  user: UserRow,
  { organization_id: organizationId, domain }: JoinDomainRow,
): Promise<Joined | undefined> {
  const scope = { db, config: app.config, organizationRoles: app.organizationRoles };
  try {
    return await withLockedOrganization(scope, { userId: null }, organizationId, user.id, (statements, locked) =>
      join(app, statements, locked, user, domain),
    );
  } catch (error) {
    // None of them leaves a failed statement behind.
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const fields = { component: 'organizations', request_id: requestId, organization_id: organizationId };
    app.log.warn({ ...fields, user_id: user.id, reason: error.message }, 'A user signed in without joining');
    return undefined;
  }
}

/** With the account and the organization locked all is looked at again. */
async function join(
  app: JoiningApp,
  statements: Statements,
  { catalog, concerned, organization }: LockedOrganization,
  user: UserRow,
  domain: string,
): Promise<Joined | undefined> {
  const found = await findJoinDomain(statements, domain, user.id);
  if (found?.organization_id !== organization.id || !found.is_proven || concerned !== null) return undefined;
  assertAddressAllowed(organization.policies, user.email);
  const { roles } = found;
  assertKnownRoles(catalog, roles);
  await keepRoles(statements, roles);
  const member = { organizationId: organization.id, userId: user.id, roles, via: 'domain' } as const;
  const audit = [describeJoining(user, member)];
  await joinOrganization(app, statements, organization, member, audit);
  return { membership: { id: organization.id, roles }, audit };
}
