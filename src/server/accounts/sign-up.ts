import { randomUUID } from 'node:crypto';
import { appendAudit } from '../../db/audit.js';
import { deleteToken, storeTokens as issueOneTimeTokens } from '../../db/one-time-tokens.js';
import { confirmAndInsertSession } from '../../db/sessions.js';
import {
  type AddressHolder,
  findAddressHolder,
  insertUser,
  isAddressUnproven,
  type SignUpInput,
} from '../../db/users.js';
import { normalisePassword } from '../../workers/normalise-password.js';
import { writeDecoy } from '../codes/decoy.js';
import { NOTHING_TO_SEND } from '../codes/one-time.js';
import { readPkce } from '../codes/pkce.js';
import { assertMailable, assertMayMail, assertMayText, readSmsChannel } from '../codes/send-rules.js';
import { apiError } from '../errors.js';
import { stampsOf } from '../message-kinds.js';
import type { App, Client } from '../runtime/app.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens } from '../sessions/open.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import { assertSignsInHere } from './company-domains.js';
import { fabricateUser } from './fabricated-user.js';
import { assertNewTokenFits, withFixed } from './metadata.js';
import { assertMayCreate, type PlannedUser } from './new-user-hook.js';
import { assertPasswordAcceptable } from './passwords.js';
import { assertNoDelay, countWrongPassword, deriveFailureKey } from './sign-in-delay.js';
import { signUpAnonymously } from './sign-up-anonymous.js';
import {
  auditNewUser,
  prepareCodes,
  type SignUpAnswer,
  type SignUpAttempt,
  type SignUpRequest,
} from './sign-up-attempt.js';
import { requestProof } from './sign-up-other-audience.js';
import { viewUser } from './user-view.js';

/**
 * POST /signup. Unless autoconfirm is on, known and unknown addresses get equal answers, count for the same limits and
 * cost one hash.
 * @throws ApiError in the order of docs/decisions.md, Order of checks
 */
export async function signUp(app: App, client: Client, request: SignUpRequest): Promise<SignUpAnswer> {
  if (!request.email && !request.phone) return signUpAnonymously(app, client, request);
  const attempt = { app, client, request, ...(await assertMaySignUp(app, request)) };
  return app.crypto.withHashSlot((hashing) => signUpWithPassword({ ...attempt, hashing }));
}

async function signUpWithPassword(attempt: SignUpAttempt): Promise<SignUpAnswer> {
  const { app, hashing, request } = attempt;
  if (!attempt.isAutoconfirmed) await assertMaySend(attempt);

  const holder = await findAddressHolder(app.db, attempt.channel, attempt.address, request.audience);
  if (holder !== undefined) return answerKnownAddress(attempt, holder);

  const created = await createUser(attempt, await hashing.hashPassword(request.password));
  if (created !== undefined) return created;
  // A concurrent request took the address, or an account of another audience has it.
  const winner = await findAddressHolder(app.db, attempt.channel, attempt.address, request.audience);
  if (winner !== undefined) return answerKnownAddress(attempt, winner);
  const isUnproven = !attempt.isAutoconfirmed && (await isAddressUnproven(app.db, attempt.channel, attempt.address));
  return isUnproven ? requestProof(attempt) : answerDuplicate(attempt, null);
}

async function assertMaySignUp(
  app: App,
  request: SignUpRequest,
): Promise<Omit<SignUpAttempt, 'app' | 'hashing' | 'client' | 'request'>> {
  const { config } = app;
  if (config.disableSignup) throw apiError('signupDisabled');
  if (!request.password) throw apiError('passwordRequired');
  await assertPasswordAcceptable(app, request.password, { ...request, user_metadata: request.data });
  if (request.email && request.phone) throw apiError('oneContactOnSignup');
  const smsChannel = request.phone ? readSmsChannel(app, request.channel) : 'sms';
  if (request.phone && request.codeChallenge) throw apiError('pkceForPhone');
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, 'email/signup');
  if (request.email && !config.externalEmailEnabled) throw apiError('emailSignupDisabled');
  if (request.phone && !config.externalPhoneEnabled) throw apiError('phoneSignupDisabled');
  const email = request.email ? normaliseEmail(request.email) : null;
  if (email !== null) await assertSignsInHere(app, email);
  const phone = email === null ? normalisePhone(request.phone) : null;
  assertNewTokenFits(config, { audience: request.audience, email, phone, userMetadata: request.data });
  const shared = { smsChannel, pkce };
  return email !== null
    ? { ...shared, channel: 'email', address: email, isAutoconfirmed: config.mailerAutoconfirm }
    : { ...shared, channel: 'phone', address: phone!, isAutoconfirmed: config.smsAutoconfirm };
}

