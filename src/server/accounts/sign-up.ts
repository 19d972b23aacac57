import { randomUUID } from 'node:crypto';
import { appendAudit } from '../../db/audit.js';
import { issueTokens as issueOneTimeTokens, withdrawToken } from '../../db/one-time-tokens.js';
import { confirmAndInsertSession } from '../../db/sessions.js';
import { type AddressHolder, findAddressHolder, insertUser, isHeldUnproven, type SignedInRow } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import { writeDecoy } from './decoy.js';
import { fabricateUser } from './fabricated-user.js';
import { assertNewTokenFits, withFixed } from './metadata.js';
import { NOTHING_TO_SEND } from './one-time.js';
import { assertPasswordAcceptable } from './passwords.js';
import { readPkce } from './pkce.js';
import { assertAuthorizedAddress, assertMayMail, assertMayText, readSmsChannel } from './send-rules.js';
import { issueTokens } from './sessions.js';
import { assertNoDelay, countWrongPassword, signInFailureKey } from './sign-in-delay.js';
import { signUpAnonymously } from './sign-up-anonymous.js';
import { type Attempt, newUserAudit, prepareCodes, type SignUpAnswer, type SignUpRequest } from './sign-up-attempt.js';
import { askForProof } from './sign-up-elsewhere.js';
import { viewUser } from './user-view.js';

/**
 * POST /signup (service.md; reference/core.md 3, 2.6, 11). Known and unknown addresses are answered alike unless
 * autoconfirm is on: both are counted by the same limits, and both cost one hash.
 * @throws Refusal as reference/core.md 3.2, in that order
 */
export async function signUp(app: App, client: Client, request: SignUpRequest): Promise<SignUpAnswer> {
  if (!request.email && !request.phone) return signUpAnonymously(app, client, request);
  const asked = { app, client, request, ...assertMaySignUp(app, request) };
  return app.crypto.withHashPlace((hashing) => signUpWithPassword({ ...asked, hashing }));
}

async function signUpWithPassword(attempt: Attempt): Promise<SignUpAnswer> {
  const { app, hashing, request } = attempt;
  if (!attempt.isAutoconfirmed) await assertMaySend(attempt);

  const holder = await findAddressHolder(app.db, attempt.channel, attempt.address, request.audience);
  if (holder !== undefined) return answerKnownAddress(attempt, holder);

  const created = await createUser(attempt, await hashing.hashPassword(request.password));
  if (created !== undefined) return created;
  // Another request took the address since the look-up, or an account of another audience has it.
  const winner = await findAddressHolder(app.db, attempt.channel, attempt.address, request.audience);
  if (winner !== undefined) return answerKnownAddress(attempt, winner);
  const isUnproven = !attempt.isAutoconfirmed && (await isHeldUnproven(app.db, attempt.channel, attempt.address));
  return isUnproven ? askForProof(attempt) : answerDuplicate(attempt, null);
}

function assertMaySignUp(app: App, request: SignUpRequest): Omit<Attempt, 'app' | 'hashing' | 'client' | 'request'> {
  const { config } = app;
  if (config.disableSignup) throw refuse('signupDisabled');
  if (!request.password) throw refuse('passwordRequired');
  assertPasswordAcceptable(request.password, config);
  if (request.email && request.phone) throw refuse('oneContactOnSignup');
  const smsChannel = request.phone ? readSmsChannel(app, request.channel) : 'sms';
  if (request.phone && request.codeChallenge) throw refuse('pkceForPhone');
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, 'email/signup');
  if (request.email && !config.externalEmailEnabled) throw refuse('emailSignupDisabled');
  if (request.phone && !config.externalPhoneEnabled) throw refuse('phoneSignupDisabled');
  const email = request.email ? normaliseEmail(request.email) : null;
  const phone = email === null ? normalisePhone(request.phone) : null;
  assertNewTokenFits(config, { audience: request.audience, email, phone, userMetadata: request.data });
  const shared = { smsChannel, pkce };
  return email !== null
    ? { ...shared, channel: 'email', address: email, isAutoconfirmed: config.mailerAutoconfirm }
    : { ...shared, channel: 'phone', address: phone!, isAutoconfirmed: config.smsAutoconfirm };
}

async function assertMaySend({ app, channel, address }: Attempt): Promise<void> {
  if (channel === 'phone') return assertMayText(app, address, 'confirmation');
  assertAuthorizedAddress(app, address);
  return assertMayMail(app, 'confirmation', address);
}

