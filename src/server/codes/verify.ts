/** Redeems codes and links: POST /verify and GET /verify. */
import { randomUUID } from 'node:crypto';
import { withLockedUser } from '../../db/account-locks.js';
import type { FoundToken } from '../../db/one-time-tokens.js';
import { confirmEmailChangeSide, type Redemption } from '../../db/redemptions.js';
import type { Channel } from '../../db/user-rows.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertSignsInHere } from '../accounts/company-domains.js';
import { completeReport, type ProofReport, prepareReport } from '../accounts/first-proof.js';
import { apiError } from '../errors.js';
import { redeemedChanges } from '../notices/changes.js';
import { prepareNotices } from '../notices/notice.js';
import { mintUndo, UNDO_TYPE, undoEmailChange } from '../notices/undo.js';
import { INVITATION_TYPE } from '../organizations/invitation-mail.js';
import { redeemInvitation } from '../organizations/redeem-invitation.js';
import type { App, Client } from '../runtime/app.js';
import { type SignedIn, signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { hashAuthCode, PKCE_PREFIX } from './one-time.js';
import { prepareRedemption, type RedemptionTerms } from './redeem.js';
import { channelOf, findByCode, findByLink } from './verify-lookup.js';

export type Verified =
  | { readonly outcome: 'signed_in'; readonly tokens: TokenResponse; readonly type: string }
  /** PKCE: an auth code for POST /token?grant_type=pkce. */
  | { readonly outcome: 'auth_code'; readonly authCode: string }
  /** The first of two confirmations of an email change. */
  | { readonly outcome: 'half_confirmed' };

interface CodeRedemption {
  readonly type: string;
  readonly contact: { readonly channel: Channel; readonly address: string };
  readonly code: string;
  readonly audience: string;
  /** For accounts without one (docs/decisions.md, Accounts without a password); empty: not given. */
  readonly password: string;
}

/** @throws ApiError codeInvalid, userBanned, verifyPasswordRequired, weakPassword, emailExists, phoneExists */
export async function verifyCode(
  app: App,
  client: Client,
  { type, contact, code, audience, password }: CodeRedemption,
) {
  if (contact.channel === 'email') await assertSignsInHere(app, contact.address);
  const token = await findByCode(app, type, contact, code, audience);
  return redeem(app, client, token, { type, password, wantsAuthCode: false, errorName: 'codeInvalid' });
}

/**
 * @param isNavigation a browser followed the link (GET): a PKCE link then issues an auth code, by POST tokens
 * @throws ApiError verifyEmailType, linkInvalid, userBanned, verifyPasswordRequired, weakPassword, emailExists; those of an
 *   invitation to an organization
 */
export async function verifyLink(
  app: App,
  client: Client,
  {
    type,
    linkToken,
    password,
    isNavigation,
  }: { type: string; linkToken: string; password: string; isNavigation: boolean },
): Promise<Verified> {
  if (type === UNDO_TYPE) {
    return { outcome: 'signed_in', tokens: await undoEmailChange(app, client, linkToken), type: 'recovery' };
  }
  if (type === INVITATION_TYPE) {
    const tokens = await redeemInvitation(app, client, linkToken, isNavigation ? '' : password);
    return { outcome: 'signed_in', tokens, type };
  }
  const token = await findByLink(app, type, linkToken);
  // It may be older than the rule.
  await assertSignsInHere(app, token.recipient);
  const wantsAuthCode = isNavigation && linkToken.startsWith(PKCE_PREFIX);
  return redeem(app, client, token, {
    type,
    password: isNavigation ? null : password,
    wantsAuthCode,
    errorName: 'linkInvalid',
  });
}

/** Without what redeem() adds. */
type Terms = Omit<RedemptionTerms, 'notices' | 'undo' | 'report'>;

async function redeem(app: App, client: Client, token: FoundToken, terms: Terms): Promise<Verified> {
  if (isFirstConfirmation(app, token)) {
    const isDone = await withLockedUser(app.db, token.user_id!, (statements) =>
      confirmEmailChangeSide(statements, token),
    );
    if (!isDone) throw apiError(terms.errorName);
    return { outcome: 'half_confirmed' };
  }
  const authCode = terms.wantsAuthCode ? randomUUID() : null;
  const audit = buildAudit(token);
  const redemption: Redemption = {
    token,
    sessionMethod: authCode === null ? 'otp' : null,
    userAgent: client.userAgent,
    ip: client.ip,
    authCodeHash: authCode === null ? null : await hashAuthCode(app, authCode),
    audit: storedAudit(app, audit),
  };
  const minted = token.kind.startsWith('email_change') && token.is_email_proven ? await mintUndo(app) : null;
  const notices = await prepareNotices(app, client, redeemedChanges(token, terms.type, minted?.linkToken ?? null));
  const validSeconds = app.config.mailerNotificationsUndoExpSeconds;
  // A text has no link, and the reader of an address that was never proven may be another person.
  const isOffered = minted !== null && token.is_email_proven && notices.length > 0;
  const undo = isOffered ? { email: token.email!, linkHash: minted.linkHash, validSeconds } : null;
  const report = await prepareReportOf(app, client, token);
  const write = await prepareRedemption(app, redemption, { ...terms, notices, undo, report });
  const opened =
    authCode === null
      ? await signInWithClaims(app, client, write, notices.length > 0)
      : { row: await write(app.db), decided: null };
  if (opened === undefined) throw apiError(terms.errorName);
  if (notices.length > 0) app.mail.nudge();
  completeReport(app, client, report);
  logAudit(
    app,
    client.requestId,
    audit.map((entry) => ({ ...entry, actor_id: opened.row.id })),
  );
  if (authCode !== null) return { outcome: 'auth_code', authCode };
  return {
    outcome: 'signed_in',
    tokens: await issueTokens(app, opened as SignedIn),
    type: resolveType(terms.type, token),
  };
}

/** Null where the code proves nothing for the first time. A pending sign-up may meet an account by now. */
async function prepareReportOf(app: App, client: Client, token: FoundToken): Promise<ProofReport | null> {
  if (token.kind.includes('change') || (token.user_id !== null && !token.is_unproven)) return null;
  const told = { address: token.recipient, data: token.user_metadata ?? token.sign_up?.data ?? {} };
  return prepareReport(app, client, channelOf(token), told);
}

/**
 * Whether a second confirmation is needed: the account has a confirmed address, and neither side has confirmed yet. The
 * current address alone never completes a change.
 */
const isFirstConfirmation = ({ config }: App, token: FoundToken): boolean =>
  token.kind.startsWith('email_change') &&
  config.mailerSecureEmailChangeEnabled &&
  Boolean(token.email) &&
  (token.is_email_confirmed || token.kind === 'email_change_current') &&
  token.email_change_confirmations === 0;

function buildAudit(token: FoundToken): AuditEntry[] {
  const channel = channelOf(token);
  const actor = { id: token.user_id ?? '', email: token.email, phone: token.phone, fullName: token.full_name };
  const named = token.user_id === null ? { ...actor, [channel]: token.recipient } : actor;
  if (token.kind.includes('change')) return [auditEntry(named, 'user_modified')];
  const isSignIn = token.kind === 'recovery' && token.is_email_confirmed;
  return [isSignIn ? auditEntry(named, 'login') : auditEntry(named, 'user_signedup', { provider: channel })];
}

/** Type `email` redeems several kinds. */
function resolveType(type: string, token: FoundToken): string {
  if (type !== 'email') return type;
  return token.kind === 'recovery' ? 'magiclink' : 'signup';
}
