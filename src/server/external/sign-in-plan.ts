/** Plans what a sign-in from a provider writes: for the owner of the identity, or for an invitation. */
import { randomUUID } from 'node:crypto';
import { type ExternalSignInInput, findInvited, findOwners, type Owner } from '../../db/identities.js';
import { storeTokens as issueOneTimeTokens, storePendingSignUp } from '../../db/one-time-tokens.js';
import type { Metadata } from '../../db/user-rows.js';
import { spellEmail } from '../accounts/addresses.js';
import { type Actor, type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertMayCreate, type PlannedUser } from '../accounts/new-user-hook.js';
import type { MessageAccount } from '../codes/message-account.js';
import { type MailPlan, type PreparedMails, pendingKind, prepareMails } from '../codes/one-time.js';
import { assertMailable, assertMayMail, validitySeconds } from '../codes/send-rules.js';
import { apiError } from '../errors.js';
import { stampsOf } from '../message-kinds.js';
import type { ExternalProfile } from '../providers/contract.js';
import type { App, Client } from '../runtime/app.js';
import type { ClaimedAddresses, OwnerDecision } from './account-linking.js';
import { DEFAULT_DOMAIN, linkingDomainOf } from './linking-domains.js';
import type { AttemptTrace } from './tracing/attempt-trace.js';

export interface ExternalSignIn {
  readonly provider: string;
  readonly isEmailOptional: boolean;
  readonly profile: ExternalProfile;
  /** What the audit entry of the sign-in says besides. */
  readonly traits?: Readonly<Record<string, string>>;
  /** Of a new account. */
  readonly audience: string;
  readonly purpose: { readonly kind: 'sign_in' } | { readonly kind: 'invite'; readonly linkHash: string };
  /** PKCE: the provider's tokens are stored, sealed, until the exchange. Null: a session is opened at once. */
  readonly flow: {
    readonly id: string;
    readonly accessToken: string | null;
    readonly refreshToken: string | null;
  } | null;
  /** Of an operator who follows this attempt; null: nobody does. */
  readonly trace: AttemptTrace | null;
}

export interface ExternalAttempt {
  readonly app: App;
  readonly client: Client;
  readonly request: ExternalSignIn;
  readonly subject: string;
  readonly claimed: ClaimedAddresses;
  readonly identityData: Metadata;
}

export interface Plan {
  readonly userId: string;
  readonly newUser: ExternalSignInInput['newUser'];
  readonly change: ExternalSignInInput['change'];
  /** The address that the sign-in proves. */
  readonly provenEmail?: string;
  readonly audit: readonly AuditEntry[];
  /** The account that loses its unproven email to the new one. */
  readonly releaseFrom?: string;
  readonly prepared?: PreparedMails;
}

/** @throws ApiError signupDisabled, userBanned, multipleAccounts, providerEmailOwned, providerEmailMailed */
export async function planSignIn(attempt: ExternalAttempt, decision: OwnerDecision): Promise<Plan> {
  const { request, subject } = attempt;
  const { provider } = request;
  switch (decision.kind) {
    case 'reject':
      throw decision.error;
    case 'pending_sign_up':
      return storeSignUp(attempt, decision.email);
    case 'confirm':
      return requestConfirmation(attempt, decision.owner, decision.email);
    case 'sign_in': {
      const { owner, change, mailsTo } = decision;
      const prepared =
        mailsTo === null ? undefined : await prepareConfirmationMail(attempt, mailsTo, 'confirmation', owner.id);
      const isFirst = change === 'proven' && !owner.is_email_confirmed;
      const traits = { provider, ...request.traits };
      const entries = [auditEntry(actorOf(owner), isFirst ? 'user_signedup' : 'login', traits)];
      if (!owner.is_known) entries.unshift(linkedAuditEntry({ provider, subject }, actorOf(owner)));
      const provenEmail = change === 'proven' ? { provenEmail: owner.email! } : {};
      return { userId: owner.id, newUser: null, change, ...provenEmail, audit: entries, ...(prepared && { prepared }) };
    }
    case 'create': {
      const { email, mailsTo, releaseFrom } = decision;
      await askBeforeCreation(attempt, email);
      const prepared =
        mailsTo === null
          ? undefined
          : await prepareConfirmationMail(attempt, mailsTo, 'confirmation', plannedUser(attempt, email));
      return {
        ...planAccount(attempt, email, decision),
        ...(releaseFrom !== null && { releaseFrom }),
        ...(prepared && { prepared }),
      };
    }
  }
}

/** @throws ApiError of the hook before_user_created */
function askBeforeCreation(attempt: ExternalAttempt, email: string | null): Promise<void> {
  return assertMayCreate(attempt.app, attempt.client, plannedUser(attempt, email));
}

function plannedUser({ request, identityData }: ExternalAttempt, email: string | null): PlannedUser {
  const { provider, audience } = request;
  const appMetadata = { provider, providers: [provider] };
  return { audience, email, phone: null, appMetadata, userMetadata: identityData };
}

function planAccount(
  { app: { config }, request }: ExternalAttempt,
  email: string | null,
  { isConfirmed, isProven }: { readonly isConfirmed: boolean; readonly isProven: boolean },
): Plan {
  const { provider } = request;
  const userId = randomUUID();
  return {
    userId,
    newUser: {
      aud: request.audience,
      role: config.jwtDefaultGroupName.trim(),
      email,
      is_confirmed: isConfirmed,
      is_proven: isProven,
      is_sso_user: linkingDomainOf(config, provider) !== DEFAULT_DOMAIN,
    },
    change: 'met',
    audit: [auditEntry({ id: userId, email, phone: null }, 'user_signedup', { provider, ...request.traits })],
  };
}

