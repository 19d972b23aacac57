/** POST /otp and POST /magiclink: codes and links that sign in or sign up. */
import { appendAudit } from '../../db/audit.js';
import { deleteToken, storePendingSignUp, storeTokens } from '../../db/one-time-tokens.js';
import type { Channel, Metadata } from '../../db/user-rows.js';
import { type AddressHolder, findAddressHolder } from '../../db/users.js';
import { normaliseEmail, normalisePhone } from '../accounts/addresses.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertSignsInHere } from '../accounts/company-domains.js';
import { assertNewTokenFits } from '../accounts/metadata.js';
import { assertMayCreate, type PlannedUser } from '../accounts/new-user-hook.js';
import { apiError } from '../errors.js';
import { stampsOf } from '../message-kinds.js';
import type { App, Client } from '../runtime/app.js';
import { type MailPlan, pendingKind, prepareMails, preparePhoneCode } from './one-time.js';
import { readPkce } from './pkce.js';
import { assertMailable, assertMayMail, assertMayText, readSmsChannel, textCode } from './send-rules.js';

export interface SignInCodeRequest {
  readonly email: string;
  readonly phone: string;
  /** False: only existing accounts get a code. */
  readonly createUser: boolean;
  readonly data: Metadata;
  readonly channel: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly audience: string;
  readonly redirectTo: string;
}

/** POST /otp. @throws ApiError in the order of docs/decisions.md, Order of checks */
export async function sendSignInCode(app: App, client: Client, request: SignInCodeRequest): Promise<void> {
  if (request.email && request.phone) throw apiError('otpOneContact');
  if (request.email && request.channel) throw apiError('otpChannelWithEmail');
  readPkce(request.codeChallenge, request.codeChallengeMethod, '');
  if (!request.createUser) await assertKnown(app, request);
  if (request.email) return sendSignInLink(app, client, request);
  if (request.phone) return sendSignInText(app, client, request);
  throw apiError('otpContactMissing');
}

/** With `create_user` false. @throws ApiError otpDisabled for an address without account, or an invalid one */
async function assertKnown(app: App, request: SignInCodeRequest): Promise<void> {
  const channel: Channel = request.email ? 'email' : 'phone';
  if (!request.email && !request.phone) return;
  let address: string;
  try {
    address = channel === 'email' ? normaliseEmail(request.email) : normalisePhone(request.phone);
  } catch {
    throw apiError('otpDisabled');
  }
  if (channel === 'email') await assertSignsInHere(app, address);
  if ((await findAddressHolder(app.db, channel, address, request.audience)) === undefined)
    throw apiError('otpDisabled');
}

/**
 * POST /magiclink, and POST /otp with an email. Known and unknown addresses get equal answers: a link to sign in, or
 * one to sign up, which creates the account (docs/decisions.md, Pending sign-ups).
 */
export async function sendSignInLink(app: App, client: Client, request: SignInCodeRequest): Promise<void> {
  const { config } = app;
  if (!config.externalEmailEnabled) throw apiError('emailLoginDisabled');
  if (!config.externalEmailMagicLinkEnabled) throw apiError('magicLinkDisabled');
  if (!request.email) throw apiError('magicLinkEmailRequired');
  const email = normaliseEmail(request.email);
  await assertSignsInHere(app, email);
  readPkce(request.codeChallenge, request.codeChallengeMethod, '');
  assertNewTokenFits(config, { audience: request.audience, email, phone: null, userMetadata: request.data });
  await assertMailable(app, email);
  await assertMayMail(app, 'magic_link', email);

  const holder = await findAddressHolder(app.db, 'email', email, request.audience);
  if (config.disableSignup && !holder?.is_confirmed) throw apiError('signupDisabled');
  if (holder === undefined) await assertMaySignUp(app, client, request, { email, phone: null });
  const isSignIn = holder?.is_confirmed === true;
  const plan: MailPlan = isSignIn
    ? { mail: 'magic_link', to: email }
    : { mail: 'confirmation', to: email, code: 'sign_up' };
  const prepared = await prepareMails(
    app,
    {
      email,
      data: holder?.user_metadata ?? request.data,
      account: holder?.id ?? plannedUser(request, { email, phone: null }),
      ip: client.ip,
    },
    [plan],
    readPkce(request.codeChallenge, request.codeChallengeMethod, isSignIn ? 'magiclink' : 'email/signup'),
    request.redirectTo,
  );

  if (!isSignIn) {
    // Also if an account has the address unproven: it may belong to another person (SEC-64).
    const signUp = { audience: request.audience, data: request.data };
    const kind = pendingKind(app, request.audience);
    await storePendingSignUp(app.db, kind, prepared.tokens[0]!, signUp, prepared.mails, prepared.flow);
  }
  if (holder !== undefined) {
    const audit = [requestedAuditEntry(holder, 'email', isSignIn)];
    if (isSignIn) {
      const issue = { userId: holder.id, ...prepared, stamps: stampsOf('magic_link'), audit: storedAudit(app, audit) };
      await storeTokens(app.db, issue);
    } else await appendAudit(app.db, storedAudit(app, audit));
    logAudit(app, client.requestId, audit);
  }
  app.mail.nudge();
}

