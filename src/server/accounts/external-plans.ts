/** What one sign-in from a provider is to write: for whoever the identity belongs to, or for an invitation. */
import { randomUUID } from 'node:crypto';
import { type ExternalSignInInput, findInvited, findOwners, type Owner } from '../../db/identities.js';
import { issueTokens as issueOneTimeTokens, issuePending } from '../../db/one-time-tokens.js';
import type { Metadata } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import type { ExternalProfile } from '../providers/contract.js';
import { type Actor, type AuditEntry, auditEntry, logAudit, storedAudit } from './audit.js';
import { type Claimed, decideOwner } from './linking.js';
import { type MailPlan, type PreparedMails, pendingKind, prepareMails } from './one-time.js';
import { assertAuthorizedAddress, assertMayMail, validitySeconds } from './send-rules.js';

export interface ExternalSignIn {
  readonly provider: string;
  readonly isEmailOptional: boolean;
  readonly profile: ExternalProfile;
  /** Of an account that is made. */
  readonly audience: string;
  /** Whom the identity is for: whoever it belongs to, or an invited account. */
  readonly purpose: { readonly kind: 'sign_in' } | { readonly kind: 'invite'; readonly linkHash: string };
  /** PKCE: tokens wait, sealed, until the client comes with its verifier. Null: they are issued at once. */
  readonly flow: {
    readonly id: string;
    readonly accessToken: string | null;
    readonly refreshToken: string | null;
  } | null;
}

/** Everything one sign-in carries along. */
export interface Attempt {
  readonly app: App;
  readonly client: Client;
  readonly request: ExternalSignIn;
  readonly subject: string;
  readonly claimed: Claimed;
  readonly identityData: Metadata;
}

/** What is to be written. */
export interface Plan {
  readonly userId: string;
  readonly newUser: ExternalSignInInput['newUser'];
  readonly change: ExternalSignInInput['change'];
  readonly audit: readonly AuditEntry[];
  /** The account that gives up its unproven email, because the new one has proven it. */
  readonly releaseFrom?: string;
  readonly prepared?: PreparedMails;
}

/** @throws Refusal signupDisabled, userBanned, multipleAccounts, providerEmailOwned, providerEmailMailed */
export async function planSignIn(attempt: Attempt): Promise<Plan> {
  const { app, request, claimed, subject } = attempt;
  const { config } = app;
  const { provider } = request;
  const ownDomainProviders = config.experimentalProvidersWithOwnLinkingDomain;
  const found = await findOwners(app.db, {
    provider,
    subject,
    verifiedEmails: claimed.verifiedEmails,
    email: claimed.email,
    ownDomainProviders,
  });
  const decision = decideOwner(claimed, found, {
    provider,
    isEmailOptional: request.isEmailOptional,
    allowsUnverified: config.mailerAllowUnverifiedEmailSignIns,
    isSignUpDisabled: config.disableSignup,
    ownDomainProviders,
  });
  switch (decision.kind) {
    case 'refuse':
      throw decision.refusal;
    case 'wait':
      return waitForProof(attempt, decision.email);
    case 'confirm':
      return askForProof(attempt, decision.owner, decision.email);
    case 'enter': {
      const { owner, change, mailsTo } = decision;
      const prepared = mailsTo === null ? undefined : await prepareConfirmation(attempt, mailsTo, 'confirmation');
      const entries = [auditEntry(actorOf(owner), change === 'proven' ? 'user_signedup' : 'login', { provider })];
      if (!owner.is_known) entries.unshift(linkedEntry({ provider, subject }, actorOf(owner)));
      return { userId: owner.id, newUser: null, change, audit: entries, ...(prepared && { prepared }) };
    }
    case 'create': {
      const { email, isConfirmed, mailsTo, releaseFrom } = decision;
      const prepared = mailsTo === null ? undefined : await prepareConfirmation(attempt, mailsTo, 'confirmation');
      return {
        ...planAccount(attempt, email, isConfirmed),
        ...(releaseFrom !== null && { releaseFrom }),
        ...(prepared && { prepared }),
      };
    }
  }
}

function planAccount({ app: { config }, request }: Attempt, email: string | null, isConfirmed: boolean): Plan {
  const { provider } = request;
  const userId = randomUUID();
  return {
    userId,
    newUser: {
      aud: request.audience,
      role: config.jwtDefaultGroupName.trim(),
      email,
      is_confirmed: isConfirmed,
      is_sso_user: config.experimentalProvidersWithOwnLinkingDomain.includes(provider),
    },
    change: 'met',
    audit: [auditEntry({ id: userId, email, phone: null }, 'user_signedup', { provider })],
  };
}

