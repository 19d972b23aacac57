/** POST /otp and POST /magiclink: a code or link that signs in, or makes the account when it comes back. */
import { appendAudit } from '../../db/audit.js';
import { issuePending, issueTokens, withdrawToken } from '../../db/one-time-tokens.js';
import { type AddressHolder, type Channel, findAddressHolder, type Metadata } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from './audit.js';
import { assertNewTokenFits } from './metadata.js';
import { type MailPlan, pendingKind, prepareMails, preparePhoneCode } from './one-time.js';
import { readPkce } from './pkce.js';
import { assertAuthorizedAddress, assertMayMail, assertMayText, readSmsChannel, textCode } from './send-rules.js';

export interface SignInCodeRequest {
  readonly email: string;
  readonly phone: string;
  /** False: only accounts that exist get a code. */
  readonly createUser: boolean;
  readonly data: Metadata;
  readonly channel: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly audience: string;
  readonly redirectTo: string;
}

/** POST /otp (delivery.md 2.2). @throws Refusal in that order */
export async function sendSignInCode(app: App, client: Client, request: SignInCodeRequest): Promise<void> {
  if (request.email && request.phone) throw refuse('otpOneContact');
  if (request.email && request.channel) throw refuse('otpChannelWithEmail');
  readPkce(request.codeChallenge, request.codeChallengeMethod, '');
  if (!request.createUser) await assertKnown(app, request);
  if (request.email) return sendSignInLink(app, client, request);
  if (request.phone) return sendSignInText(app, client, request);
  throw refuse('otpContactMissing');
}

/** With `create_user` false an address without account is told so, and so is one that cannot have any. */
async function assertKnown(app: App, request: SignInCodeRequest): Promise<void> {
  const channel: Channel = request.email ? 'email' : 'phone';
  if (!request.email && !request.phone) return;
  let address: string;
  try {
    address = channel === 'email' ? normaliseEmail(request.email) : normalisePhone(request.phone);
  } catch {
    throw refuse('otpDisabled');
  }
  if ((await findAddressHolder(app.db, channel, address, request.audience)) === undefined) throw refuse('otpDisabled');
}

/**
 * POST /magiclink, and POST /otp with an email (delivery.md 2.3). Known and unknown addresses are answered alike: the
 * one gets a link to sign in, the other one to sign up with, and its account is made when that comes back.
 */
export async function sendSignInLink(app: App, client: Client, request: SignInCodeRequest): Promise<void> {
  const { config } = app;
  if (!config.externalEmailEnabled) throw refuse('emailLoginDisabled');
  if (!config.externalEmailMagicLinkEnabled) throw refuse('magicLinkDisabled');
  if (!request.email) throw refuse('magicLinkEmailRequired');
  const email = normaliseEmail(request.email);
  readPkce(request.codeChallenge, request.codeChallengeMethod, '');
  assertNewTokenFits(config, { audience: request.audience, email, phone: null, userMetadata: request.data });
  assertAuthorizedAddress(app, email);
  await assertMayMail(app, 'sign_in_mail', email);

  const holder = await findAddressHolder(app.db, 'email', email, request.audience);
  if (config.disableSignup && !holder?.is_confirmed) throw refuse('signupDisabled');
  const isSignIn = holder?.is_confirmed === true;
  const plan: MailPlan = isSignIn
    ? { kind: 'recovery', to: email, mailKind: 'magic_link', linkType: 'magiclink' }
    : { kind: 'sign_up', to: email, mailKind: 'confirmation', linkType: 'signup' };
  const prepared = await prepareMails(
    app,
    { email, data: holder?.user_metadata ?? request.data },
    [plan],
    readPkce(request.codeChallenge, request.codeChallengeMethod, isSignIn ? 'magiclink' : 'email/signup'),
    request.redirectTo,
  );

  if (!isSignIn) {
    // Also where somebody holds the address unproven: whoever answers the mail need not be who typed it in (SEC-64).
    const signUp = { audience: request.audience, data: request.data };
    const kind = pendingKind(app, request.audience);
    await issuePending(app.db, kind, prepared.tokens[0]!, signUp, prepared.mails, prepared.flow);
  }
  if (holder !== undefined) {
    const audit = [requestedEntry(holder, 'email', isSignIn)];
    if (isSignIn) {
      await issueTokens(app.db, { userId: holder.id, ...prepared, stamp: 'recovery', audit: storedAudit(app, audit) });
    } else await appendAudit(app.db, storedAudit(app, audit));
    logAudit(app, client.requestId, audit);
  }
  app.mail.nudge();
}

/** POST /otp with a phone (delivery.md 2.4). */
async function sendSignInText(app: App, client: Client, request: SignInCodeRequest): Promise<void> {
  if (!app.config.externalPhoneEnabled) throw refuse('phoneProviderUnsupported');
  const phone = normalisePhone(request.phone);
  const channel = readSmsChannel(app, request.channel);
  assertNewTokenFits(app.config, { audience: request.audience, email: null, phone, userMetadata: request.data });
  await assertMayText(app, phone, 'confirmation');

  const holder = await findAddressHolder(app.db, 'phone', phone, request.audience);
  if (app.config.disableSignup && !holder?.is_confirmed) throw refuse('signupDisabled');
  // Also where somebody holds the number unproven: whoever answers need not be who typed it in (SEC-64).
  const isSignIn = holder?.is_confirmed === true;
  const kind = isSignIn ? 'confirmation' : 'sign_up';
  const { code, token } = await preparePhoneCode(app, kind, phone);
  const stored = isSignIn ? token : { ...token, kind: pendingKind(app, request.audience) };
  if (!isSignIn) {
    await issuePending(app.db, stored.kind, token, { audience: request.audience, data: request.data }, [], null);
  }
  if (holder !== undefined) {
    const audit = [requestedEntry(holder, 'phone', isSignIn, channel)];
    const issue = { userId: holder.id, tokens: [token], stamp: 'confirmation', mails: [], flow: null } as const;
    if (isSignIn) await issueTokens(app.db, { ...issue, audit: storedAudit(app, audit) });
    else await appendAudit(app.db, storedAudit(app, audit));
    logAudit(app, client.requestId, audit);
  }
  await textCode(app, { purpose: 'confirmation', phone, channel, code }, () =>
    withdrawToken(app.db, isSignIn ? holder.id : null, stored),
  );
}

function requestedEntry(holder: AddressHolder, provider: Channel, isSignIn: boolean, smsChannel?: string): AuditEntry {
  if (!isSignIn) return auditEntry(holder, 'user_confirmation_requested', { provider });
  return auditEntry(holder, 'user_recovery_requested', smsChannel ? { channel: smsChannel } : undefined);
}
