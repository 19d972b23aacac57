/** Who becomes a member by an address: at a sign-in, where an organization has the domain and lets its people join. */
import { findJoinDomain } from '../../db/organization-domains.js';
import type { NewMember } from '../../db/organization-members.js';
import type { Statements } from '../../db/types.js';
import { isEmailProven, type SessionColumns, type UserRow } from '../../db/user-rows.js';
import { domainOf } from '../accounts/addresses.js';
import { type AuditEntry, logAudit } from '../accounts/audit.js';
import type { App, Client } from '../runtime/app.js';
import { describeJoining, joinOrganization } from './change-members.js';
import { keepRoles, type LockedOrganization } from './locked-organization.js';
import { assertAddressAllowed, assertKnownRoles } from './rules.js';
import { type JoiningWrite, joinOrSignInWithout, withMembership } from './sign-in-joining.js';

type JoiningApp = Pick<
  App,
  'config' | 'organizationRoles' | 'joinDomains' | 'log' | 'countAuditEvent' | 'clientAddress'
>;

/**
 * Adds to the write of a sign-in that its user joins the organization that has the domain of the address. Who cannot join signs in
 * without. Nothing is read where no organization lets people of the domain join.
 */
export function joiningByDomain<Row extends UserRow & Partial<SessionColumns>>(
  app: JoiningApp,
  client: Pick<Client, 'requestId'>,
  write: JoiningWrite<Row>['write'],
): JoiningWrite<Row> {
  const { joinDomains } = app;
  if (joinDomains === null) return { write, logJoining: () => undefined };
  let audit: readonly AuditEntry[] = [];
  return {
    async write(db) {
      audit = [];
      const row = await write(db);
      if (row === undefined || !isNewSession(row)) return row;
      const domain = provenDomainOf(row);
      if (domain === null || !joinDomains.mayHave(domain)) return row;
      const found = await findJoinDomain(db, domain, row.id);
      if (found === undefined) return row;
      const joined = await joinOrSignInWithout(app, client, db, row, found.organization_id, (statements, locked) =>
        join(app, statements, locked, row, found.domain),
      );
      if (joined === undefined) return row;
      audit = joined.audit;
      return withMembership(row, joined.member);
    },
    logJoining: () => logAudit(app, client.requestId, audit),
  };
}

/** A second factor raises a session that has joined already. */
const isNewSession = ({ session_id: id, generation }: Partial<SessionColumns>): boolean =>
  id !== undefined && generation === 0;

/** People of companies join by their provider: it says which address they have. */
const provenDomainOf = (user: UserRow): string | null =>
  user.is_sso_user || user.is_anonymous || !isEmailProven(user) ? null : domainOf(user.email!);

interface Joined {
  readonly member: NewMember;
  readonly audit: readonly AuditEntry[];
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
  return { member, audit };
}