/** Of an address nobody has: the account is made when its owner answers the mail, as with /otp (decisions.md 4). */
async function waitForProof(attempt: Attempt, email: string): Promise<never> {
  const { app, client, request, subject, identityData } = attempt;
  const prepared = await prepareConfirmation(attempt, email, 'sign_up');
  const signUp = { audience: request.audience, data: identityData, identity: { provider: request.provider, subject } };
  const validFor = validitySeconds(app, 'email');
  const kind = pendingKind(app, request.audience);
  const isIssued = await issuePending(app.db, kind, prepared.tokens[0]!, signUp, prepared.mails, null, validFor);
  // Another pending sign-up of the address goes on (SEC-83). The answer is the same, since it is nobody else's business.
  if (!isIssued) throw refuse('providerEmailMailed', { provider: request.provider });
  const actor = { id: '', email, phone: null };
  logAudit(app, client.requestId, [auditEntry(actor, 'user_confirmation_requested', { provider: request.provider })]);
  app.mail.nudge();
  throw refuse('providerEmailMailed', { provider: request.provider });
}

async function askForProof(attempt: Attempt, owner: Actor, email: string): Promise<never> {
  const { app, client, request } = attempt;
  const prepared = await prepareConfirmation(attempt, email, 'confirmation');
  const audit = [auditEntry(actorOf(owner), 'user_confirmation_requested', { provider: request.provider })];
  const issue = { userId: owner.id, ...prepared, stamp: 'confirmation', audit: storedAudit(app, audit) } as const;
  await issueOneTimeTokens(app.db, issue);
  logAudit(app, client.requestId, audit);
  app.mail.nudge();
  throw refuse('providerEmailMailed', { provider: request.provider });
}

/** @throws Refusal emailNotAuthorized, tooSoonForEmail, overEmailQuota */
async function prepareConfirmation(
  { app, identityData }: Attempt,
  email: string,
  kind: 'confirmation' | 'sign_up',
): Promise<PreparedMails> {
  assertAuthorizedAddress(app, email);
  await assertMayMail(app, 'confirmation', email);
  const plan: MailPlan = { kind, to: email, mailKind: 'confirmation', linkType: 'signup' };
  // The link may be opened anywhere: it leads to SITE_URL (reference/providers.md 2.5).
  return prepareMails(app, { email, data: identityData }, [plan], null, app.redirects.choose([]).url);
}

/** @throws Refusal inviteNotFound, userBanned, invitedEmailMismatch */
export async function planInvitation(attempt: Attempt): Promise<Plan> {
  const { app, request } = attempt;
  const { linkHash } = request.purpose as { linkHash: string };
  const invited = await findInvited(app.db, linkHash, validitySeconds(app, 'email'));
  if (invited === undefined || invited.is_email_confirmed) throw refuse('inviteNotFound');
  if (invited.is_banned) throw refuse('userBanned');
  // The link has proven the address already: the provider need not vouch for it.
  const isSame = request.profile.addresses.some(({ email }) => email.toLowerCase() === invited.email);
  if (!isSame) throw refuse('invitedEmailMismatch');
  const known = await findKnown(app, { provider: request.provider, subject: attempt.subject });
  if (known.some(({ id }) => id !== invited.id)) throw refuse('identityOfOtherUser');
  const audit = [auditEntry(actorOf(invited), 'invite_accepted', { provider: request.provider })];
  if (belongsToPhone(invited)) return { ...planAccount(attempt, invited.email, true), releaseFrom: invited.id, audit };
  return { userId: invited.id, newUser: null, change: 'proven', audit };
}

/** The account is proven by its phone, and nobody but its owner put the address on it. */
const belongsToPhone = (owner: Owner): boolean => owner.is_phone_confirmed && !owner.is_operators_email;

/** Whom the identity belongs to already, whatever addresses it brings. */
export async function findKnown(
  { db }: Pick<App, 'db'>,
  { provider, subject }: { readonly provider: string; readonly subject: string },
): Promise<Owner[]> {
  const query = { provider, subject, verifiedEmails: [], email: '', ownDomainProviders: [] };
  return (await findOwners(db, query)).people;
}

const actorOf = (owner: Actor & { full_name?: string | null }): Actor => ({
  id: owner.id,
  email: owner.email,
  phone: owner.phone,
  fullName: owner.full_name ?? null,
});

export const linkedEntry = (
  { provider, subject }: { readonly provider: string; readonly subject: string },
  { id, email, phone }: Actor,
): AuditEntry => auditEntry({ id, email, phone }, 'identity_linked', { provider, provider_id: subject });