/** The account is created when the mail is answered, as with /otp (docs/decisions.md, Pending sign-ups). */
async function storeSignUp(attempt: ExternalAttempt, email: string): Promise<never> {
  const { app, client, request, subject, identityData } = attempt;
  await askBeforeCreation(attempt, email);
  const prepared = await prepareConfirmationMail(attempt, email, 'sign_up', plannedUser(attempt, email));
  const signUp = { audience: request.audience, data: identityData, identity: { provider: request.provider, subject } };
  const validFor = validitySeconds(app, 'email');
  const kind = pendingKind(app, request.audience);
  const isIssued = await storePendingSignUp(app.db, kind, prepared.tokens[0]!, signUp, prepared.mails, null, validFor);
  // Another pending sign-up of the address stays (SEC-83). The answer is the same, so that it reveals nothing.
  if (!isIssued) throw apiError('providerEmailMailed', { provider: request.provider });
  const actor = { id: '', email, phone: null };
  logAudit(app, client.requestId, [auditEntry(actor, 'user_confirmation_requested', { provider: request.provider })]);
  app.mail.nudge();
  throw apiError('providerEmailMailed', { provider: request.provider });
}

async function requestConfirmation(attempt: ExternalAttempt, owner: Actor, email: string): Promise<never> {
  const { app, client, request } = attempt;
  const prepared = await prepareConfirmationMail(attempt, email, 'confirmation', owner.id);
  const audit = [auditEntry(actorOf(owner), 'user_confirmation_requested', { provider: request.provider })];
  const issue = { userId: owner.id, ...prepared, stamps: stampsOf('confirmation'), audit: storedAudit(app, audit) };
  await issueOneTimeTokens(app.db, issue);
  logAudit(app, client.requestId, audit);
  app.mail.nudge();
  throw apiError('providerEmailMailed', { provider: request.provider });
}

/** @throws ApiError emailNotAuthorized, tooSoonForEmail, overEmailQuota */
async function prepareConfirmationMail(
  { app, client, identityData }: ExternalAttempt,
  email: string,
  kind: 'confirmation' | 'sign_up',
  account: MessageAccount,
): Promise<PreparedMails> {
  await assertMailable(app, email);
  await assertMayMail(app, 'confirmation', email);
  const plan: MailPlan = { mail: 'confirmation', to: email, code: kind };
  // The link may be opened in another browser: it redirects to SITE_URL.
  return prepareMails(
    app,
    { email, data: identityData, account, ip: client.ip },
    [plan],
    null,
    app.redirects.choose([]).url,
  );
}

/**
 * Decides about an invitation. Reads only.
 * @throws ApiError inviteNotFound, userBanned, invitedEmailMismatch, identityOfOtherUser
 */
export async function decideInvitation(attempt: ExternalAttempt): Promise<OwnerDecision> {
  const { app, request, claimed } = attempt;
  const { linkHash } = request.purpose as { linkHash: string };
  const invited = await findInvited(app.db, linkHash, validitySeconds(app, 'email'));
  if (invited === undefined || invited.is_email_confirmed) throw apiError('inviteNotFound');
  if (invited.is_banned) throw apiError('userBanned');
  // The invitation link proves the address, so the provider need not have verified it.
  const isSame = request.profile.addresses.some(({ email }) => spellEmail(email) === invited.email);
  if (!isSame) throw apiError('invitedEmailMismatch');
  const known = await findIdentityOwners(app, { provider: request.provider, subject: attempt.subject });
  if (known.some(({ id }) => id !== invited.id)) throw apiError('identityOfOtherUser');
  const decision = { rule: 'invited', kind: 'sign_in', owner: invited, change: 'proven', mailsTo: null } as const;
  request.trace?.noteDecision(decision, { claimed, found: { people: known, isAddressTaken: true }, rules: null });
  return decision;
}

export async function planInvitation(attempt: ExternalAttempt, decision: OwnerDecision): Promise<Plan> {
  const { owner: invited } = decision as Extract<OwnerDecision, { kind: 'sign_in' }>;
  const audit = [auditEntry(actorOf(invited), 'invite_accepted', { provider: attempt.request.provider })];
  const proof = { isConfirmed: true, isProven: true };
  if (belongsToPhone(invited)) return { ...planAccount(attempt, invited.email, proof), releaseFrom: invited.id, audit };
  return { userId: invited.id, newUser: null, change: 'proven', provenEmail: invited.email!, audit };
}

/** The account is proven by its phone, and its owner added the address. */
const belongsToPhone = (owner: Owner): boolean => owner.is_phone_proven && !owner.is_operators_email;

/** The account that has the identity, whatever its addresses. */
export async function findIdentityOwners(
  { db }: Pick<App, 'db'>,
  { provider, subject }: { readonly provider: string; readonly subject: string },
): Promise<Owner[]> {
  const query = { provider, subject, verifiedEmails: [], email: '', domainProviders: [], otherDomainProviders: [] };
  return (await findOwners(db, query)).people;
}

const actorOf = (owner: Actor & { full_name?: string | null }): Actor => ({
  id: owner.id,
  email: owner.email,
  phone: owner.phone,
  fullName: owner.full_name ?? null,
});

export const linkedAuditEntry = (
  { provider, subject }: { readonly provider: string; readonly subject: string },
  { id, email, phone }: Actor,
): AuditEntry => auditEntry({ id, email, phone }, 'identity_linked', { provider, provider_id: subject });