async function assertMaySend({ app, channel, address }: SignUpAttempt): Promise<void> {
  if (channel === 'phone') return assertMayText(app, address, 'confirmation');
  await assertMailable(app, address);
  return assertMayMail(app, 'confirmation', address);
}

/** @returns undefined when another account has the address */
async function createUser(attempt: SignUpAttempt, passwordHash: string): Promise<SignUpAnswer | undefined> {
  const { app, client, channel, address, request, isAutoconfirmed } = attempt;
  const userId = randomUUID();
  const contact = channel === 'email' ? { email: address } : {};
  const fixed = { sub: userId, ...contact, email_verified: false, phone_verified: false };
  const metadata = withFixed(request.data, fixed);
  const appMetadata = { provider: channel, providers: [channel] };
  const planned: PlannedUser = {
    id: userId,
    audience: request.audience,
    email: channel === 'email' ? address : null,
    phone: channel === 'phone' ? address : null,
    appMetadata,
    userMetadata: request.data,
  };
  await assertMayCreate(app, client, planned);
  const confirmation = isAutoconfirmed ? null : await prepareCodes(attempt, metadata, planned);
  const { tokens, mails, flow } = confirmation?.stored ?? NOTHING_TO_SEND;
  const audit = auditNewUser(attempt, userId);

  const newUser: SignUpInput = {
    userId,
    audience: request.audience,
    role: app.config.jwtDefaultGroupName.trim(),
    email: channel === 'email' ? address : null,
    phone: channel === 'phone' ? address : null,
    passwordHash,
    isConfirmed: isAutoconfirmed,
    appMetadata,
    userMetadata: isAutoconfirmed && channel === 'email' ? withFixed(metadata, { email_verified: true }) : metadata,
    isAnonymous: false,
    identityProvider: channel,
    identityData: channel === 'phone' ? withFixed(metadata, { phone: address }) : metadata,
    oneTimeTokens: tokens,
    sessionMethod: isAutoconfirmed ? 'password' : null,
    userAgent: client.userAgent,
    ip: client.ip,
    audit: storedAudit(app, audit),
    mails,
    flow,
    isInvited: false,
  };
  if (isAutoconfirmed) {
    const opened = await signInWithClaims(app, client, (db) => insertUser(db, newUser));
    if (opened === undefined) return undefined;
    logAudit(app, client.requestId, audit);
    return issueTokens(app, opened);
  }
  const row = await insertUser(app.db, newUser);
  if (row === undefined) return undefined;
  logAudit(app, client.requestId, audit);
  confirmation?.send((token) => deleteToken(app.db, userId, token));
  return viewUser(row);
}

/** Answers for an address that has an account. Each branch costs one hash, as a new account does. */
async function answerKnownAddress(attempt: SignUpAttempt, holder: AddressHolder): Promise<SignUpAnswer> {
  const { hashing, request } = attempt;
  if (!holder.is_confirmed && attempt.isAutoconfirmed) return confirmWithPassword(attempt, holder);
  if (!holder.is_confirmed) return repeatConfirmation(attempt, holder, !(await hasSamePassword(attempt, holder)));
  await hashing.hashPassword(request.password);
  return answerDuplicate(attempt, holder);
}

