import { randomUUID } from 'node:crypto';
import { appendAudit } from '../../db/audit.js';
import { confirmAndInsertSession } from '../../db/sessions.js';
import {
  type AddressHolder,
  type Channel,
  findAddressHolder,
  insertUser,
  type Metadata,
  readConfirmationWait,
  renewConfirmation,
  type SignedInRow,
  type UserRow,
} from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { type Actor, auditEntry, logAudit, storedAudit } from './audit.js';
import { assertMetadataSize, withFixed } from './metadata.js';
import { type MintedToken, mintOneTimeToken } from './one-time.js';
import { assertPasswordAcceptable } from './passwords.js';
import { assertPkceParameters } from './pkce.js';
import { issueTokens, type TokenResponse } from './sessions.js';
import { viewUser } from './user-view.js';

export interface SignUpRequest {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly data: Metadata;
  /** How a phone is reached: sms or whatsapp. */
  readonly channel: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly audience: string;
  readonly redirectTo: string | null;
}

/** Tokens where the address counts as confirmed at once, else the user object. */
export type SignUpAnswer = TokenResponse | Record<string, unknown>;

/** Everything one sign-up carries along; made once the request has passed the rules. */
interface Attempt {
  readonly app: App;
  readonly client: Client;
  readonly channel: Channel;
  readonly address: string;
  readonly request: SignUpRequest;
}

/**
 * POST /signup (service.md; reference/core.md 3, 2.6, 11). Known and unknown addresses are answered alike unless
 * autoconfirm is on, and both cost one hash.
 * @throws Refusal as reference/core.md 3.2, in that order
 */
export async function signUp(app: App, client: Client, request: SignUpRequest): Promise<SignUpAnswer> {
  if (!request.email && !request.phone) return signUpAnonymously(app, client, request);
  const attempt = { app, client, request, ...assertMaySignUp(app, request) };

  app.crypto.assertRoom();
  const holder = await findAddressHolder(app.db, attempt.channel, attempt.address, request.audience);
  if (holder !== undefined) return answerKnownAddress(attempt, holder);

  const created = await createUser(attempt, await app.crypto.hashPassword(request.password));
  if (created !== undefined) return created;
  // Somebody took the address since the look-up, or holds it in another audience.
  const winner = await findAddressHolder(app.db, attempt.channel, attempt.address, request.audience);
  return winner === undefined ? answerDuplicate(attempt, null) : answerKnownAddress(attempt, winner);
}

function assertMaySignUp(app: App, request: SignUpRequest): { channel: Channel; address: string } {
  const { config } = app;
  if (config.disableSignup) throw refuse('signupDisabled');
  if (!request.password) throw refuse('passwordRequired');
  assertPasswordAcceptable(request.password, config);
  if (request.email && request.phone) throw refuse('oneContactOnSignup');
  if (request.phone) assertPhoneChannel(app, request);
  assertPkceParameters(request.codeChallenge, request.codeChallengeMethod);
  if (request.email && !config.externalEmailEnabled) throw refuse('emailSignupDisabled');
  if (request.phone && !config.externalPhoneEnabled) throw refuse('phoneSignupDisabled');
  assertMetadataSize(request.data, 'data');
  return request.email
    ? { channel: 'email', address: normaliseEmail(request.email) }
    : { channel: 'phone', address: normalisePhone(request.phone) };
}

function assertPhoneChannel(app: App, request: SignUpRequest): void {
  const isWhatsapp = request.channel === 'whatsapp';
  if (request.channel !== 'sms' && !(isWhatsapp && app.config.smsProvider === 'twilio')) throw refuse('invalidChannel');
  if (request.codeChallenge) throw refuse('pkceForPhone');
}

const isAutoconfirmed = ({ app, channel }: Attempt): boolean =>
  channel === 'email' ? app.config.mailerAutoconfirm : app.config.smsAutoconfirm;

/** @returns undefined when the address was taken meanwhile */
async function createUser(attempt: Attempt, passwordHash: string): Promise<SignUpAnswer | undefined> {
  const { app, client, channel, address, request } = attempt;
  const userId = randomUUID();
  const isConfirmed = isAutoconfirmed(attempt);
  const minted = isConfirmed ? null : await mintConfirmation(attempt);
  // The four fixed members cannot be overridden by the request (reference/core.md 2.4).
  const identityData = withFixed(request.data, {
    sub: userId,
    ...(channel === 'email' ? { email: address } : {}),
    email_verified: false,
    phone_verified: false,
  });
  const actor = actorOf(attempt, userId);
  const audit = isConfirmed
    ? [
        auditEntry(
          actor,
          'user_signedup',
          channel === 'email' ? { provider: channel } : { provider: channel, channel: request.channel },
        ),
        auditEntry(actor, 'login', { provider: channel }),
      ]
    : [auditEntry(actor, 'user_confirmation_requested', { provider: channel })];

  const row = await insertUser(app.db, {
    userId,
    audience: request.audience,
    role: app.config.jwtDefaultGroupName.trim(),
    email: channel === 'email' ? address : null,
    phone: channel === 'phone' ? address : null,
    passwordHash,
    isConfirmed,
    appMetadata: { provider: channel, providers: [channel] },
    userMetadata: isConfirmed && channel === 'email' ? withFixed(identityData, { email_verified: true }) : identityData,
    isAnonymous: false,
    identityProvider: channel,
    identityData: channel === 'phone' ? withFixed(identityData, { phone: address }) : identityData,
    oneTimeTokens: minted === null ? [] : [minted.stored],
    sessionMethod: isConfirmed ? 'password' : null,
    userAgent: client.userAgent,
    ip: client.ip,
    audit: storedAudit(app, audit),
  });
  if (row === undefined) return undefined;
  logAudit(app, client.requestId, audit);
  if (minted !== null) await deliverConfirmation(attempt, userId, minted);
  return isConfirmed ? issueTokens(app, row as SignedInRow) : viewUser(row);
}

