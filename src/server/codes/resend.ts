import { randomUUID } from 'node:crypto';
import { deleteToken, storeTokens } from '../../db/one-time-tokens.js';
import type { Channel } from '../../db/user-rows.js';
import { type AddressHolder, findAddressHolder } from '../../db/users.js';
import { normaliseEmail, normalisePhone } from '../accounts/addresses.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertSignsInHere } from '../accounts/company-domains.js';
import { ApiError, apiError } from '../errors.js';
import { stampsOf } from '../message-kinds.js';
import type { App, Client } from '../runtime/app.js';
import { writeDecoy } from './decoy.js';
import { planEmailChange } from './email-change.js';
import { type MailPlan, type PreparedMails, prepareMails, preparePhoneCode } from './one-time.js';
import { readPkce } from './pkce.js';
import { assertMailable, assertMayMail, assertMayText, textCodeLater } from './send-rules.js';

interface ResendRequest {
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
 * POST /resend.
 * @returns an id, which the log relates to the message; also if nothing is sent, so that the answer reveals nothing
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
  if (!types.includes(request.type)) throw apiError('resendType');
  if (request.type === 'signup' && !request.email) throw apiError('resendEmailRequired');
  if (request.type === 'sms' && !request.phone) throw apiError('resendPhoneRequired');
  if (request.email && request.phone) throw apiError('resendOneContact');
  if (request.email) {
    if (!config.externalEmailEnabled) throw apiError('emailLoginsDisabled');
    return { channel: 'email', address: normaliseEmail(request.email) };
  }
  if (!request.phone) throw apiError('resendContactMissing');
  if (!config.externalPhoneEnabled) throw apiError('phoneLoginsDisabled');
  return { channel: 'phone', address: normalisePhone(request.phone) };
}

async function resendMail(app: App, client: Client, request: ResendRequest, channel: Channel, address: string) {
  const isSignup = request.type === 'signup';
  const kind = isSignup ? 'confirmation' : 'email_change';
  const pkce = readPkce(request.codeChallenge, request.codeChallengeMethod, isSignup ? 'email/signup' : 'email_change');
  if (channel === 'email') {
    await assertSignsInHere(app, address);
    await assertMailable(app, address);
  }
  await assertMayMail(app, kind, address);
  const holder = await findAddressHolder(app.db, channel, address, request.audience);
  const plans = planMails(app, request, holder);
  const prepare = (to: readonly MailPlan[]): Promise<PreparedMails> =>
    prepareMails(
      app,
      {
        email: holder?.email ?? address,
        newEmail: holder?.new_email ?? null,
        data: holder?.user_metadata ?? {},
        account: plans.length === 0 ? null : (holder?.id ?? null),
        ip: client.ip,
      },
      to,
      pkce,
      request.redirectTo,
    );
  if (holder === undefined || plans.length === 0) {
    const decoy: MailPlan = { mail: 'confirmation', code: 'decoy', to: address };
    await writeDecoy(app, request.audience, await prepare([decoy]), { mail: kind, recipient: address });
    return randomUUID();
  }
  const audit = isSignup ? [auditEntry(holder, 'user_confirmation_requested', { provider: 'email' })] : [];
  const prepared = await prepare(plans);
  await storeTokens(app.db, { userId: holder.id, ...prepared, stamps: stampsOf(kind), audit: storedAudit(app, audit) });
  logAudit(app, client.requestId, audit);
  app.mail.nudge();
  return prepared.mails[0]?.id ?? randomUUID();
}

/** Plans the mails of what is not confirmed yet. */
function planMails(app: App, request: ResendRequest, holder: AddressHolder | undefined): MailPlan[] {
  if (holder === undefined) return [];
  if (request.type === 'email_change')
    return holder.new_email ? planEmailChange(app, holder.is_confirmed ? holder.email : null, holder.new_email) : [];
  if (holder.is_confirmed || holder.email === null) return [];
  return [{ mail: 'confirmation', to: holder.email }];
}

/**
 * Limits and answers are the same for all numbers; an SMS is sent after the answer.
 */
async function resendText(app: App, client: Client, request: ResendRequest, channel: Channel, address: string) {
  const isChange = request.type === 'phone_change';
  const kind = isChange ? 'phone_change' : 'confirmation';
  await assertMayText(app, address, kind);
  const messageId = app.sms.newMessageId(address);

  const holder = await findAddressHolder(app.db, channel, address, request.audience);
  const unconfirmed = isChange ? holder?.new_phone : holder?.is_confirmed ? null : holder?.phone;
  const phone = unconfirmed && (unconfirmed === address || (await mayTextAgain(app, unconfirmed))) ? unconfirmed : null;
  const { code, token, queued } = await preparePhoneCode(
    app,
    phone === null ? 'decoy' : kind,
    phone ?? address,
    phone === null ? null : (holder?.id ?? null),
    client.ip,
  );
  if (holder === undefined || phone === null) {
    const prepared = { tokens: [token], mails: [], flow: null };
    await writeDecoy(app, request.audience, prepared, { mail: null, recipient: address });
    return messageId;
  }
  const audit = isChange ? [] : [auditEntry(holder, 'user_recovery_requested', { channel: 'sms' })];
  const issue = { userId: holder.id, tokens: [token], stamps: stampsOf(kind), mails: queued, flow: null };
  await storeTokens(app.db, { ...issue, audit: storedAudit(app, audit) });
  logAudit(app, client.requestId, audit);
  textCodeLater(app, { messageId, purpose: kind, phone, channel: 'sms', code, queued }, () =>
    deleteToken(app.db, holder.id, token),
  );
  return queued[0]?.id ?? messageId;
}

/** For an unconfirmed number other than the requested one, whose interval must not show in the answer. */
async function mayTextAgain(app: App, phone: string): Promise<boolean> {
  try {
    await app.limits.takeForRecipient('sms', phone, app.config.smsMaxFrequencySeconds);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.entry === 'tooSoonForSms') return false;
    throw error;
  }
}
