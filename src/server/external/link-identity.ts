/**
 * Linking by hand: adds an identity to the caller's account. The session that started the link must still exist when it
 * is written (SEC-86).
 */
import { withLockedUser } from '../../db/account-locks.js';
import { findCaller } from '../../db/callers.js';
import { findFlowByAuthCode, type LinkTarget } from '../../db/flow-states.js';
import { insertLink, type LinkInput } from '../../db/linking.js';
import type { Database } from '../../db/types.js';
import type { Metadata, UserRow } from '../../db/user-rows.js';
import { findAddressHolders } from '../../db/users.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { proveNewAddress } from '../accounts/first-proof.js';
import { planEmailChange } from '../codes/email-change.js';
import { NOTHING_TO_SEND, type PreparedMails, prepareMails } from '../codes/one-time.js';
import { assertMailable, assertMayMail } from '../codes/send-rules.js';
import { type ApiError, apiError } from '../errors.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { ExternalProfile } from '../providers/contract.js';
import type { App, Client } from '../runtime/app.js';
import { readAssurance } from '../sessions/assurance.js';
import { type SignedIn, signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { readClaimedAddresses } from './account-linking.js';
import { buildIdentityData, readProviderSubject } from './profile.js';
import { findIdentityOwners, linkedAuditEntry } from './sign-in-plan.js';
import { requireRow, retryStalePlans, unlessStale } from './stale-plan.js';

/** The identity to link. */
export interface WantedIdentity {
  readonly provider: string;
  readonly subject: string;
  /** Lower case; '' for none. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly identityData: Metadata;
}

/** @throws ApiError providerSubjectMissing, providerProfileFailed */
export function readWanted(app: Pick<App, 'config'>, provider: string, profile: ExternalProfile): WantedIdentity {
  const claimed = readClaimedAddresses(profile, app.config.mailerAutoconfirm);
  return {
    provider,
    subject: readProviderSubject(profile),
    email: claimed.email,
    isEmailVerified: claimed.isVerified,
    identityData: buildIdentityData(app, profile, claimed),
  };
}

/**
 * @param code PKCE: the auth code that is exchanged; the link consumes it
 * @throws ApiError linkingTargetNotFound, userBanned, sessionNotFound, flowStateNotFound, identityAlreadyLinked,
 *   identityOfOtherUser, linkedEmailExists; linkedEmailNotConfirmed after the link was written and a mail queued
 */
export async function linkIdentity(
  app: App,
  client: Client,
  wanted: WantedIdentity,
  target: LinkTarget,
  code: { readonly flowId: string; readonly authCodeHash: string } | null,
): Promise<TokenResponse> {
  return retryStalePlans(async () => {
    const user = await assertMayLink(app, wanted, target);
    if (code !== null && (await findFlowByAuthCode(app.db, code.authCodeHash)) === undefined) {
      throw apiError('flowStateNotFound');
    }
    const { firstEmail, pendingEmail, prepared, error } = await planAddress(app, client, user, wanted);
    const { tokens } = prepared;
    const notices = await prepareNotices(app, client, [
      { kind: 'identity_linked_notification', to: recipientOf(user), facts: { provider: wanted.provider } },
    ]);
    const mails = [...prepared.mails, ...notices];
    const audit = [linkedAuditEntry(wanted, user)];
    const { provider, subject, identityData } = wanted;
    const input: LinkInput = {
      userId: target.userId,
      provider,
      subject,
      identityData,
      firstEmail,
      pendingEmail,
      opensSession: error === null,
      userAgent: client.userAgent,
      ip: client.ip,
      code,
      tokens,
      mails,
      audit: storedAudit(app, audit),
    };
    const opened =
      error === null
        ? await signInWithClaims(app, client, (db) => unlessStale(writeLink(app, db, target, input)))
        : await unlessStale(writeLink(app, app.db, target, input));
    if (opened === undefined) return undefined;
    logAudit(app, client.requestId, audit);
    if (mails.length > 0) app.mail.nudge();
    if (error !== null) throw error;
    return issueTokens(app, opened as SignedIn);
  });
}

/** @throws ApiError those of readAssurance(), under the lock that ending sessions also takes; StalePlanError */
function writeLink(
  app: Pick<App, 'config'>,
  db: Database,
  { userId, sessionId }: LinkTarget,
  input: LinkInput,
): Promise<UserRow> {
  return withLockedUser(db, userId, async (statements) => {
    await readAssurance(app, statements, { user: { id: userId }, sessionId }, 'aalForAccess');
    if (input.firstEmail !== null) {
      const { provider, subject, code } = input;
      const proof = { tokenId: null, flowId: code?.flowId ?? null, audience: null, identity: { provider, subject } };
      await proveNewAddress(statements, userId, 'email', proof);
    }
    return requireRow(await insertLink(statements, input));
  });
}

/**
 * @returns the account
 * @throws ApiError linkingTargetNotFound, userBanned, sessionNotFound, identityAlreadyLinked, identityOfOtherUser
 */
export async function assertMayLink(app: App, wanted: WantedIdentity, target: LinkTarget): Promise<Readonly<UserRow>> {
  const user = await findLinkTarget(app, target);
  const [known] = await findIdentityOwners(app, wanted);
  if (known !== undefined) throw apiError(known.id === user.id ? 'identityAlreadyLinked' : 'identityOfOtherUser');
  return user;
}

/** @throws ApiError linkingTargetNotFound, userBanned, sessionNotFound */
export async function findLinkTarget(
  { db }: Pick<App, 'db'>,
  { userId, sessionId }: LinkTarget,
): Promise<Readonly<UserRow>> {
  const target = await findCaller(db, userId, sessionId);
  if (target === undefined) throw apiError('linkingTargetNotFound');
  if (target.is_banned) throw apiError('userBanned');
  if (!target.has_session) throw apiError('sessionNotFound');
  return target.user;
}

interface AddressPlan {
  readonly firstEmail: string | null;
  readonly pendingEmail: string | null;
  readonly prepared: Pick<PreparedMails, 'tokens' | 'mails'>;
  /** Answered although the link is written. */
  readonly error: ApiError | null;
}

/** An account without an address gets the identity's: at once if the provider verified it, else after confirmation. */
async function planAddress(
  app: App,
  { ip }: Client,
  user: Readonly<UserRow>,
  wanted: WantedIdentity,
): Promise<AddressPlan> {
  const { email, provider } = wanted;
  const plan = { firstEmail: null, pendingEmail: null, prepared: NOTHING_TO_SEND, error: null };
  if (user.email || email === '') return plan;
  if ((await findAddressHolders(app.db, user.id, email, null)).email_taken) throw apiError('linkedEmailExists');
  if (wanted.isEmailVerified) return { ...plan, firstEmail: email };
  await assertMailable(app, email);
  await assertMayMail(app, 'email_change', email);
  const subject = { email, newEmail: email, data: user.user_metadata, account: user.id, ip };
  const prepared = await prepareMails(
    app,
    subject,
    planEmailChange(app, null, email),
    null,
    app.redirects.choose([]).url,
  );
  return { ...plan, pendingEmail: email, prepared, error: apiError('linkedEmailNotConfirmed', { provider }) };
}
