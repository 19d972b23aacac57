/** The link in the mail of an invitation: it proves the address, signs in and joins, in one transaction. */
import { lockUserByContact } from '../../db/account-locks.js';
import { findUserById } from '../../db/admin-users.js';
import { isUniqueViolation } from '../../db/errors.js';
import {
  declineLinkedInvitation,
  findInvitationByLink,
  type LinkedInvitationRow,
} from '../../db/organization-invitations.js';
import {
  type RedeemedRow,
  type Redemption,
  redeemConfirmation,
  redeemSignUp,
  type SignUpAccount,
} from '../../db/redemptions.js';
import { within } from '../../db/rehearse.js';
import type { Database, Statements } from '../../db/types.js';
import { NIL_UUID } from '../../db/uuid.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertSignsInHere } from '../accounts/company-domains.js';
import { completeReport, type ProofReport, prepareReport, proveAddress } from '../accounts/first-proof.js';
import { assertMayCreate } from '../accounts/new-user-hook.js';
import { assertPasswordAcceptable } from '../accounts/passwords.js';
import { hashLink } from '../codes/one-time.js';
import { buildAccount } from '../codes/redeem.js';
import { ApiError, apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { enterJoined } from '../sessions/active-organization.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { joinByInvitation } from './join-by-invitation.js';
import { isStillGivable } from './offered-invitation.js';
import { assertOrganizationsOn, catalogOf } from './organizations-on.js';

/**
 * An invitation that can be accepted by its link; writes nothing.
 * @throws ApiError organizationsDisabled, linkInvalid, userBanned
 */
export async function findInvitationOfLink(app: App, linkToken: string): Promise<LinkedInvitationRow> {
  assertOrganizationsOn(app);
  const found = await findInvitationByLink(app.db, await hashLink(app, linkToken));
  const userId = found?.holder_id ?? undefined;
  const refuse = (reason: string) => apiError('linkInvalid', {}, { about: { userId, reason } });
  if (found === undefined || found.state !== 'pending') throw refuse('code_unknown');
  if (found.is_banned) throw apiError('userBanned', {}, { about: { userId } });
  if (found.is_expired) throw refuse('code_expired');
  if (!isStillGivable(catalogOf(app), found)) throw refuse('invitation_over');
  return found;
}

/**
 * Declines by the link, for which no account is needed.
 * @throws ApiError organizationsDisabled, linkInvalid, userBanned
 */
export async function declineByLink(app: App, requestId: string, linkToken: string): Promise<void> {
  const { id, organization_id, email, holder_id, link_hash } = await findInvitationOfLink(app, linkToken);
  const actor = { id: holder_id ?? NIL_UUID, email, phone: null };
  const audit = [auditEntry(actor, 'organization.invitation_declined', { organization_id, invitation_id: id })];
  if (!(await declineLinkedInvitation(app.db, link_hash!, storedAudit(app, audit)))) throw apiError('linkInvalid');
  logAudit(app, requestId, audit);
}

/** What a redemption writes, beside the invitation. */
interface Prepared {
  readonly linkHash: string;
  /** For an address that has no account, or whose account gives it up. */
  readonly account: SignUpAccount;
  /** Null where nothing can be removed: the address is proven. */
  readonly report: ProofReport | null;
}

/**
 * Redeems the link. An account of the address is signed in to, and made where there is none, whatever DISABLE_SIGNUP says: the
 * organization has asked for it. The session acts for that organization, if it admits the session.
 * @param password for an account that has none after the proof; empty: none
 * @throws ApiError organizationsDisabled, linkInvalid, userBanned, ssoRequired, weakPassword, emailExists, alreadyAMember,
 *   tooManyMembers, tooManyOrganizations; of the hooks
 */
export async function redeemInvitation(
  app: App,
  client: Client,
  linkToken: string,
  password: string,
): Promise<TokenResponse> {
  const found = await findInvitationOfLink(app, linkToken);
  const { email, audience, organization_id: organizationId, user_metadata: data } = found;
  await assertSignsInHere(app, email);
  const sign_up = null;
  const account = await buildAccount(app, { recipient: email, sign_up, audience }, 'email');
  if (found.holder_id === null) {
    const metadata = { appMetadata: { provider: 'email', providers: ['email'] }, userMetadata: {} };
    await assertMayCreate(app, client, {
      id: account.userId,
      audience: account.audience,
      email,
      phone: null,
      ...metadata,
    });
  }
  const passwordHash = await hashNewPassword(app, email, password);
  const isProven = found.holder_id !== null && !found.is_unproven;
  const report = isProven ? null : await prepareReport(app, client, 'email', { address: email, data: data ?? {} });
  const prepared: Prepared = {
    linkHash: await hashLink(app, linkToken),
    account: { ...account, passwordHash: passwordHash ?? account.passwordHash },
    report,
  };
  const written: { audit: readonly AuditEntry[] } = { audit: [] };
  const write = async (db: Database): Promise<RedeemedRow> =>
    db.transaction(async (statements) => {
      const { row, audit } = await prove(app, client, statements, found, prepared);
      const joined = await joinByInvitation(app, within(db, statements), row, found, prepared.linkHash);
      written.audit = [...audit, ...joined.audit];
      const { memberships } = (await findUserById(statements, row.id))!;
      const own = { ...row, ...(memberships !== undefined && { memberships }) };
      return enterJoined(statements, {}, own, organizationId);
    });
  // It leads into this organization, whatever else is asked for. One that wants a second factor first is joined, and not active yet.
  const opened = await signInWithClaims(app, { ...client, organizationId: undefined }, write).catch(
    (error: unknown) => {
      throw asLinkError(error);
    },
  );
  if (opened === undefined) throw apiError('linkInvalid');
  completeReport(app, client, report);
  logAudit(app, client.requestId, written.audit);
  return issueTokens(app, opened);
}

/** @throws ApiError weakPassword, passwordTooLong, leakCheckFailed */
async function hashNewPassword(app: App, email: string, password: string): Promise<string | null> {
  if (password === '') return null;
  await assertPasswordAcceptable(app, password, { email, user_metadata: {} });
  return app.crypto.hashPassword(password);
}

/**
 * The address counts as proven from now on, as by any other link.
 * @throws ApiError linkInvalid
 */
async function prove(
  app: App,
  client: Client,
  statements: Statements,
  { email, audience, is_confirmed: isConfirmed }: LinkedInvitationRow,
  { account, report }: Prepared,
) {
  const holder = await lockUserByContact(statements, 'email', email);
  const proof = { tokenId: null, flowId: null, audience, identity: null, isOwnConfirmation: false };
  const effect = holder === undefined ? undefined : await proveAddress(statements, holder, 'email', proof, report);
  const actor = { id: holder ?? account.userId, email, phone: null };
  const isKnown = effect === 'kept' && isConfirmed;
  const audit = [isKnown ? auditEntry(actor, 'login') : auditEntry(actor, 'user_signedup', { provider: 'email' })];
  const redemption: Omit<Redemption, 'token'> & { token: null } = {
    token: null,
    sessionMethod: 'otp',
    userAgent: client.userAgent,
    ip: client.ip,
    authCodeHash: null,
    audit: storedAudit(app, audit),
  };
  const row =
    holder !== undefined && effect === 'kept'
      ? await redeemConfirmation(statements, redemption, 'email', null, holder)
      : await redeemSignUp(statements, redemption, account, email);
  if (row === undefined) throw apiError('linkInvalid');
  return { row, audit: audit.map((entry) => ({ ...entry, actor_id: row.id })) };
}

/** Links say the same of an invitation that is over as of a link that was used. */
function asLinkError(error: unknown): unknown {
  if (error instanceof ApiError && error.entry === 'invitationNotFound') {
    return apiError('linkInvalid', {}, { cause: error });
  }
  // Another account got the address meanwhile.
  return isUniqueViolation(error) ? apiError('emailExists', {}, { cause: error }) : error;
}
