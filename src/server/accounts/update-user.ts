import {
  type AddressHolders,
  type Channel,
  findAddressHolders,
  type Metadata,
  readPasswordHash,
  type UserChanges,
  type UserRow,
  updateUser,
} from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import type { UserCaller } from './caller.js';
import { splitPatch } from './metadata.js';
import { type MintedToken, mintOneTimeToken } from './one-time.js';
import { assertPasswordAcceptable } from './passwords.js';
import { viewUser } from './user-view.js';

/** What PUT /user may carry; null means not given. */
export interface UserUpdate {
  readonly email: string | null;
  readonly phone: string | null;
  readonly password: string | null;
  readonly nonce: string | null;
  readonly data: Metadata | null;
  readonly appMetadata: Metadata | null;
  readonly redirectTo: string | null;
}

/** How a changed address is treated: at once, or after its code came back. */
interface AddressChange {
  readonly address: string;
  readonly isImmediate: boolean;
}

/**
 * PUT /user: one statement changes everything the request asks for, or nothing.
 * @returns the user object
 * @throws Refusal as reference/core.md 7.3, in that order
 */
export async function changeUser(
  app: App,
  client: Client,
  caller: UserCaller,
  update: UserUpdate,
): Promise<Record<string, unknown>> {
  const { user } = caller;
  const email = plan(update.email && normaliseEmail(update.email), user.email, isEmailImmediate(app, caller));
  const phone = plan(update.phone && normalisePhone(update.phone), user.phone, app.config.smsAutoconfirm);
  if (update.password !== null) assertPasswordAcceptable(update.password, app.config);
  assertMayChange(app, caller, update, { email, phone });

  const userMetadata = update.data && splitPatch(update.data, user.user_metadata, 'data');
  const appMetadata = update.appMetadata && splitPatch(update.appMetadata, user.app_metadata, 'app_metadata');
  if (email !== null || phone !== null) await assertAddressesFree(app, caller, update, { email, phone });
  const passwordHash =
    update.password === null ? null : await hashNewPassword(app, caller, update.password, update.nonce);

  const minted = await mintForPending(app, caller, update, { email, phone });
  const immediateEmail = email?.isImmediate ? email.address : null;
  const immediatePhone = phone?.isImmediate ? phone.address : null;
  const audit = [
    ...(passwordHash === null ? [] : [auditEntry(user, 'user_updated_password')]),
    auditEntry(user, 'user_modified'),
  ];
  const row = await applyChanges(app, user.id, {
    passwordHash,
    keepSessionId: caller.sessionId,
    userMetadata: immediateEmail === null ? userMetadata : withVerifiedEmail(userMetadata, immediateEmail),
    appMetadata,
    email: immediateEmail,
    phone: immediatePhone,
    pendingEmail: email !== null && !email.isImmediate ? email.address : null,
    pendingPhone: phone !== null && !phone.isImmediate ? phone.address : null,
    oneTimeTokens: minted.map(({ token }) => token.stored),
    identities: contactIdentities(user.id, immediateEmail, immediatePhone),
    audit: storedAudit(app, audit),
  });
  if (row === undefined) throw refuse('subjectNotFound');
  logAudit(app, client.requestId, audit);
  for (const { token, channel } of minted) {
    await app.courier.deliver({
      channel,
      purpose: token.stored.kind,
      recipient: token.stored.recipient,
      userId: user.id,
      code: token.code,
      linkToken: token.linkToken,
    });
  }
  return viewUser(row);
}

/** Two accounts may reach for one address at once: the unique index decides, and the loser hears it kindly. */
async function applyChanges(app: App, userId: string, changes: UserChanges): Promise<UserRow | undefined> {
  try {
    return await updateUser(app.db, userId, changes);
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code !== '23505') throw error;
    throw refuse(constraint?.endsWith('users_phone_key') ? 'phoneExists' : 'emailExists');
  }
}

type Changes = { email: AddressChange | null; phone: AddressChange | null };

const plan = (address: string | null, current: string | null, isImmediate: boolean): AddressChange | null =>
  address && address !== current ? { address, isImmediate } : null;

/** Autoconfirm makes an anonymous user's first address count at once; everybody else confirms (reference/core.md 7.4). */
const isEmailImmediate = (app: App, { user }: UserCaller): boolean => user.is_anonymous && app.config.mailerAutoconfirm;

