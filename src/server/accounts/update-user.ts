import { endFlows } from '../../db/account-locks.js';
import { deleteToken } from '../../db/one-time-tokens.js';
import { isEmailProven, type Metadata } from '../../db/user-rows.js';
import { type UserChanges, updateUser } from '../../db/users.js';
import { planEmailChange } from '../codes/email-change.js';
import { NOTHING_TO_SEND, type PreparedMails, prepareMails, preparePhoneCode } from '../codes/one-time.js';
import { type PkceRequest, readPkce } from '../codes/pkce.js';
import { consumeNonce } from '../codes/reauthenticate.js';
import { assertMailable, assertMayMail, assertMayText, readSmsChannel, textCode } from '../codes/send-rules.js';
import { apiError } from '../errors.js';
import { newPhone } from '../notices/changes.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { App, Client } from '../runtime/app.js';
import { assertAdministers } from '../sessions/administrator.js';
import { assertAssurance } from '../sessions/assurance.js';
import { isLimitedToken, type UserCaller } from '../sessions/caller.js';
import { isClientToken } from '../sessions/find-caller.js';
import { toldUser } from '../sessions/told-metadata.js';
import { assertSessionWasAlive, changeAccess } from './access-change.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import { assertSignsInHere } from './company-domains.js';
import { contactIdentities } from './contact-identities.js';
import { assertAddressesFree, catchTakenAddress } from './free-addresses.js';
import { planMetadata } from './metadata.js';
import {
  assertPasswordUnchanged,
  emailForIdentity,
  type HashedPassword,
  hashNewPassword,
  SAME_PASSWORD,
  setNewPassword,
  withEmailProvider,
} from './new-password.js';
import { assertPasswordAcceptable } from './passwords.js';
import { viewUser } from './user-view.js';

/** Null: not given. */
interface UserUpdate {
  readonly email: string | null;
  readonly phone: string | null;
  readonly password: string | null;
  readonly currentPassword: string | null;
  readonly nonce: string | null;
  readonly data: Metadata | null;
  readonly appMetadata: Metadata | null;
  readonly channel: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly redirectTo: string;
}

/** Null: no change. */
interface AddressChanges {
  readonly email: AddressChange | null;
  readonly phone: AddressChange | null;
}

interface AddressChange {
  readonly address: string;
  /** False: after confirmation. */
  readonly isImmediate: boolean;
}

/**
 * PUT /user. All changes of a request happen in one statement.
 * @returns the user object
 * @throws ApiError in the order of docs/decisions.md, Order of checks
 */
export async function updateOwnUser(
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
  if (update.password !== null) {
    const next = { ...update, user_metadata: update.data ?? {} };
    await assertPasswordAcceptable(app, update.password, user, next);
  }
  assertTokenSuffices(app, caller, update, changes);
  if (changesAccess) await assertAssurance(app, caller, 'aalForCredentials');
  assertMayChange(caller, update, changes);

  const patches = { user: update.data, app: update.appMetadata };
  const { userMetadata, appMetadata } = planMetadata(app.config, user, patches);
  const [email, phone] = [changes.email?.address ?? null, changes.phone?.address ?? null];
  if (email !== null) await assertSignsInHere(app, email);
  await assertAddressesFree(app, user.id, { email, phone }, 'phoneExists');
  const newPassword = update.password === null ? null : { ...update, password: update.password };
  const checked = newPassword === null ? SAME_PASSWORD : await hashNewPassword(app, caller, newPassword);

  const mails = await prepareEmailChange(app, client, caller, changes, pkce, update.redirectTo);
  const text = await preparePhoneChange(app, client, caller, changes);
  const immediateEmail = immediate(changes.email);
  const immediatePhone = immediate(changes.phone);
  const notices = await prepareNotices(app, client, [
    newPassword !== null && { kind: 'password_changed_notification', to: recipientOf(user) },
    immediatePhone !== null && newPhone(recipientOf(user), user.phone, immediatePhone),
  ]);
  const audit = [
    ...(newPassword === null ? [] : [auditEntry(user, 'user_updated_password')]),
    auditEntry(user, 'user_modified'),
  ];
  const queued = [...mails.mails, ...notices, ...(text?.queued ?? [])];
  const plan = ({ passwordHash, stored }: HashedPassword): UserChanges => {
    const firstEmail = passwordHash !== null && stored === null ? emailForIdentity(app, user) : null;
    return {
      passwordHash,
      keepSessionId: caller.sessionId,
      userMetadata: immediateEmail === null ? userMetadata : withVerifiedEmail(userMetadata, immediateEmail),
      appMetadata: firstEmail === null ? appMetadata : withEmailProvider(appMetadata, user),
      email: immediateEmail,
      phone: immediatePhone,
      pendingEmail: pending(changes.email),
      pendingPhone: pending(changes.phone),
      oneTimeTokens: [...mails.tokens, ...(text === null ? [] : [text.token])],
      identities: contactIdentities(
        user.id,
        { email: immediateEmail ?? firstEmail, phone: immediatePhone },
        // Autoconfirm proves nothing; an account without an email identity may have proven its address.
        { email: firstEmail !== null && isEmailProven(user), phone: false },
      ),
      audit: storedAudit(app, audit),
      mails: queued,
      flow: mails.flow,
    };
  };
  const change = (hashed: HashedPassword) =>
    changeAccess(app, caller, 'aalForCredentials', async (statements) => {
      if (hashed.nonce !== null) await consumeNonce(statements, hashed.nonce);
      if (hashed.passwordHash !== null) {
        await assertPasswordUnchanged(statements, user.id, hashed);
        await endFlows(statements, user.id);
      }
      return updateUser(statements, user.id, plan(hashed));
    });
  const row = await catchTakenAddress('phoneExists', () => {
    if (newPassword !== null) return setNewPassword(app, caller, newPassword, checked, change);
    return changesAccess ? change(checked) : updateUser(app.db, user.id, plan(checked));
  });
  if (row === undefined) throw apiError('subjectNotFound');
  logAudit(app, client.requestId, audit);
  if (queued.length > 0) app.mail.nudge();
  if (text !== null) {
    const message = { ...text, purpose: 'phone_change', phone: text.token.recipient, channel: smsChannel };
    await textCode(app, message, () => deleteToken(app.db, user.id, text.token));
  }
  return viewUser(isClientToken(caller.claims) ? toldUser(row) : row);
}

