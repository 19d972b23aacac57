/**
 * Linking by hand: an identity is added to the account that asked for it. The session that asked must still live when
 * the link is made (SEC-86); what was decided on a read may be overtaken, and is then decided again.
 */
import { isSessionAlive, withLockedUser } from '../../db/account-locks.js';
import { findCaller } from '../../db/callers.js';
import { findFlowByAuthCode, type LinkTarget } from '../../db/flow-states.js';
import { insertLink, type LinkInput } from '../../db/linking.js';
import { findAddressHolders, type Metadata, type SignedInRow, type UserRow } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { type Refusal, refuse } from '../errors.js';
import type { ExternalProfile } from '../providers/contract.js';
import { logAudit, storedAudit } from './audit.js';
import { emailChangePlans } from './email-change.js';
import { findKnown, linkedEntry } from './external-plans.js';
import { identityDataOf, readSubject } from './external-profile.js';
import { proveNewAddress } from './first-proof.js';
import { readClaimed } from './linking.js';
import { NOTHING_TO_SEND, type PreparedMails, prepareMails } from './one-time.js';
import { assertAuthorizedAddress, assertMayMail } from './send-rules.js';
import { issueTokens, type TokenResponse } from './sessions.js';
import { orVoid, unlessVoid } from './void-plan.js';

/** An identity at a provider, as it is to be linked. */
export interface WantedIdentity {
  readonly provider: string;
  readonly subject: string;
  /** Lower case; '' for none. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly identityData: Metadata;
}

const ATTEMPTS = 4;

/** @throws Refusal providerSubjectMissing, providerProfileFailed */
export function readWanted(app: Pick<App, 'config'>, provider: string, profile: ExternalProfile): WantedIdentity {
  const claimed = readClaimed(profile, app.config.mailerAutoconfirm);
  return {
    provider,
    subject: readSubject(profile),
    email: claimed.email,
    isEmailVerified: claimed.isVerified,
    identityData: identityDataOf(app, profile, claimed),
  };
}

/**
 * @param code PKCE: what the client exchanged for the link, which ends with it
 * @throws Refusal linkingTargetNotFound, userBanned, sessionNotFound, flowStateNotFound, identityAlreadyLinked,
 *   identityOfOtherUser, linkedEmailExists; linkedEmailNotConfirmed leaves the link behind, and a mail
 */
export async function linkIdentity(
  app: App,
  client: Client,
  wanted: WantedIdentity,
  target: LinkTarget,
  code: { readonly flowId: string; readonly authCodeHash: string } | null,
): Promise<TokenResponse> {
  for (let tries = 1; tries <= ATTEMPTS; tries++) {
    const user = await assertMayLink(app, wanted, target);
    if (code !== null && (await findFlowByAuthCode(app.db, code.authCodeHash)) === undefined) {
      throw refuse('flowStateNotFound');
    }
    const { firstEmail, pendingEmail, prepared, refusal } = await planAddress(app, user, wanted);
    const { tokens, mails } = prepared;
    const audit = [linkedEntry(wanted, user)];
    const { provider, subject, identityData } = wanted;
    const input: LinkInput = {
      userId: target.userId,
      provider,
      subject,
      identityData,
      firstEmail,
      pendingEmail,
      opensSession: refusal === null,
      userAgent: client.userAgent,
      ip: client.ip,
      code,
      tokens,
      mails,
      audit: storedAudit(app, audit),
    };
    const row = await unlessVoid(writeLink(app, target, input));
    if (row === undefined) continue;
    logAudit(app, client.requestId, audit);
    if (mails.length > 0) app.mail.nudge();
    if (refusal !== null) throw refusal;
    return issueTokens(app, row as SignedInRow);
  }
  throw refuse('unexpectedFailure', {}, { cause: new Error('the account kept changing while it was linked') });
}

/** @throws Refusal sessionNotFound, under the lock that every end of sessions takes; VoidPlanError */
function writeLink(app: App, { userId, sessionId }: LinkTarget, input: LinkInput): Promise<UserRow> {
  return withLockedUser(app.db, userId, async (statements) => {
    if (!(await isSessionAlive(statements, userId, sessionId))) throw refuse('sessionNotFound');
    if (input.firstEmail !== null) {
      const { provider, subject, code } = input;
      const proof = { tokenId: null, flowId: code?.flowId ?? null, audience: null, identity: { provider, subject } };
      await proveNewAddress(statements, userId, 'email', proof);
    }
    return orVoid(await insertLink(statements, input));
  });
}

/**
 * @returns the account
 * @throws Refusal linkingTargetNotFound, userBanned, sessionNotFound, identityAlreadyLinked, identityOfOtherUser
 */
export async function assertMayLink(app: App, wanted: WantedIdentity, target: LinkTarget): Promise<Readonly<UserRow>> {
  const user = await findLinkTarget(app, target);
  const [known] = await findKnown(app, wanted);
  if (known !== undefined) throw refuse(known.id === user.id ? 'identityAlreadyLinked' : 'identityOfOtherUser');
  return user;
}

/** @throws Refusal linkingTargetNotFound, userBanned, sessionNotFound */
export async function findLinkTarget(
  { db }: Pick<App, 'db'>,
  { userId, sessionId }: LinkTarget,
): Promise<Readonly<UserRow>> {
  const target = await findCaller(db, userId, sessionId);
  if (target === undefined) throw refuse('linkingTargetNotFound');
  if (target.is_banned) throw refuse('userBanned');
  if (!target.has_session) throw refuse('sessionNotFound');
  return target.user;
}

interface AddressPlan {
  readonly firstEmail: string | null;
  readonly pendingEmail: string | null;
  readonly prepared: Pick<PreparedMails, 'tokens' | 'mails'>;
  /** What the answer is, although the link was made. */
  readonly refusal: Refusal | null;
}

/** An account without an address gets the identity's: at once if the provider vouches for it, else when it is confirmed. */
async function planAddress(app: App, user: Readonly<UserRow>, wanted: WantedIdentity): Promise<AddressPlan> {
  const { email, provider } = wanted;
  const plan = { firstEmail: null, pendingEmail: null, prepared: NOTHING_TO_SEND, refusal: null };
  if (user.email || email === '') return plan;
  if ((await findAddressHolders(app.db, user.id, email, null)).email_taken) throw refuse('linkedEmailExists');
  if (wanted.isEmailVerified) return { ...plan, firstEmail: email };
  assertAuthorizedAddress(app, email);
  await assertMayMail(app, 'email_change', email);
  const subject = { email, newEmail: email, data: user.user_metadata };
  const prepared = await prepareMails(
    app,
    subject,
    emailChangePlans(app, null, email),
    null,
    app.redirects.choose([]).url,
  );
  return { ...plan, pendingEmail: email, prepared, refusal: refuse('linkedEmailNotConfirmed', { provider }) };
}