/** An address somebody holds already (reference/core.md 2.6). Each branch spends one hash, as a new account does. */
async function answerKnownAddress(attempt: Attempt, holder: AddressHolder): Promise<SignUpAnswer> {
  const { app, request } = attempt;
  if (!holder.is_confirmed && isAutoconfirmed(attempt)) return confirmWithPassword(attempt, holder);
  await app.crypto.hashPassword(request.password);
  return holder.is_confirmed ? answerDuplicate(attempt, holder) : repeatConfirmation(attempt, holder);
}

/**
 * An account made before autoconfirm was turned on, or by an invitation. Its own password opens it; without that,
 * whoever knows the address would walk into an account an operator may have given rights to.
 */
async function confirmWithPassword(attempt: Attempt, holder: AddressHolder): Promise<SignUpAnswer> {
  const { app, client, channel, request } = attempt;
  const check = await app.crypto.verifyPassword(request.password, holder.password_hash);
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

async function repeatConfirmation(attempt: Attempt, holder: AddressHolder): Promise<SignUpAnswer> {
  const { app, client, channel } = attempt;
  const minted = await mintConfirmation(attempt);
  const intervalSeconds = confirmationInterval(app, channel);
  const audit = [auditEntry(holder, 'user_confirmation_requested', { provider: channel })];
  const row = await renewConfirmation(app.db, holder.id, intervalSeconds, [minted.stored], storedAudit(app, audit));
  if (row === undefined) {
    const seconds = await readConfirmationWait(app.db, holder.id, intervalSeconds);
    const options = { retryAfterSeconds: Math.max(1, seconds) };
    throw refuse(channel === 'email' ? 'tooSoonForEmail' : 'tooSoonForSms', { seconds }, options);
  }
  logAudit(app, client.requestId, audit);
  await deliverConfirmation(attempt, holder.id, minted);
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
  const now = new Date().toISOString();
  const fabricated: UserRow = {
    ...emptyUser,
    id: randomUUID(),
    aud: request.audience,
    email: channel === 'email' ? address : null,
    phone: channel === 'phone' ? address : null,
    confirmation_sent_at: now,
    app_metadata: { provider: channel, providers: [channel] },
    user_metadata: request.data,
    created_at: now,
    updated_at: now,
  };
  return viewUser(fabricated);
}

/** POST /signup without an address (reference/core.md 11). */
async function signUpAnonymously(app: App, client: Client, request: SignUpRequest): Promise<TokenResponse> {
  if (!app.config.externalAnonymousUsersEnabled) throw refuse('anonymousDisabled');
  if (app.config.disableSignup) throw refuse('signupDisabled');
  assertMetadataSize(request.data, 'data');
  const row = await insertUser(app.db, {
    userId: randomUUID(),
    audience: request.audience,
    role: app.config.jwtDefaultGroupName.trim(),
    email: null,
    phone: null,
    passwordHash: null,
    isConfirmed: false,
    appMetadata: {},
    userMetadata: request.data,
    isAnonymous: true,
    identityProvider: null,
    identityData: {},
    oneTimeTokens: [],
    sessionMethod: 'anonymous',
    userAgent: client.userAgent,
    ip: client.ip,
    audit: [],
  });
  return issueTokens(app, row as SignedInRow);
}

const mintConfirmation = ({ app, channel, address, request }: Attempt): Promise<MintedToken> =>
  mintOneTimeToken(app, 'confirmation', { channel, address }, request.redirectTo);

const deliverConfirmation = ({ app, channel, address }: Attempt, userId: string, minted: MintedToken): Promise<void> =>
  app.courier.deliver({
    channel,
    purpose: 'confirmation',
    recipient: address,
    userId,
    code: minted.code,
    linkToken: minted.linkToken,
  });

/** Least seconds between two confirmations to one person (decisions.md 12). */
export function confirmationInterval(app: Pick<App, 'config'>, channel: Channel): number {
  return channel === 'email' ? (app.config.smtpMaxFrequencySeconds ?? 900) : app.config.smsMaxFrequencySeconds;
}

const actorOf = ({ channel, address }: Attempt, id: string): Actor => ({
  id,
  email: channel === 'email' ? address : null,
  phone: channel === 'phone' ? address : null,
});

/** Nothing of a real account may shine through the made-up one, so it is built from scratch. */
const emptyUser: UserRow = {
  id: '',
  aud: '',
  role: '',
  email: null,
  email_confirmed_at: null,
  invited_at: null,
  phone: null,
  phone_confirmed_at: null,
  confirmation_sent_at: null,
  confirmed_at: null,
  recovery_sent_at: null,
  new_email: null,
  email_change_sent_at: null,
  new_phone: null,
  phone_change_sent_at: null,
  reauthentication_sent_at: null,
  last_sign_in_at: null,
  app_metadata: {},
  user_metadata: {},
  created_at: '',
  updated_at: '',
  banned_until: null,
  deleted_at: null,
  is_anonymous: false,
  is_sso_user: false,
  identities: [],
};
