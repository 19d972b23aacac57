/** The organization that a session acts for, at a sign-in and at a refresh (docs/organizations.md, The active organization). */
import { enterOrganization, findActiveOrganization, leaveActiveOrganization } from '../../db/active-organization.js';
import { within } from '../../db/rehearse.js';
import type { Database, Statements } from '../../db/types.js';
import type { ActiveOrganization, SignedInRow, UserRow } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';

type Write<Row> = (db: Database) => Promise<Row | undefined>;

/** Of a sign-in; what opens no session has no columns of one. */
type Opened = UserRow & Partial<Omit<SignedInRow, keyof UserRow>>;

/**
 * Adds to the write of a sign-in that its session acts for the organization that the client names, else for the one that the person
 * uses on the hosted pages, and else for the only one of the user. What names one is a transaction: where the user is no member of it, nothing is written.
 * @returns the write itself while the feature is off
 * @throws ApiError notAMember, from the write
 */
export function enteringOrganization<Row extends Opened>(
  { config }: Pick<App, 'config'>,
  { organizationId: named }: Client,
  write: Write<Row>,
): Write<Row> {
  if (!config.organizationsEnabled) return write;
  if (named === undefined) return async (db) => enterUnnamed(db, await write(db));
  return (db) =>
    db.transaction(async (statements) => {
      const row = await write(within(db, statements));
      // An auth code opens its session later.
      if (!row?.session_id) return row;
      return { ...row, organization: await enterNamed(statements, row.session_id, row.id, named) };
    });
}

async function enterUnnamed<Row extends Opened>(db: Database, row: Row | undefined): Promise<Row | undefined> {
  const [only, ...others] = row?.memberships ?? [];
  // The sign-in itself has led into one.
  if (!row?.session_id || only === undefined || row.organization) return row;
  // A second factor raises a session that has been chosen for already.
  const isNew = row.generation === 0;
  const wanted = row.source_organization_id ?? (others.length === 0 ? only.id : null);
  if (isNew && wanted === null) return row;
  const organization =
    isNew && wanted !== null
      ? await enterOrganization(db, row.session_id, row.id, wanted)
      : await findActiveOrganization(db, row.session_id);
  return { ...row, organization: organization ?? null };
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
 * @throws ApiError notAMember, whether or not there is such an organization
 */
export async function enterNamed(
  statements: Statements,
  sessionId: string,
  userId: string,
  named: string,
): Promise<ActiveOrganization | null> {
  if (named === '') {
    await leaveActiveOrganization(statements, sessionId, userId);
    return null;
  }
  const id = readUuid(named);
  const organization = id === null ? undefined : await enterOrganization(statements, sessionId, userId, id);
  if (organization === undefined) throw apiError('notAMember', {}, { about: { userId } });
  return organization;
}
