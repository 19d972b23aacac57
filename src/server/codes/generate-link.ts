import { randomBytes, randomUUID } from 'node:crypto';
import { storeLinkTokens } from '../../db/admin-users.js';
import type { Metadata, MetadataChange, UserRow } from '../../db/user-rows.js';
import { type AddressHolder, findAddressHolder, findAddressHolders, insertUser } from '../../db/users.js';
import { normaliseEmail } from '../accounts/addresses.js';
import { type Administrator, type AuditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertSignsInHere } from '../accounts/company-domains.js';
import { assertNewTokenFits, planMetadata } from '../accounts/metadata.js';
import { assertMayCreate } from '../accounts/new-user-hook.js';
import { assertPasswordAcceptable } from '../accounts/passwords.js';
import { viewUser } from '../accounts/user-view.js';
import { apiError } from '../errors.js';
import { linkTypeOf, stampsOf } from '../message-kinds.js';
import type { App, Client } from '../runtime/app.js';
import { assertLinkFits, auditOfLink, type LinkType, linkPlans, readLinkType } from './link-plan.js';
import { type Minted, mintOneTime } from './one-time.js';

interface LinkRequest {
  readonly type: string;
  readonly email: string;
  /** For an email change. */
  readonly newEmail: string;
  /** For a sign-up. */
  readonly password: string;
  readonly data: Metadata;
  readonly audience: string;
  /** An allowed target. */
  readonly redirectTo: string;
  /** The account that has to have the address; undefined: whichever has it, or a new one. */
  readonly userId?: string;
}

interface Attempt {
  readonly app: App;
  readonly request: LinkRequest;
  readonly type: LinkType;
  readonly email: string;
  readonly admin: Administrator;
}

/**
 * POST /admin/generate_link. Returns a code and a link instead of mailing them. No rate limit applies.
 * @returns the user object with action_link, email_otp, hashed_token, verification_type and redirect_to
 * @throws ApiError emailInvalid …, ssoRequired, linkTypeInvalid, linkUserNotFound, emailExists, passwordRequired, weakPassword,
 *   secureEmailChangeNeeded
 */
export async function generateLink(
  app: App,
  client: Client,
  admin: Administrator,
  request: LinkRequest,
): Promise<Record<string, unknown>> {
  const email = normaliseEmail(request.email);
  const requestedType = readLinkType(request.type);
  await assertSignsInHere(app, email);
  assertNewTokenFits(app.config, { audience: request.audience, email, phone: null, userMetadata: request.data });
  const holder = await findAddressHolder(app.db, 'email', email, request.audience);
  if (request.userId !== undefined && holder?.id !== request.userId) throw apiError('linkUserNotFound');
  // A magic link to an unknown address is a sign-up.
  const type = requestedType === 'magiclink' && holder === undefined ? 'signup' : requestedType;
  const attempt: Attempt = { app, request, type, email, admin };
  const newEmail = await checkHolder(attempt, holder);

  const plan = linkPlans[type];
  const minted = await mintOneTime(app, { ...plan, to: type === 'email_change_new' ? newEmail! : email });
  const { row, audit } =
    holder === undefined
      ? await insertAccount(attempt, client, requestedType, minted)
      : await issueToHolder(attempt, holder, minted, newEmail);
  logAudit(app, client.requestId, audit);

  const linkToken = minted.linkToken!;
  const { redirectTo } = request;
  return {
    ...viewUser(row),
    action_link: app.mail.linkOf({ kind: plan.mail, linkToken, linkType: linkTypeOf(plan.mail)!, redirectTo }),
    email_otp: minted.code,
    hashed_token: linkToken,
    verification_type: type,
    redirect_to: redirectTo,
  };
}

/** @returns the new address of an email change. @throws ApiError as {@link generateLink} */
async function checkHolder({ app, request, type }: Attempt, holder: AddressHolder | undefined): Promise<string | null> {
  assertLinkFits(type, holder);
  if (linkPlans[type].mail !== 'email_change') return null;
  if (type === 'email_change_current' && !app.config.mailerSecureEmailChangeEnabled) {
    throw apiError('secureEmailChangeNeeded');
  }
  const newEmail = normaliseEmail(request.newEmail);
  await assertSignsInHere(app, newEmail);
  if ((await findAddressHolders(app.db, holder!.id, newEmail, null)).email_taken) throw apiError('emailExists');
  return newEmail;
}

interface Issued {
  readonly row: UserRow;
  readonly audit: readonly AuditEntry[];
}

async function insertAccount(
  attempt: Attempt,
  client: Client,
  requestedType: LinkType,
  minted: Minted,
): Promise<Issued> {
  const { app, request, type, email } = attempt;
  const userId = randomUUID();
  const audit = auditOfLink(attempt, { id: userId, email, phone: null }, 'copy');
  const passwordHash =
    type === 'invite' ? null : await app.crypto.hashPassword(await initialPassword(app, requestedType, request));
  const appMetadata = { provider: 'email', providers: ['email'] };
  const planned = { id: userId, audience: request.audience, email, phone: null };
  await assertMayCreate(app, client, { ...planned, appMetadata, userMetadata: request.data });
  const row = await insertUser(app.db, {
    userId,
    audience: request.audience,
    role: app.config.jwtDefaultGroupName.trim(),
    email,
    phone: null,
    passwordHash,
    isConfirmed: false,
    appMetadata,
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
    operatorSet: type === 'invite' || requestedType === 'magiclink' ? ['email'] : ['email', 'password'],
  });
  // An account of another audience has the address, or a concurrent request took it.
  if (row === undefined) throw apiError('emailExists');
  return { row, audit };
}

/** For a magic link a random password (docs/decisions.md, Accounts without a password). */
async function initialPassword(
  app: App,
  requestedType: LinkType,
  { password, email, data }: LinkRequest,
): Promise<string> {
  if (requestedType === 'magiclink') return randomBytes(32).toString('base64url');
  if (password === '') throw apiError('passwordRequired');
  await assertPasswordAcceptable(app, password, { email, user_metadata: data });
  return password;
}

async function issueToHolder(
  attempt: Attempt,
  holder: AddressHolder,
  minted: Minted,
  newEmail: string | null,
): Promise<Issued> {
  const { app, request, type } = attempt;
  const audit = auditOfLink(attempt, holder, 'copy');
  const row = await storeLinkTokens(app.db, {
    userId: holder.id,
    tokens: [minted.stored],
    stamps: stampsOf(linkPlans[type].mail),
    userMetadata: type === 'signup' ? planUserMetadata(attempt, holder) : null,
    newEmail,
    audit: storedAudit(app, audit),
    isContested: type === 'signup' && (await isOtherPassword(app, request.password, holder.password_hash)),
  });
  if (row === undefined) throw apiError('linkUserNotFound');
  return { row, audit };
}

/** Claims that are not in the holder's row are taken from a new account. */
function planUserMetadata(
  { app, request }: Attempt,
  { id, email, phone, user_metadata }: AddressHolder,
): MetadataChange {
  const usual = { aud: request.audience, role: app.config.jwtDefaultGroupName, app_metadata: {} };
  const account = { ...usual, id, email, phone, user_metadata };
  return planMetadata(app.config, account, { user: request.data, app: null }).userMetadata!;
}

/** A sign-up link with a password contests an account that has another password. */
async function isOtherPassword(app: App, password: string, hash: string | null): Promise<boolean> {
  return password !== '' && !(await app.crypto.verifyPassword(password, hash)).matches;
}