/**
 * Imported hashes of other kinds are not compared: the first proof keeps them in any case, and comparing may take ten
 * times as long. Nor are two forms of the password tried: a new account costs one hash.
 */
async function hasSamePassword(
  { hashing, request }: SignUpAttempt,
  { password_hash: hash }: AddressHolder,
): Promise<boolean> {
  const password = normalisePassword(request.password);
  if (hash?.startsWith('$argon2id$')) return (await hashing.verifyPassword(password, hash)).matches;
  await hashing.hashPassword(request.password);
  return false;
}

/**
 * An account from before autoconfirm was on, or from an invitation. It requires the password of the account: otherwise
 * anyone who knows the address could take over an account with rights from an administrator.
 */
async function confirmWithPassword(attempt: SignUpAttempt, holder: AddressHolder): Promise<SignUpAnswer> {
  const { app, hashing, client, channel, address, request } = attempt;
  // Here, too, passwords can be guessed: they count like those of sign-ins.
  const failureKey = deriveFailureKey(app, channel, address);
  await assertNoDelay(app, failureKey);
  const check = await hashing.verifyPassword(request.password, holder.password_hash);
  await (check.matches ? assertNoDelay(app, failureKey) : countWrongPassword(app, failureKey));
  if (!check.matches || holder.is_banned) return answerDuplicate(attempt, holder);
  const audit = [
    auditEntry(holder, 'user_signedup', { provider: channel }),
    auditEntry(holder, 'login', { provider: channel }),
  ];
  const opened = await signInWithClaims(app, client, (db) =>
    confirmAndInsertSession(db, {
      userId: holder.id,
      checkedHash: holder.password_hash,
      channel,
      userAgent: client.userAgent,
      ip: client.ip,
      audit: storedAudit(app, audit),
    }),
  );
  if (opened === undefined) return answerDuplicate(attempt, holder);
  logAudit(app, client.requestId, audit);
  return issueTokens(app, opened);
}

/**
 * A repeated sign-up before confirmation: new codes replace the old ones; password and metadata stay.
 * @param isContested the passwords differ: the confirmation will remove both (first-proof.ts)
 */
async function repeatConfirmation(
  attempt: SignUpAttempt,
  holder: AddressHolder,
  isContested: boolean,
): Promise<SignUpAnswer> {
  const { app, client, channel } = attempt;
  const confirmation = await prepareCodes(attempt, holder.user_metadata, holder.id);
  const audit = [auditEntry(holder, 'user_confirmation_requested', { provider: channel })];
  const issue = { userId: holder.id, ...confirmation.stored, stamps: stampsOf('confirmation'), isContested };
  const row = await issueOneTimeTokens(app.db, { ...issue, audit: storedAudit(app, audit) });
  if (row === undefined) return answerDuplicate(attempt, null);
  logAudit(app, client.requestId, audit);
  confirmation.send((token) => deleteToken(app.db, holder.id, token));
  const view = viewUser(row);
  return row.invited_at === null ? view : { ...view, user_metadata: {}, identities: [] };
}

/** With autoconfirm an error, otherwise a fabricated user (docs/decisions.md, Duplicate sign-ups). */
async function answerDuplicate(attempt: SignUpAttempt, holder: AddressHolder | null): Promise<SignUpAnswer> {
  const { app, client, channel, address, request } = attempt;
  if (holder !== null) {
    const audit = [auditEntry(holder, 'user_repeated_signup', { provider: channel })];
    await appendAudit(app.db, storedAudit(app, audit));
    logAudit(app, client.requestId, audit);
  }
  if (app.config.mailerAutoconfirm || app.config.smsAutoconfirm) {
    throw apiError(channel === 'email' ? 'emailAlreadyRegistered' : 'phoneAlreadyRegistered');
  }
  // As for a new account, whose codes and rows take some 4 ms.
  const { stored } = await prepareCodes(attempt, request.data, null);
  await writeDecoy(app, request.audience, stored, {
    mail: channel === 'email' ? 'confirmation' : null,
    recipient: address,
  });
  return fabricateUser(channel, address, request.audience, request.data);
}