/** POST /otp with a phone. */
async function sendSignInText(app: App, client: Client, request: SignInCodeRequest): Promise<void> {
  if (!app.config.externalPhoneEnabled) throw apiError('phoneProviderUnsupported');
  const phone = normalisePhone(request.phone);
  const channel = readSmsChannel(app, request.channel);
  assertNewTokenFits(app.config, { audience: request.audience, email: null, phone, userMetadata: request.data });
  await assertMayText(app, phone, 'confirmation');

  const holder = await findAddressHolder(app.db, 'phone', phone, request.audience);
  if (app.config.disableSignup && !holder?.is_confirmed) throw apiError('signupDisabled');
  if (holder === undefined) await assertMaySignUp(app, client, request, { email: null, phone });
  // A pending sign-up also if an account has the number unproven: it may belong to another person (SEC-64).
  const isSignIn = holder?.is_confirmed === true;
  const kind = isSignIn ? 'confirmation' : 'sign_up';
  const { code, token, queued } = await preparePhoneCode(
    app,
    kind,
    phone,
    holder?.id ?? plannedUser(request, { email: null, phone }),
    client.ip,
  );
  const stored = isSignIn ? token : { ...token, kind: pendingKind(app, request.audience) };
  if (!isSignIn) {
    await storePendingSignUp(
      app.db,
      stored.kind,
      token,
      { audience: request.audience, data: request.data },
      queued,
      null,
    );
  }
  if (holder !== undefined) {
    const audit = [requestedAuditEntry(holder, 'phone', isSignIn, channel)];
    const issue = { userId: holder.id, tokens: [token], stamps: stampsOf('confirmation'), mails: queued, flow: null };
    if (isSignIn) await storeTokens(app.db, { ...issue, audit: storedAudit(app, audit) });
    else await appendAudit(app.db, storedAudit(app, audit));
    logAudit(app, client.requestId, audit);
  }
  await textCode(app, { purpose: 'confirmation', phone, channel, code, queued }, () =>
    deleteToken(app.db, isSignIn ? holder.id : null, stored),
  );
}

/** Asks the hook now: the code of an account that will be refused must not be sent. @throws ApiError of the hook */
function assertMaySignUp(
  app: App,
  client: Client,
  request: SignInCodeRequest,
  contact: Pick<PlannedUser, 'email' | 'phone'>,
): Promise<void> {
  return assertMayCreate(app, client, plannedUser(request, contact));
}

function plannedUser(
  { audience, data }: SignInCodeRequest,
  contact: Pick<PlannedUser, 'email' | 'phone'>,
): PlannedUser {
  const provider = contact.email === null ? 'phone' : 'email';
  return { audience, ...contact, appMetadata: { provider, providers: [provider] }, userMetadata: data };
}

function requestedAuditEntry(
  holder: AddressHolder,
  provider: Channel,
  isSignIn: boolean,
  smsChannel?: string,
): AuditEntry {
  if (!isSignIn) return auditEntry(holder, 'user_confirmation_requested', { provider });
  return auditEntry(holder, 'user_recovery_requested', smsChannel ? { channel: smsChannel } : undefined);
}