function assertMayChange(app: App, { user }: UserCaller, update: UserUpdate, { email, phone }: Changes): void {
  const { config } = app;
  const isAdmin = user.aud === config.jwtAudience && user.role === config.jwtAdminGroupName;
  if (update.appMetadata !== null && !isAdmin) throw refuse('appMetadataNotAdmin');
  if (user.is_anonymous && update.password !== null && email === null && phone === null)
    throw refuse('anonymousPassword');
  const touchesCredentials = update.password !== null || update.nonce !== null || email !== null || phone !== null;
  if (user.is_sso_user && touchesCredentials) throw refuse('ssoUserManaged');
}

async function assertAddressesFree(
  app: App,
  { user }: UserCaller,
  update: UserUpdate,
  changes: Changes,
): Promise<void> {
  const { email, phone } = changes;
  const holders = await findAddressHolders(app.db, user.id, email?.address ?? null, phone?.address ?? null);
  if (holders.email_taken) throw refuse('emailExists');
  if (holders.phone_taken) throw refuse('phoneExists');
  // A new password ends the codes that are out, and with them the wait for the next ones.
  if (update.password === null) assertIntervals(app, holders, changes);
}

function assertIntervals(app: App, holders: AddressHolders, { email, phone }: Changes): void {
  const { smtpMaxFrequencySeconds, smsMaxFrequencySeconds } = app.config;
  const wait = (interval: number, age: number | null) => (age === null ? 0 : interval - age);
  if (email !== null && !email.isImmediate) {
    const seconds = wait(smtpMaxFrequencySeconds ?? 60, holders.email_change_age_seconds);
    if (seconds > 0) throw refuse('tooSoonForEmail', { seconds }, { retryAfterSeconds: seconds });
  }
  if (phone !== null && !phone.isImmediate) {
    const seconds = wait(smsMaxFrequencySeconds, holders.phone_change_age_seconds);
    if (seconds > 0) throw refuse('tooSoonForSms', { seconds }, { retryAfterSeconds: seconds });
  }
}

/** @throws Refusal reauthenticationNeeded, reauthenticationNotValid, samePassword */
async function hashNewPassword(
  app: App,
  { user }: UserCaller,
  password: string,
  nonce: string | null,
): Promise<string> {
  if (app.config.updatePasswordRequireReauthentication) {
    throw refuse(nonce ? 'reauthenticationNotValid' : 'reauthenticationNeeded');
  }
  app.crypto.assertRoom();
  const current = await readPasswordHash(app.db, user.id);
  if (current !== null && (await app.crypto.verifyPassword(password, current)).matches) throw refuse('samePassword');
  return app.crypto.hashPassword(password);
}

async function mintForPending(
  app: App,
  { user }: UserCaller,
  update: UserUpdate,
  { email, phone }: Changes,
): Promise<{ token: MintedToken; channel: Channel }[]> {
  const minted: { token: MintedToken; channel: Channel }[] = [];
  const mint = async (kind: Parameters<typeof mintOneTimeToken>[1], channel: Channel, address: string) => {
    minted.push({ channel, token: await mintOneTimeToken(app, kind, { channel, address }, update.redirectTo) });
  };
  if (email !== null && !email.isImmediate) {
    // With the secure change both sides agree: the address that is left, and the one that comes.
    if (user.email && app.config.mailerSecureEmailChangeEnabled)
      await mint('email_change_current', 'email', user.email);
    await mint('email_change_new', 'email', email.address);
  }
  if (phone !== null && !phone.isImmediate) await mint('phone_change', 'phone', phone.address);
  return minted;
}

const withVerifiedEmail = (change: { set: Metadata; drop: readonly string[] } | null, email: string) => ({
  set: { ...change?.set, email, email_verified: true },
  drop: change?.drop ?? [],
});

function contactIdentities(sub: string, email: string | null, phone: string | null): UserChanges['identities'] {
  const identities: { provider: Channel; identity_data: Metadata }[] = [];
  if (email !== null) {
    identities.push({ provider: 'email', identity_data: { sub, email, email_verified: true, phone_verified: false } });
  }
  if (phone !== null) {
    identities.push({ provider: 'phone', identity_data: { sub, phone, phone_verified: true, email_verified: false } });
  }
  return identities;
}