const immediate = (change: AddressChange | null): string | null => (change?.isImmediate ? change.address : null);
const pending = (change: AddressChange | null): string | null =>
  change !== null && !change.isImmediate ? change.address : null;

function planAddresses(app: App, { user }: UserCaller, update: UserUpdate): AddressChanges {
  const plan = (address: string | null, current: string | null, isImmediate: boolean) =>
    address && address !== current ? { address, isImmediate } : null;
  const { is_anonymous: isSignUp } = user;
  const { mailerAutoconfirm, smsAutoconfirm } = app.config;
  // Autoconfirm is about sign-ups, and the first address of an anonymous user is one. All other changes need confirmation:
  // a stolen session could move the account to another address.
  return {
    email: plan(update.email && normaliseEmail(update.email), user.email, isSignUp && mailerAutoconfirm),
    phone: plan(update.phone && normalisePhone(update.phone), user.phone, isSignUp && smsAutoconfirm),
  };
}

/** @throws ApiError passwordResetRequired, appMetadataNotAdmin, sessionNotFound */
function assertTokenSuffices(app: App, caller: UserCaller, update: UserUpdate, changes: AddressChanges): void {
  if (isLimitedToken(caller.claims) && !changesPasswordOnly(update, changes)) throw apiError('passwordResetRequired');
  if (update.appMetadata !== null) assertAdministers(app, caller, 'appMetadataNotAdmin');
}

const changesPasswordOnly = ({ password }: UserUpdate, { email, phone }: AddressChanges): boolean =>
  password !== null && email === null && phone === null;

/** @throws ApiError anonymousPassword, ssoUserManaged */
function assertMayChange({ user }: UserCaller, update: UserUpdate, changes: AddressChanges): void {
  const { email, phone } = changes;
  if (user.is_anonymous && changesPasswordOnly(update, changes)) throw apiError('anonymousPassword');
  const touchesCredentials = update.password !== null || update.nonce !== null || email !== null || phone !== null;
  if (user.is_sso_user && touchesCredentials) throw apiError('ssoUserManaged');
}

/** @throws ApiError emailNotAuthorized, tooSoonForEmail, overEmailQuota */
async function prepareEmailChange(
  app: App,
  { ip }: Client,
  { user }: UserCaller,
  { email }: AddressChanges,
  pkce: PkceRequest | null,
  redirectTo: string,
): Promise<PreparedMails> {
  const next = pending(email);
  if (next === null) return NOTHING_TO_SEND;
  const plans = planEmailChange(app, user.email_confirmed_at === null ? null : user.email, next);
  for (const { to } of plans) await assertMailable(app, to);
  await assertMayMail(app, 'email_change', user.email ?? next);
  const subject = { email: user.email ?? next, newEmail: next, data: user.user_metadata, account: user.id, ip };
  return prepareMails(app, subject, plans, pkce, redirectTo);
}

/** @throws ApiError tooSoonForSms, overSmsQuota */
async function preparePhoneChange(app: App, { ip }: Client, { user }: UserCaller, { phone }: AddressChanges) {
  const next = pending(phone);
  if (next === null) return null;
  await assertMayText(app, next, 'phone_change');
  return preparePhoneCode(app, 'phone_change', next, user.id, ip);
}

const withVerifiedEmail = (change: { set: Metadata; drop: readonly string[] } | null, email: string) => ({
  set: { ...change?.set, email, email_verified: true },
  drop: change?.drop ?? [],
});
