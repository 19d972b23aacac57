/** A person comes: a new account, or one that belongs to the person already (RFC 7644 3.3). */
import { randomUUID } from 'node:crypto';
import { endFlows } from '../../db/account-locks.js';
import { isUniqueViolation } from '../../db/errors.js';
import {
  findKnownPerson,
  insertScimUser,
  type KnownPerson,
  type ScimUserRow,
  type WrittenScimUser,
} from '../../db/scim-users.js';
import { listSsoProvidersOf } from '../../db/sso-providers.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { joinCompany } from './join-company.js';
import { assertComplete, readResource } from './read-resource.js';
import { scimEntry } from './scim-audit.js';
import { USER_KIND } from './scim-schemas.js';
import { type ScimAnswer, viewScimUser, writtenUser } from './scim-user.js';
import type { ScimBody, ScimRequest } from './scim-users.js';
import { assertMayEnd, assertMayName, asTaken, givableRoles, vouchersOf, withLockedPerson } from './scim-write.js';

/** Of two who make the same person at once one is first. */
const TRIES = 3;

/** @throws ApiError scimValueInvalid, scimUniqueness, scimLastOwner, scimOwner, scimMemberBeyond, and what joining the organization throws */
export async function createScimUser(app: App, request: ScimRequest, body: ScimBody): Promise<ScimAnswer> {
  const { caller } = request;
  const resource = readResource(USER_KIND, body);
  assertComplete(USER_KIND, resource);
  const written = writtenUser(app, resource, givableRoles(app, caller));
  const own = caller.organizationId === null ? [] : await listSsoProvidersOf(app.db, caller.organizationId);
  const ids = caller.providerId === null ? own.map(({ id }) => id) : [caller.providerId];
  const providers = ids.map((id) => `sso:${id}`);
  for (let attempt = 1; ; attempt++) {
    const known = await findKnownPerson(app.db, caller.scopeId, written, providers, caller.organizationId);
    if (known.taken !== null) throw apiError('scimUniqueness', { attribute: known.taken });
    const row = await writeNew(app, request, written, known, providers[0] ?? 'scim').catch((error: unknown) => {
      // Another one has made the person in the meantime: the next look says so.
      if (attempt < TRIES && isUniqueViolation(error)) return undefined;
      throw asTaken(error);
    });
    if (row !== undefined) return viewScimUser(app, row, request.projection);
    if (attempt >= TRIES) throw apiError('overloaded', {}, { retryAfterSeconds: 1 });
  }
}

async function writeNew(
  app: App,
  { caller, requestId }: ScimRequest,
  written: WrittenScimUser,
  { former, signed_in: signedIn, joined }: KnownPerson,
  provider: string,
): Promise<ScimUserRow | undefined> {
  const known = former ?? signedIn ?? joined;
  const userId = known?.id ?? randomUUID();
  const audit = [
    scimEntry(caller, 'scim.user_created', {
      user_id: userId,
      user_name: written.userName,
      ...(known !== null && { found: former !== null ? 'deleted' : signedIn !== null ? 'signed_in' : 'joined' }),
    }),
  ];
  const account =
    known === null ? { aud: app.config.jwtAudience, role: app.config.jwtDefaultGroupName.trim(), provider } : null;
  const made = await withLockedPerson(app, caller, known?.id ?? null, async (statements, locked) => {
    if (!written.active) assertMayEnd(caller, locked);
    if (known?.owns) assertMayName(caller, locked);
    const added = {
      scopeId: caller.scopeId,
      userId,
      account,
      ownsAccount: known?.owns ?? true,
      vouchers: vouchersOf(app, caller),
      written,
    };
    const row = await insertScimUser(statements, added, storedAudit(app, audit));
    if (row === undefined) return undefined;
    const entries = locked === null ? [] : await joinCompany(app, statements, caller, locked, userId, written);
    if (!written.active) await endFlows(statements, userId);
    return { row, entries };
  });
  if (made === undefined) return undefined;
  logAudit(app, requestId, [...audit, ...made.entries]);
  return made.row;
}
