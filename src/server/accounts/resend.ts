import { randomUUID } from 'node:crypto';
import { issueTokens, type SendStamp, withdrawToken } from '../../db/one-time-tokens.js';
import { type AddressHolder, type Channel, findAddressHolder } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { Refusal, refuse } from '../errors.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import { writeDecoy } from './decoy.js';
import { emailChangePlans } from './email-change.js';
import { type MailPlan, type PreparedMails, prepareMails, preparePhoneCode } from './one-time.js';
import { readPkce } from './pkce.js';
import { assertAuthorizedAddress, assertMayMail, assertMayText, textCodeLater } from './send-rules.js';

export interface ResendRequest {
  readonly type: string;
  readonly email: string;
  readonly phone: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly audience: string;
  readonly redirectTo: string;
}

const types: readonly string[] = ['signup', 'email_change', 'sms', 'phone_change'];

/**
 * POST /resend (service.md; delivery.md 2.6).
 * @returns an id of ours, which the log puts beside the message where there is one; of the same shape where nothing was
 *   to send, so that the answer tells nothing about accounts
 */
export async function resend(app: App, client: Client, request: ResendRequest): Promise<{ message_id: string }> {
  const { channel, address } = readContact(app, request);
  const isText = request.type === 'sms' || request.type === 'phone_change';
  const message_id = isText
    ? await resendText(app, client, request, channel, address)
    : await resendMail(app, client, request, channel, address);
  return { message_id };
}

function readContact(app: App, request: ResendRequest): { channel: Channel; address: string } {
  const { config } = app;
  if (!types.includes(request.type)) throw refuse('resendType');
  if (request.type === 'signup' && !request.email) throw refuse('resendEmailRequired');
  if (request.type === 'sms' && !request.phone) throw refuse('resendPhoneRequired');
  if (request.email && request.phone) throw refuse('resendOneContact');
  if (request.email) {
    if (!config.externalEmailEnabled) throw refuse('emailLoginsDisabled');
    return { channel: 'email', address: normaliseEmail(request.email) };
  }
  if (!request.phone) throw refuse('resendContactMissing');
  if (!config.externalPhoneEnabled) throw refuse('phoneLoginsDisabled');
  return { channel: 'phone', address: normalisePhone(request.phone) };
}

async function resendMail(app: App, client: Client, request: ResendRequest, channel: Channel, address: string) {
  const isSignup = request.type === 'signup';
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, isSignup ? 'email/signup' : 'email_change');
  if (channel === 'email') assertAuthorizedAddress(app, address);
  await assertMayMail(app, isSignup ? 'confirmation' : 'email_change', address);
  const holder = await findAddressHolder(app.db, channel, address, request.audience);
  const plans = mailPlans(app, request, holder);
  const prepare = (to: readonly MailPlan[]): Promise<PreparedMails> =>
    prepareMails(
      app,
      { email: holder?.email ?? address, newEmail: holder?.new_email ?? null, data: holder?.user_metadata ?? {} },
      to,
      pkce,
      request.redirectTo,
    );
  if (holder === undefined || plans.length === 0) {
    const decoy: MailPlan = { kind: 'decoy', to: address, mailKind: 'confirmation', linkType: 'signup' };
    await writeDecoy(app, request.audience, await prepare([decoy]));
    return randomUUID();
  }
  const audit = isSignup ? [auditEntry(holder, 'user_confirmation_requested', { provider: 'email' })] : [];
  const stamp: SendStamp = isSignup ? 'confirmation' : 'email_change';
  const prepared = await prepare(plans);
  await issueTokens(app.db, { userId: holder.id, ...prepared, stamp, audit: storedAudit(app, audit) });
  logAudit(app, client.requestId, audit);
  app.mail.nudge();
  return prepared.mails[0]?.id ?? randomUUID();
}

/** What is still to be confirmed; nothing where all is. */
function mailPlans(app: App, request: ResendRequest, holder: AddressHolder | undefined): MailPlan[] {
  if (holder === undefined) return [];
  if (request.type === 'email_change')
    return holder.new_email ? emailChangePlans(app, holder.email, holder.new_email) : [];
  if (holder.is_confirmed || holder.email === null) return [];
  return [{ kind: 'confirmation', to: holder.email, mailKind: 'confirmation', linkType: 'signup' }];
}

/**
 * Every number is limited alike before anything is looked up, and answered alike: the text of one that waits for a code
 * leaves after the answer.
 */
async function resendText(app: App, client: Client, request: ResendRequest, channel: Channel, address: string) {
  const isChange = request.type === 'phone_change';
  const stamp = isChange ? 'phone_change' : 'confirmation';
  await assertMayText(app, address, stamp);
  const messageId = app.sms.newMessageId(address);

  const holder = await findAddressHolder(app.db, channel, address, request.audience);
  const waiting = isChange ? holder?.new_phone : holder?.is_confirmed ? null : holder?.phone;
  const phone = waiting && (waiting === address || (await takesAnotherText(app, waiting))) ? waiting : null;
  const { code, token } = await preparePhoneCode(app, phone === null ? 'decoy' : stamp, phone ?? address);
  if (holder === undefined || phone === null) {
    await writeDecoy(app, request.audience, { tokens: [token], mails: [], flow: null });
    return messageId;
  }
  const audit = isChange ? [] : [auditEntry(holder, 'user_recovery_requested', { channel: 'sms' })];
  const issue = { userId: holder.id, tokens: [token], stamp, mails: [], flow: null } as const;
  await issueTokens(app.db, { ...issue, audit: storedAudit(app, audit) });
  logAudit(app, client.requestId, audit);
  textCodeLater(app, { messageId, purpose: stamp, phone, channel: 'sms', code }, () =>
    withdrawToken(app.db, holder.id, token),
  );
  return messageId;
}

/** The number that is to be confirmed is not the one that was asked for, so that its own interval must not show. */
async function takesAnotherText(app: App, phone: string): Promise<boolean> {
  try {
    await app.limits.takeForRecipient('sms', phone, app.config.smsMaxFrequencySeconds);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'tooSoonForSms') return false;
    throw error;
  }
}
