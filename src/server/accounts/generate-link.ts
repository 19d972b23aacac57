import { randomBytes, randomUUID } from 'node:crypto';
import { issueLink } from '../../db/admin-users.js';
import type { SendStamp } from '../../db/one-time-tokens.js';
import {
  type AddressHolder,
  findAddressHolder,
  findAddressHolders,
  insertUser,
  type Metadata,
  type MetadataChange,
  type UserRow,
} from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail } from './addresses.js';
import type { Operator } from './admin-contacts.js';
import { type AuditEntry, adminActor, auditEntry, logAudit, storedAudit } from './audit.js';
import { assertNewTokenFits, planMetadata } from './metadata.js';
import { type MailPlan, type Minted, mintOneTime } from './one-time.js';
import { assertPasswordAcceptable } from './passwords.js';
import { viewUser } from './user-view.js';

export interface LinkRequest {
  readonly type: string;
  readonly email: string;
  /** Of an email change. */
  readonly newEmail: string;
  /** Of a sign-up that makes an account. */
  readonly password: string;
  readonly data: Metadata;
  readonly audience: string;
  /** Checked. */
  readonly redirectTo: string;
}

type LinkType = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change_current' | 'email_change_new';

/** How a link of each type is minted; its recipient is added. */
const plans: Readonly<Record<LinkType, Omit<MailPlan, 'to'> & { readonly stamp: SendStamp }>> = {
  signup: { kind: 'confirmation', mailKind: 'confirmation', linkType: 'signup', stamp: 'confirmation' },
  invite: { kind: 'confirmation', mailKind: 'invite', linkType: 'invite', stamp: 'invite' },
  magiclink: { kind: 'recovery', mailKind: 'magic_link', linkType: 'magiclink', stamp: 'recovery' },
  recovery: { kind: 'recovery', mailKind: 'recovery', linkType: 'recovery', stamp: 'recovery' },
  email_change_current: change('email_change_current'),
  email_change_new: change('email_change_new'),
};

function change(kind: 'email_change_current' | 'email_change_new') {
  return { kind, mailKind: 'email_change', linkType: 'email_change', stamp: 'email_change' } as const;
}

/** One request on its way, once it has passed the rules. */
interface Attempt {
  readonly app: App;
  readonly request: LinkRequest;
  readonly type: LinkType;
  readonly email: string;
  readonly operator: Operator;
}

/**
 * POST /admin/generate_link: a code and a link that are given to the operator instead of being mailed (operations.md
 * 1.13). No limit applies.
 * @returns the user object with action_link, email_otp, hashed_token, verification_type and redirect_to
 * @throws Refusal emailInvalid …, linkTypeInvalid, linkUserNotFound, emailExists, passwordRequired, weakPassword,
 *   secureEmailChangeNeeded
 */
export async function generateLink(
  app: App,
  client: Client,
  operator: Operator,
  request: LinkRequest,
): Promise<Record<string, unknown>> {
  const email = normaliseEmail(request.email);
  if (!Object.hasOwn(plans, request.type)) throw refuse('linkTypeInvalid', { type: request.type.slice(0, 100) });
  const asked = request.type as LinkType;
  assertNewTokenFits(app.config, { audience: request.audience, email, phone: null, userMetadata: request.data });
  const holder = await findAddressHolder(app.db, 'email', email, request.audience);
  // A magic link to a stranger is a sign-up.
  const type = asked === 'magiclink' && holder === undefined ? 'signup' : asked;
  const attempt: Attempt = { app, request, type, email, operator };
  const newEmail = await checkChange(attempt, holder);

  const { stamp, ...plan } = plans[type];
  const minted = await mintOneTime(app, { ...plan, to: type === 'email_change_new' ? newEmail! : email });
  const { row, audit } =
    holder === undefined
      ? await makeAccount(attempt, asked, minted)
      : await issueToHolder(attempt, holder, minted, stamp, newEmail);
  logAudit(app, client.requestId, audit);

  const linkToken = minted.linkToken!;
  const { redirectTo } = request;
  return {
    ...viewUser(row),
    action_link: app.mail.linkOf({ kind: plan.mailKind, linkToken, linkType: plan.linkType!, redirectTo }),
    email_otp: minted.code,
    hashed_token: linkToken,
    verification_type: type,
    redirect_to: redirectTo,
  };
}

