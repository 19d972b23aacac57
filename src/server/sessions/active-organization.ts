/** The organization that a session acts for, at a sign-in and at a refresh (docs/organizations.md, The active organization). */
import { enterOrganization, findActiveOrganization, leaveActiveOrganization } from '../../db/active-organization.js';
import { within } from '../../db/rehearse.js';
import type { Database, Statements } from '../../db/types.js';
import type { ActiveOrganization, SessionFacts, SignedInRow, UserRow } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { assertAdmits } from './admission.js';
import { findBreach } from './policy-breach.js';

type Write<Row> = (db: Database) => Promise<Row | undefined>;

/** Of a sign-in; what opens no session has no columns of one. */
type Opened = UserRow & Partial<Omit<SignedInRow, keyof UserRow>>;

/**
 * Adds to the write of a sign-in that its session acts for the organization that the client names, else for the one that the person
 * uses on the hosted pages, and else for the only one of the user. What names one is a transaction: where the user is no member of it, or
 * it does not admit the session, nothing is written.
 * @returns the write itself while the feature is off
 * @throws ApiError notAMember, organizationRequiresAal2, organizationRequiresSso, organizationSessionExpired, from the write
 */
export function enteringOrganization<Row extends Opened>(
  app: Pick<App, 'config'>,
  { organizationId: named }: Client,
  write: Write<Row>,
): Write<Row> {
  if (!app.config.organizationsEnabled) return write;
  if (named === undefined) return async (db) => enterUnnamed(app, db, await write(db));
  return (db) =>
    db.transaction(async (statements) => {
      const row = await write(within(db, statements));
      // An auth code opens its session later.
      if (!row?.session_id) return row;
      return { ...row, organization: await enterNamed(app, statements, row, row as SignedInRow, named) };
    });
}

/** One that does not admit the session is not active, and the sign-in goes on. */
async function enterUnnamed<Row extends Opened>(
  app: Pick<App, 'config'>,
  db: Database,
  row: Row | undefined,
): Promise<Row | undefined> {
  if (!row?.session_id || !row.memberships?.length) return row;
  // The sign-in itself may have led into one.
  const organization = row.organization ?? (await chooseUnnamed(db, row as Row & SignedInRow)) ?? null;
  const entered = { ...row, organization };
  if (findBreach(app, row, entered as SignedInRow) === null) return entered;
  await leaveActiveOrganization(db, row.session_id, row.id);
  return { ...row, organization: null };
}

async function chooseUnnamed(
  db: Database,
  { id: userId, session_id: sessionId, generation, memberships, source_organization_id: source }: Opened & SignedInRow,
): Promise<ActiveOrganization | undefined> {
  const [only, ...others] = memberships!;
  const wanted = source ?? (others.length === 0 ? only!.id : null);
  const enter = async (onlyWithAal2: boolean): Promise<ActiveOrganization | undefined> =>
    wanted === null ? undefined : enterOrganization(db, sessionId, userId, wanted, onlyWithAal2);
  if (generation === 0) return enter(false);
  // A second factor raises a session that has been chosen for already; only what demands it could not be entered before.
  return (await findActiveOrganization(db, sessionId)) ?? enter(true);
}

/**
 * The session of a sign-in acts for the organization that it has led into, where the user is a member and the client names no other.
 * @param row without a session: an auth code opens it later
 */
export async function enterJoined<Row extends Opened>(
  statements: Statements,
  { organizationId: named }: Pick<Client, 'organizationId'>,
  row: Row,
  organizationId: string,
): Promise<Row> {
  if (!row.session_id || named !== undefined) return row;
  const organization = await enterOrganization(statements, row.session_id, row.id, organizationId);
  return organization === undefined ? row : { ...row, organization };
}

/**
 * @param named id of the organization; empty: none
 * @throws ApiError notAMember, whether or not there is such an organization; organizationRequiresAal2, organizationRequiresSso,
 *   organizationSessionExpired
 */
export async function enterNamed(
  app: Pick<App, 'config'>,
  statements: Statements,
  user: Readonly<UserRow>,
  session: SessionFacts,
  named: string,
): Promise<ActiveOrganization | null> {
  if (named === '') {
    await leaveActiveOrganization(statements, session.session_id, user.id);
    return null;
  }
  const id = readUuid(named);
  const organization = id === null ? undefined : await enterOrganization(statements, session.session_id, user.id, id);
  if (organization === undefined) throw apiError('notAMember', {}, { about: { userId: user.id } });
  assertAdmits(app, user, { ...session, organization });
  return organization;
}
