import { randomUUID } from 'node:crypto';
import { issueTokens, type SendStamp, withdrawToken } from '../../db/one-time-tokens.js';
import { type AddressHolder, type Channel, findAddressHolder } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { auditEntry, logAudit, storedAudit } from './audit.js';
import { writeDecoy } from './decoy.js';
import { emailChangePlans } from './email-change.js';
import { type MailPlan, type PreparedMails, prepareMails, preparePhoneCode } from './one-time.js';
import { readPkce } from './pkce.js';
import { assertAuthorizedAddress, assertMayMail, assertMayText, textCode } from './send-rules.js';

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
 * @returns the id of the message: the gateway's for a text, the mail's own, or a made-up one where nothing was to send,
 *   so that the answer tells nothing about accounts
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

async function resendText(app: App, client: Client, request: ResendRequest, channel: Channel, address: string) {
  const holder = await findAddressHolder(app.db, channel, address, request.audience);
  const isChange = request.type === 'phone_change';
  const phone = isChange ? (holder?.new_phone ?? null) : holder?.is_confirmed ? null : (holder?.phone ?? null);
  if (holder === undefined || phone === null) return randomUUID();
  await assertMayText(app, phone);

  const kind = isChange ? 'phone_change' : 'confirmation';
  const { code, token } = await preparePhoneCode(app, kind, phone);
  const audit = isChange ? [] : [auditEntry(holder, 'user_recovery_requested', { channel: 'sms' })];
  const issue = { userId: holder.id, tokens: [token], stamp: kind, mails: [], flow: null } as const;
  await issueTokens(app.db, { ...issue, audit: storedAudit(app, audit) });
  logAudit(app, client.requestId, audit);
  return textCode(app, { purpose: kind, phone, channel: 'sms', code }, () =>
    withdrawToken(app.db, holder.id, kind, token.code_hash),
  );
}