/** @returns the address that is to come, of an email change. @throws Refusal as {@link generateLink} */
async function checkChange({ app, request, type }: Attempt, holder: AddressHolder | undefined): Promise<string | null> {
  if (holder === undefined && type !== 'signup' && type !== 'invite') throw refuse('linkUserNotFound');
  if (holder?.is_confirmed && (type === 'signup' || type === 'invite')) throw refuse('emailExists');
  if (plans[type].stamp !== 'email_change') return null;
  if (type === 'email_change_current' && !app.config.mailerSecureEmailChangeEnabled) {
    throw refuse('secureEmailChangeNeeded');
  }
  const newEmail = normaliseEmail(request.newEmail);
  if ((await findAddressHolders(app.db, holder!.id, newEmail, null)).email_taken) throw refuse('emailExists');
  return newEmail;
}

interface Issued {
  readonly row: UserRow;
  readonly audit: readonly AuditEntry[];
}

async function makeAccount(attempt: Attempt, asked: LinkType, minted: Minted): Promise<Issued> {
  const { app, request, type, email } = attempt;
  const userId = randomUUID();
  const audit = auditOf(attempt, { id: userId, email, phone: null });
  const row = await insertUser(app.db, {
    userId,
    audience: request.audience,
    role: app.config.jwtDefaultGroupName.trim(),
    email,
    phone: null,
    passwordHash: type === 'invite' ? null : await app.crypto.hashPassword(firstPassword(app, asked, request)),
    isConfirmed: false,
    appMetadata: { provider: 'email', providers: ['email'] },
    userMetadata: request.data,
    isAnonymous: false,
    identityProvider: 'email',
    identityData: { sub: userId, email, email_verified: false, phone_verified: false },
    oneTimeTokens: [minted.stored],
    sessionMethod: null,
    userAgent: null,
    ip: null,
    audit: storedAudit(app, audit),
    mails: [],
    flow: null,
    isInvited: type === 'invite',
    operatorSet: type === 'invite' || asked === 'magiclink' ? ['email'] : ['email', 'password'],
  });
  // Another audience holds the address, or somebody was quicker.
  if (row === undefined) throw refuse('emailExists');
  return { row, audit };
}

/** Nobody knows the password of an account that a magic link makes (decisions.md 6). */
function firstPassword(app: App, asked: LinkType, { password }: LinkRequest): string {
  if (asked === 'magiclink') return randomBytes(32).toString('base64url');
  if (password === '') throw refuse('passwordRequired');
  assertPasswordAcceptable(password, app.config);
  return password;
}

async function issueToHolder(
  attempt: Attempt,
  holder: AddressHolder,
  minted: Minted,
  stamp: SendStamp,
  newEmail: string | null,
): Promise<Issued> {
  const { app, request, type } = attempt;
  const audit = auditOf(attempt, holder);
  const row = await issueLink(app.db, {
    userId: holder.id,
    tokens: [minted.stored],
    stamp,
    userMetadata: type === 'signup' ? planUserMetadata(attempt, holder) : null,
    newEmail,
    audit: storedAudit(app, audit),
    isContested: type === 'signup' && (await isOtherPassword(app, request.password, holder.password_hash)),
  });
  if (row === undefined) throw refuse('linkUserNotFound');
  return { row, audit };
}

/** What the holder's row does not tell of its tokens is taken as that of a new account. */
function planUserMetadata(
  { app, request }: Attempt,
  { id, email, phone, user_metadata }: AddressHolder,
): MetadataChange {
  const usual = { aud: request.audience, role: app.config.jwtDefaultGroupName, app_metadata: {} };
  const account = { ...usual, id, email, phone, user_metadata };
  return planMetadata(app.config, account, { user: request.data, app: null }).userMetadata!;
}

/** A sign-up link that comes with a password is a sign-up: it contests the account when another one is stored. */
async function isOtherPassword(app: App, password: string, hash: string | null): Promise<boolean> {
  return password !== '' && !(await app.crypto.verifyPassword(password, hash)).matches;
}

function auditOf(
  { type, operator }: Attempt,
  user: { id: string; email: string | null; phone: string | null },
): AuditEntry[] {
  if (type === 'invite') {
    return [auditEntry(adminActor(operator), 'user_invited', { user_id: user.id, user_email: user.email })];
  }
  return type === 'magiclink' || type === 'recovery' ? [auditEntry(user, 'user_recovery_requested')] : [];
}