/** @returns undefined when the address was taken meanwhile */
async function createUser(attempt: Attempt, passwordHash: string): Promise<SignUpAnswer | undefined> {
  const { app, client, channel, address, request, isAutoconfirmed } = attempt;
  const userId = randomUUID();
  // The four fixed members cannot be overridden by the request (reference/core.md 2.4).
  const contact = channel === 'email' ? { email: address } : {};
  const fixed = { sub: userId, ...contact, email_verified: false, phone_verified: false };
  const metadata = withFixed(request.data, fixed);
  const confirmation = isAutoconfirmed ? null : await prepareCodes(attempt, metadata);
  const { tokens, mails, flow } = confirmation?.stored ?? NOTHING_TO_SEND;
  const audit = newUserAudit(attempt, userId);

  const row = await insertUser(app.db, {
    userId,
    audience: request.audience,
    role: app.config.jwtDefaultGroupName.trim(),
    email: channel === 'email' ? address : null,
    phone: channel === 'phone' ? address : null,
    passwordHash,
    isConfirmed: isAutoconfirmed,
    appMetadata: { provider: channel, providers: [channel] },
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
  });
  if (row === undefined) return undefined;
  logAudit(app, client.requestId, audit);
  confirmation?.send((token) => withdrawToken(app.db, userId, token));
  return isAutoconfirmed ? issueTokens(app, row as SignedInRow) : viewUser(row);
}

/** An address that has an account already. Each branch spends one hash, as a new account does. */
async function answerKnownAddress(attempt: Attempt, holder: AddressHolder): Promise<SignUpAnswer> {
  const { hashing, request } = attempt;
  if (!holder.is_confirmed && attempt.isAutoconfirmed) return confirmWithPassword(attempt, holder);
  if (!holder.is_confirmed) return repeatConfirmation(attempt, holder, !(await hasSamePassword(attempt, holder)));
  await hashing.hashPassword(request.password);
  return answerDuplicate(attempt, holder);
}

/**
 * A hash of another kind than ours was imported. It is not compared: the first proof keeps it whatever this password is,
 * and comparing may take ten times as long.
 */
async function hasSamePassword(
  { hashing, request }: Attempt,
  { password_hash: hash }: AddressHolder,
): Promise<boolean> {
  if (hash?.startsWith('$argon2id$')) return (await hashing.verifyPassword(request.password, hash)).matches;
  await hashing.hashPassword(request.password);
  return false;
}

/**
 * An account made before autoconfirm was turned on, or by an invitation. Its own password opens it; without that,
 * whoever knows the address would walk into an account an operator may have given rights to.
 */
async function confirmWithPassword(attempt: Attempt, holder: AddressHolder): Promise<SignUpAnswer> {
  const { app, hashing, client, channel, address, request } = attempt;
  // Here, too, passwords can be guessed: they count like those of sign-ins.
  const failureKey = signInFailureKey(app, channel, address);
  await assertNoDelay(app, failureKey);
  const check = await hashing.verifyPassword(request.password, holder.password_hash);
  await (check.matches ? assertNoDelay(app, failureKey) : countWrongPassword(app, failureKey));
  if (!check.matches || holder.is_banned) return answerDuplicate(attempt, holder);
  const audit = [
    auditEntry(holder, 'user_signedup', { provider: channel }),
    auditEntry(holder, 'login', { provider: channel }),
  ];
  const row = await confirmAndInsertSession(app.db, {
    userId: holder.id,
    checkedHash: holder.password_hash,
    channel,
    userAgent: client.userAgent,
    ip: client.ip,
    audit: storedAudit(app, audit),
  });
  if (row === undefined) return answerDuplicate(attempt, holder);
  logAudit(app, client.requestId, audit);
  return issueTokens(app, row);
}

/**
 * Signing up again before the address was confirmed: new codes end the old ones, password and metadata stay.
 * @param isContested the password is another one: the confirmation will keep neither (first-proof.ts)
 */
async function repeatConfirmation(
  attempt: Attempt,
  holder: AddressHolder,
  isContested: boolean,
): Promise<SignUpAnswer> {
  const { app, client, channel } = attempt;
  const confirmation = await prepareCodes(attempt, holder.user_metadata);
  const audit = [auditEntry(holder, 'user_confirmation_requested', { provider: channel })];
  const issue = { userId: holder.id, ...confirmation.stored, stamp: 'confirmation', isContested } as const;
  const row = await issueOneTimeTokens(app.db, { ...issue, audit: storedAudit(app, audit) });
  if (row === undefined) return answerDuplicate(attempt, null);
  logAudit(app, client.requestId, audit);
  confirmation.send((token) => withdrawToken(app.db, holder.id, token));
  const view = viewUser(row);
  return row.invited_at === null ? view : { ...view, user_metadata: {}, identities: [] };
}

/** decisions.md 11: with autoconfirm the duplicate is named, otherwise a made-up user hides it. */
async function answerDuplicate(attempt: Attempt, holder: AddressHolder | null): Promise<SignUpAnswer> {
  const { app, client, channel, address, request } = attempt;
  if (holder !== null) {
    const audit = [auditEntry(holder, 'user_repeated_signup', { provider: channel })];
    await appendAudit(app.db, storedAudit(app, audit));
    logAudit(app, client.requestId, audit);
  }
  if (app.config.mailerAutoconfirm || app.config.smsAutoconfirm) {
    throw refuse(channel === 'email' ? 'emailAlreadyRegistered' : 'phoneAlreadyRegistered');
  }
  // A new account's codes and rows cost some 4 ms.
  await writeDecoy(app, request.audience, (await prepareCodes(attempt, request.data)).stored);
  return fabricateUser(channel, address, request.audience, request.data);
}
