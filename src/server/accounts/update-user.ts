import { endFlows } from '../../db/account-locks.js';
import { type FoundToken, withdrawToken } from '../../db/one-time-tokens.js';
import {
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
import { assertSessionWasAlive, changeAccess } from './access-change.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import { hasAdminRole, type UserCaller } from './caller.js';
import { emailChangePlans } from './email-change.js';
import { planMetadata } from './metadata.js';
import { NOTHING_TO_SEND, type PreparedMails, prepareMails, preparePhoneCode } from './one-time.js';
import { assertPasswordAcceptable } from './passwords.js';
import { type PkceRequest, readPkce } from './pkce.js';
import { checkNonce, spendNonce } from './reauthenticate.js';
import { assertAuthorizedAddress, assertMayMail, assertMayText, readSmsChannel, textCode } from './send-rules.js';
import { viewUser } from './user-view.js';

/** What PUT /user may carry; null means not given. */
export interface UserUpdate {
  readonly email: string | null;
  readonly phone: string | null;
  readonly password: string | null;
  readonly nonce: string | null;
  readonly data: Metadata | null;
  readonly appMetadata: Metadata | null;
  readonly channel: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly redirectTo: string;
}

/** The addresses a request changes; null: it does not. */
interface AddressChanges {
  readonly email: AddressChange | null;
  readonly phone: AddressChange | null;
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
  const changes = planAddresses(app, caller, update);
  const smsChannel = readSmsChannel(app, update.channel);
  const pkce = readPkce(update.codeChallenge, update.codeChallengeMethod, 'email_change');
  const changesAccess = update.password !== null || changes.email !== null || changes.phone !== null;
  if (changesAccess) assertSessionWasAlive(caller);
  if (update.password !== null) assertPasswordAcceptable(update.password, app.config);
  assertMayChange(app, caller, update, changes);

  const patches = { user: update.data, app: update.appMetadata };
  const { userMetadata, appMetadata } = planMetadata(app.config, user, patches);
  await assertAddressesFree(app, caller, changes);
  const { passwordHash, nonce } =
    update.password === null
      ? { passwordHash: null, nonce: null }
      : await hashNewPassword(app, caller, update.password, update.nonce);

  const mails = await prepareEmailChange(app, caller, changes, pkce, update.redirectTo);
  const text = await preparePhoneChange(app, changes);
  const immediateEmail = immediate(changes.email);
  const immediatePhone = immediate(changes.phone);
  const audit = [
    ...(passwordHash === null ? [] : [auditEntry(user, 'user_updated_password')]),
    auditEntry(user, 'user_modified'),
  ];
  const planned: UserChanges = {
    passwordHash,
    keepSessionId: caller.sessionId,
    userMetadata: immediateEmail === null ? userMetadata : withVerifiedEmail(userMetadata, immediateEmail),
    appMetadata,
    email: immediateEmail,
    phone: immediatePhone,
    pendingEmail: pending(changes.email),
    pendingPhone: pending(changes.phone),
    oneTimeTokens: [...mails.tokens, ...(text === null ? [] : [text.token])],
    identities: contactIdentities(user.id, immediateEmail, immediatePhone),
    audit: storedAudit(app, audit),
    mails: mails.mails,
    flow: mails.flow,
  };
  const row = await applyChanges(() =>
    changesAccess
      ? changeAccess(app, caller, async (statements) => {
          if (nonce !== null) await spendNonce(statements, nonce);
          if (passwordHash !== null) await endFlows(statements, user.id);
          return updateUser(statements, user.id, planned);
        })
      : updateUser(app.db, user.id, planned),
  );
  if (row === undefined) throw refuse('subjectNotFound');
  logAudit(app, client.requestId, audit);
  if (mails.mails.length > 0) app.mail.nudge();
  if (text !== null) {
    const message = { purpose: 'phone_change', phone: text.token.recipient, channel: smsChannel, code: text.code };
    await textCode(app, message, () => withdrawToken(app.db, user.id, text.token));
  }
  return viewUser(row);
}

const immediate = (change: AddressChange | null): string | null => (change?.isImmediate ? change.address : null);
const pending = (change: AddressChange | null): string | null =>
  change !== null && !change.isImmediate ? change.address : null;

function planAddresses(app: App, { user }: UserCaller, update: UserUpdate): AddressChanges {
  const plan = (address: string | null, current: string | null, isImmediate: boolean) =>
    address && address !== current ? { address, isImmediate } : null;
  return {
    // Autoconfirm makes an anonymous user's first address count at once; all others confirm (reference/core.md 7.4).
    email: plan(
      update.email && normaliseEmail(update.email),
      user.email,
      user.is_anonymous && app.config.mailerAutoconfirm,
    ),
    phone: plan(update.phone && normalisePhone(update.phone), user.phone, app.config.smsAutoconfirm),
  };
}

function assertMayChange(app: App, caller: UserCaller, update: UserUpdate, { email, phone }: AddressChanges): void {
  const { user } = caller;
  if (update.appMetadata !== null && !hasAdminRole(app, caller.claims)) throw refuse('appMetadataNotAdmin');
  if (user.is_anonymous && update.password !== null && email === null && phone === null)
    throw refuse('anonymousPassword');
  const touchesCredentials = update.password !== null || update.nonce !== null || email !== null || phone !== null;
  if (user.is_sso_user && touchesCredentials) throw refuse('ssoUserManaged');
}

async function assertAddressesFree(app: App, { user }: UserCaller, { email, phone }: AddressChanges): Promise<void> {
  if (email === null && phone === null) return;
  const holders = await findAddressHolders(app.db, user.id, email?.address ?? null, phone?.address ?? null);
  if (holders.email_taken) throw refuse('emailExists');
  if (holders.phone_taken) throw refuse('phoneExists');
}

/** @throws Refusal reauthenticationNeeded, reauthenticationNotValid, samePassword */
async function hashNewPassword(
  app: App,
  caller: UserCaller,
  password: string,
  text: string | null,
): Promise<{ passwordHash: string; nonce: FoundToken | null }> {
  return app.crypto.withHashPlace(async (hashing) => {
    const nonce = app.config.updatePasswordRequireReauthentication ? await checkNonce(app, caller, text) : null;
    const current = await readPasswordHash(app.db, caller.user.id);
    if (current !== null && (await hashing.verifyPassword(password, current)).matches) throw refuse('samePassword');
    return { passwordHash: await hashing.hashPassword(password), nonce };
  });
}

/** @throws Refusal emailNotAuthorized, tooSoonForEmail, overEmailQuota */
async function prepareEmailChange(
  app: App,
  { user }: UserCaller,
  { email }: AddressChanges,
  pkce: PkceRequest | null,
  redirectTo: string,
): Promise<PreparedMails> {
  const next = pending(email);
  if (next === null) return NOTHING_TO_SEND;
  const plans = emailChangePlans(app, user.email, next);
  for (const { to } of plans) assertAuthorizedAddress(app, to);
  await assertMayMail(app, 'email_change', user.email ?? next);
  const subject = { email: user.email ?? next, newEmail: next, data: user.user_metadata };
  return prepareMails(app, subject, plans, pkce, redirectTo);
}

/** @throws Refusal tooSoonForSms, overSmsQuota */
async function preparePhoneChange(app: App, { phone }: AddressChanges) {
  const next = pending(phone);
  if (next === null) return null;
  await assertMayText(app, next, 'phone_change');
  return preparePhoneCode(app, 'phone_change', next);
}

/** Two accounts may reach for one address at once: the unique index decides, and the loser hears it kindly. */
async function applyChanges(change: () => Promise<UserRow | undefined>): Promise<UserRow | undefined> {
  try {
    return await change();
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code !== '23505') throw error;
    throw refuse(constraint === 'users_phone_key' ? 'phoneExists' : 'emailExists');
  }
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
